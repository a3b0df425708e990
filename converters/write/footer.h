/* SPDX-License-Identifier: MIT */
/*
 * footer.h - the lines below a table: what it does not show, and why.
 *
 * In: how many rows were left out. Out: text.
 */
#ifndef FOOTER_H
#define FOOTER_H

#include <stdint.h>

#include "write/out.h"
#include "write/view_input.h"

/* How many rows options have left out. A row that several options leave out counts for the first. */
struct footer {
	const char *what;   /* what a row is: "function" */
	const char *plural; /* NULL: `what` with an s */
	uint64_t small;	    /* below the threshold */
	uint64_t deep;	    /* beyond --depth */
	uint64_t beyond;    /* not among the --top heaviest */
};

/* Write a rule, and a line for each reason. `threshold` is the one that was applied, in percent. */
void footer_write(struct out *o, const struct footer *f, const struct view_options *options,
		  double threshold);

#endif
