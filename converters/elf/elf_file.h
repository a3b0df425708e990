/* SPDX-License-Identifier: MIT */
/*
 * elf_file.h - one 64-bit little-endian ELF file, read piece by piece.
 *
 * Nothing in the file is believed: the tables of sections and segments are checked against its
 * size when it is opened, each piece when it is loaded. A piece is a copy, so that whoever changes
 * or cuts the file meanwhile can spoil names, but not this process.
 */
#ifndef ELF_FILE_H
#define ELF_FILE_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"

#define ELF_FILE_BUILD_ID_MAX 64

/* Everybody may read the fields; only elf_file.c changes them. */
struct elf_file {
	int fd;
	bool is_open;		    /* and fd with it */
	char *path;		    /* that it was opened by */
	const unsigned char *image; /* NULL: a file */
	uint64_t bytes;		    /* of the file */
	dev_t device;
	ino_t inode;
	Elf64_Ehdr head;
	Elf64_Shdr *sections;
	size_t n_sections;
	Elf64_Phdr *segments;
	size_t n_segments;
	unsigned char *names; /* of the sections */
	uint64_t names_bytes;
};

/*
 * Open a program or library, or the image of one in memory. 0; or -errno, with the text of `why`
 * set to the reason alone ("No such file or directory", "cut short"): the caller knows the name.
 * -ENOEXEC: not an ELF file that can be used. -ENOMEM: out of memory.
 */
int elf_file_open(struct elf_file *f, const char *path, struct error *why);
/* Does the same for any type of ELF file, also for an object file. */
int elf_file_open_any(struct elf_file *f, const char *path, struct error *why);
int elf_file_open_image(struct elf_file *f, const void *image, size_t bytes, struct error *why);
/* Does nothing to a file that is closed, or all zero. */
void elf_file_close(struct elf_file *f);

/* The first section of that type, or name; NULL if there is none with bytes in the file. That of a
 * name is not compressed; elf_section.h has the others too. */
const Elf64_Shdr *elf_file_section_of_type(const struct elf_file *f, Elf64_Word type);
const Elf64_Shdr *elf_file_section_named(const struct elf_file *f, const char *name);
/* Says whether this is the section's name. */
bool elf_file_section_is(const struct elf_file *f, const Elf64_Shdr *s, const char *name);

/*
 * A copy of bytes [offset, offset + bytes) of the file, followed by a NUL; to be freed. -ENODATA if
 * the file does not have them, or they are more than any sane section; -ENOMEM; -EIO.
 */
int elf_file_load(const struct elf_file *f, uint64_t offset, uint64_t bytes, unsigned char **copy);

/* Read bytes [offset, offset + bytes) of the file. 0, -ENODATA if it does not have them, -EIO. */
int elf_file_read(const struct elf_file *f, uint64_t offset, void *to, size_t bytes);

/* Copy the GNU build id and return its length, 0 if there is none, -ENOMEM. */
int elf_file_build_id(const struct elf_file *f, unsigned char id[ELF_FILE_BUILD_ID_MAX]);

/* CRC-32 over the whole file, as .gnu_debuglink has it. 0 or -errno. */
int elf_file_crc(const struct elf_file *f, uint32_t *crc);

#endif
