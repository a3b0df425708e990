/* SPDX-License-Identifier: MIT */
/*
 * arc_rows.h - functions and arcs with their times, as rows for programs (Spivey 2004).
 *
 * In: struct gprof_report. Out: rows.
 */
#ifndef ARC_ROWS_H
#define ARC_ROWS_H

#include "contexts/gprof_report.h"
#include "graph/function_names.h"
#include "write/rows.h"

/* Which functions are shown: the first `end` of report->functions, or of those only the roots. */
struct arc_choice {
	size_t end;
	bool has_roots;
	struct function_names roots;
	size_t n_small, n_beyond; /* left out by --threshold, by --top */
	double threshold;	  /* percent, of arcs too */
};

/* All down to the threshold and to --top; or, if `root` is given, only the functions that it means,
 * with all of their arcs, unless there is a --threshold. -1: memory, or there is no such function;
 * call arc_rows_choice_free only after 0. */
int arc_rows_choose(struct arc_choice *c, const struct gprof_report *report,
		    const struct view_options *options, const char *root, double text_threshold,
		    struct error *err);
void arc_rows_choice_free(struct arc_choice *c);

bool arc_rows_is_chosen(const struct arc_choice *c, const struct gprof_report *report,
			size_t function);

/*
 * "func", name, self, child, total of each function, by total descending, then name; then "arc",
 * caller, callee, self1, child1, self2, child2 (arc_times.h) of each arc, by caller, then callee.
 * Left out are functions that are not chosen, arcs between others than those, and arcs both of
 * whose times are below the threshold.
 */
void arc_rows_write(struct rows *r, const struct gprof_report *report, const struct arc_choice *c);

#endif
