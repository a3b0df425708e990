/* SPDX-License-Identifier: MIT */
/*
 * elf_file.h - bounds-checked access to the pieces of an ELF file.
 */
#ifndef ELF_ELF_FILE_H
#define ELF_ELF_FILE_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/stop.h"

/* ---- elf file -------------------------------------------------------------------------------- */
/*
 * Reads a 64-bit little-endian ELF file piece by piece.
 *
 * In: a path, or an image in memory. Out: headers, and copies of pieces.
 *
 * The file is not trusted. The tables of sections and segments are checked against the file's size
 * when the file is opened, and each piece when it is loaded. Each piece is a copy, so that a file
 * that is changed or cut meanwhile may give wrong names, but cannot crash this process.
 */

#define ELF_FILE_BUILD_ID_MAX 64

/* An open file. Every caller may read the fields; only elf_file.c changes them. */
struct elf_file {
	int fd;
	bool is_open;		    /* fd is open, too */
	char *path;		    /* as passed to elf_file_open */
	const unsigned char *image; /* borrowed; NULL: read from fd */
	uint64_t bytes;		    /* size of the file or image */
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
 * Open a program or library, or the image of one in memory. Returns 0 or -errno: -ENOEXEC if this
 * is not an ELF file that can be used, -ENOMEM if memory is out. The text of `why` is then set to
 * the reason without the file's name ("No such file or directory", "cut short"), which the caller
 * knows.
 */
int elf_file_open(struct elf_file *f, const char *path, struct error *why);
/* The same for a file that is open already, of that path. The descriptor is closed with the file, or at once if it cannot be used. */
int elf_file_take(struct elf_file *f, int fd, const char *path, struct error *why);
/* The same for any type of ELF file, such as an object file. */
int elf_file_open_any(struct elf_file *f, const char *path, struct error *why);
int elf_file_open_image(struct elf_file *f, const void *image, size_t bytes, struct error *why);
/* Close the file. It may be already closed, or all zero. */
void elf_file_close(struct elf_file *f);

/* The first section of that type, or of that name, that has bytes in the file; NULL if there is
 * none. elf_file_section_named leaves out compressed sections; elf_section_named finds those too. */
const Elf64_Shdr *elf_file_section_of_type(const struct elf_file *f, Elf64_Word type);
const Elf64_Shdr *elf_file_section_named(const struct elf_file *f, const char *name);

/*
 * Copy bytes [offset, offset + bytes) of the file, followed by a NUL, to *copy, which is to be
 * freed. Returns 0; -ENODATA if the file does not have these bytes, or if they are more than a
 * valid section can have; -ENOMEM; -EIO.
 */
int elf_file_load(const struct elf_file *f, uint64_t offset, uint64_t bytes, unsigned char **copy);

/* Copy the GNU build id. Returns its length, 0 if there is none, or -ENOMEM. */
int elf_file_build_id(const struct elf_file *f, unsigned char id[ELF_FILE_BUILD_ID_MAX]);

/* Compute the CRC-32 of the whole file, as .gnu_debuglink has it. Returns 0 or -errno. */
int elf_file_crc(const struct elf_file *f, uint32_t *crc);

/* ---- elf section ----------------------------------------------------------------------------- */
/*
 * Reads whole sections of an ELF file, and decompresses them if needed.
 *
 * In: an ELF file. Out: the bytes of a section.
 */

/* The first section of that name that has bytes in the file, compressed or not; NULL if there is
 * none. */
const Elf64_Shdr *elf_section_named(const struct elf_file *f, const char *name);

/* Whether the section is compressed in a way that elf_section_read does not know, such as zstd. */
bool elf_section_is_foreign(const struct elf_file *f, const Elf64_Shdr *s);

/* The number of bytes that elf_section_read writes; 0 if the section cannot be used. */
uint64_t elf_section_bytes(const struct elf_file *f, const Elf64_Shdr *s);

/* Read the section, decompressed. Returns 0; -ENODATA if the file does not have the bytes that its
 * headers promise; -EIO; -ENOMEM. */
int elf_section_read(const struct elf_file *f, const Elf64_Shdr *s, unsigned char *to);

/* ---- mini debug ------------------------------------------------------------------------------ */
/*
 * Reads the symbols that some distributions leave in stripped programs.
 *
 * In: an ELF file. Out: the ELF file in its section .gnu_debugdata, which has the symbols of
 * functions and nothing else, compressed by xz.
 */

/*
 * Unpack and open that file. *image is what it is read from, to be freed after it is closed. Returns
 * 1; 0 if the section is missing or damaged; -ENOMEM.
 */
int mini_debug_open(struct elf_file *mini, unsigned char **image, const struct elf_file *main);

#endif
