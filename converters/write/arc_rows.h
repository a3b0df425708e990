/* SPDX-License-Identifier: MIT */
/*
 * arc_rows.h - functions and arcs with their times, as rows for programs (Spivey 2004).
 *
 * In: struct gprof_report. Out: rows.
 */
#ifndef ARC_ROWS_H
#define ARC_ROWS_H

#include "contexts/gprof_report.h"
#include "write/rows.h"

/* Which functions are shown: places in report->functions. */
struct arc_choice {
	size_t first, end;
	size_t n_small, n_beyond; /* left out by --threshold, by --top */
	double threshold;	  /* percent, of arcs too */
};

/* All down to the threshold and to --top; or, if `root` is a name, that one alone with all of its
 * arcs, unless there is a --threshold. -1: memory, or there is no such function. */
int arc_rows_choose(struct arc_choice *c, const struct gprof_report *report,
		    const struct view_options *options, const char *root, double text_threshold,
		    struct error *err);

/*
 * "func", name, self, child, total of each function, by total descending, then name; then "arc",
 * caller, callee, self1, child1, self2, child2 (arc_times.h) of each arc, by caller, then callee.
 * Left out are functions that are not chosen, arcs between others than those, and arcs both of
 * whose times are below the threshold.
 */
void arc_rows_write(struct rows *r, const struct gprof_report *report, const struct arc_choice *c);

#endif
