/* SPDX-License-Identifier: MIT */
/*
 * elf_memory.h - segments, build id, unwind information and name of a file in memory.
 */
#ifndef CPS_ELF_MEMORY_H
#define CPS_ELF_MEMORY_H

#include <link.h>
#include <stddef.h>
#include <stdint.h>

#include "unwind/module.h"

#define CPS_ELF_HEADERS_MAX 128u
#define CPS_ELF_NOTE_MAX    1024u
#define CPS_ELF_NAME_MAX    4096u

/* A copy of what the headers say. It holds although the file is unloaded meanwhile. */
struct cps_elf_memory {
	uintptr_t bias;
	bool is_lasting; /* the file cannot be unloaded, so that it is read directly */
	size_t n;
	ElfW(Phdr) headers[CPS_ELF_HEADERS_MAX];
	uint8_t note[CPS_ELF_NOTE_MAX];
	const uint8_t *id; /* the build id, in `note`; NULL: there is none */
	uint32_t id_bytes;
	char name[CPS_ELF_NAME_MAX + 1];
};

/* [signal] The contents of the first note of this type and name, four bytes with their padding, among so
 * many bytes of notes. *content_bytes is the most that they may have, and gets what they have. NULL: there
 * is no such note. */
const uint8_t *cps_elf_memory_note(const uint8_t *notes, size_t bytes, uint32_t type,
				   const char name[4], uint32_t *content_bytes);

/* [signal] Read n program headers, or those of the file at the address `bias` if `headers` is NULL.
 * bias and is_lasting must be set. False: they cannot be read, or are of no use. */
bool cps_elf_memory_read(struct cps_elf_memory *file, const void *headers, size_t n);

/* [signal] Copy a name that may go away. False: it cannot be read, or is too long. */
bool cps_elf_memory_copy_name(char to[CPS_ELF_NAME_MAX + 1], const char *name);

/* [signal] Read the name that the loader has for the file. False: it cannot be read. */
bool cps_elf_memory_read_name(struct cps_elf_memory *file, const char *name);

/* [signal] Whether the loader's name is that path, as far as the name is absolute. The name may go
 * away meanwhile. */
bool cps_elf_memory_has_name(const char *path, const char *name);

/* [signal] Whether this is the module's file: the same segments at the same place, and the same
 * build id, if there is one. */
bool cps_elf_memory_is(const struct cps_elf_memory *file, const struct cps_module *m);

/* [signal] Fill in what the headers say. False: there is no memory. */
bool cps_elf_memory_describe(const struct cps_elf_memory *file, struct cps_module *m);

/* [signal] The loader's list of files, by the dynamic section of the main program, whose headers these
 * are. */
const struct r_debug *cps_elf_memory_debug(const void *headers, size_t n);

#endif
