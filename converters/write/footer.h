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

/* Rows that options have left out; each row counts for one of them. */
struct footer {
	const char *what;   /* a row: "function" */
	const char *plural; /* NULL: that with an s */
	uint64_t small;	    /* below the threshold */
	uint64_t deep;	    /* beyond --depth */
	uint64_t beyond;    /* not among the --top heaviest */
};

/* A rule, and a line for each reason. `threshold`: in percent, the one that was applied. */
void footer_write(struct out *o, const struct footer *f, const struct view_options *options,
		  double threshold);

#endif
