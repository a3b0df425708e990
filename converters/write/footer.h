/* SPDX-License-Identifier: MIT */
/*
 * footer.h - the lines below a table, which say how many rows were left out and why.
 *
 * In: the numbers of rows that were left out. Out: text.
 */
#ifndef FOOTER_H
#define FOOTER_H

#include <stdint.h>

#include "write/out.h"
#include "write/view_input.h"

/* The numbers of rows that options leave out. If several options leave out a row, it counts for the
 * first of them. */
struct footer {
	const char *what;   /* what a row is: "function" */
	const char *plural; /* NULL: `what` with an s */
	uint64_t small;	    /* below the threshold */
	uint64_t nil;	    /* 0.00 % in all columns */
	uint64_t deep;	    /* beyond --depth */
	uint64_t beyond;    /* not among the --top heaviest */
};

/* Write a rule, and a line for each reason. `threshold` is the one that was applied, in percent. */
void footer_write(struct out *o, const struct footer *f, const struct view_options *options,
		  double threshold);

#endif
