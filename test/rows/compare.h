/* SPDX-License-Identifier: MIT */
/*
 * compare.h - compares the unwind information of one address as the recorder and as libdw see it.
 */
#ifndef ROWS_COMPARE_H
#define ROWS_COMPARE_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stdint.h>

#include "unwind/cfi.h"

/* What a file has been found to have; the numbers of one file, or of all. */
struct rows_count {
	uint64_t addresses;		  /* compared */
	uint64_t rows;			  /* ranges of addresses with one row */
	uint64_t code_bytes;		  /* the length of these ranges */
	uint64_t kinds[CPS_ROW_SLOW + 1]; /* of the rows */
	uint64_t refused;		  /* addresses whose description libdw cannot read */
	uint64_t differences;
};

/* Whose code is running; the parent asks when a child has died. */
enum rows_stage { ROWS_OPENING, ROWS_LIBDW, ROWS_RECORDER };

/* A file that is being compared. */
struct rows_file {
	const char *path;
	struct cps_module module;
	Dwarf_CFI *cfi;
	struct rows_count *count;
	volatile enum rows_stage *stage;
};

/* To be called once. */
void compare_prepare(void);

/*
 * Compare what the recorder and libdw say of an address of the file (before relocation). The row must
 * hold for all addresses from `first` on. *end becomes the end of the range for which libdw says the
 * same, or the address itself if libdw says nothing of it. A difference is printed and counted.
 * Returns the recorder's kind of row.
 */
enum cps_row_kind compare_address(struct rows_file *f, uint64_t first, uint64_t address,
				  uint64_t *end);

#endif
