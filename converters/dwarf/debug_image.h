/* SPDX-License-Identifier: MIT */
/*
 * debug_image.h - a file's debug information, handed to libdw.
 *
 * libdw gets an ELF file in memory that is ours: of the real one it has the debug sections alone,
 * each read with checks, decompressed, and followed by zeros. So it opens no files, whatever the
 * information asks for (split DWARF is not followed), and a string or number that lacks its end
 * has one.
 */
#ifndef DEBUG_IMAGE_H
#define DEBUG_IMAGE_H

#include <elfutils/libdw.h>

#include "elf/elf_file.h"

struct debug_section {
	const unsigned char *bytes; /* NULL: there is none */
	uint64_t n;
};

/* Begins as all zero. */
struct debug_image {
	Dwarf *dwarf;
	Elf *elf;
	unsigned char *bytes;
	uint64_t n_bytes;
	struct debug_section abbreviations, lines;
};

/*
 * 1; 0 if the file has no debug information that can be used, or such that libdw would have to do
 * without end (debug_cost.h); -1 out of memory. Lines: take the
 * line tables, too. The file may be closed afterwards.
 */
int debug_image_open(struct debug_image *d, const struct elf_file *f, bool lines);
/* Frees what d holds; does nothing if that is nothing. */
void debug_image_close(struct debug_image *d);

#endif
