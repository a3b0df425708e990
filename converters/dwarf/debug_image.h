/* SPDX-License-Identifier: MIT */
/*
 * debug_image.h - hands the debug information of an ELF file to libdw.
 *
 * In: an ELF file. Out: a Dwarf handle.
 *
 * libdw does not get the file itself but an ELF image in memory, which holds only copies of the
 * file's debug sections. Each copy is read with checks, decompressed, and followed by zeros. For
 * this reason libdw opens no files, whatever the debug information refers to (split DWARF is not
 * followed), and reading stops at the zeros where a string or a number has no end of its own.
 */
#ifndef DEBUG_IMAGE_H
#define DEBUG_IMAGE_H

#include <elfutils/libdw.h>

#include "elf/elf_file.h"

struct debug_section {
	const unsigned char *bytes; /* NULL: the file has no such section */
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
 * Copy the debug sections of the file, with the line tables only if `lines` is set, and open them.
 * Returns 1; 0 if the file has no debug information that can be used, or if reading it would cost
 * too much (debug_cost.h); -1 if memory is out. The file may be closed afterwards.
 */
int debug_image_open(struct debug_image *d, const struct elf_file *f, bool lines);
/* Free what d holds. d may be all zero, and is all zero afterwards. */
void debug_image_close(struct debug_image *d);

#endif
