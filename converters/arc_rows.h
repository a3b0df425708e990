/* SPDX-License-Identifier: MIT */
/*
 * arc_rows.h - functions and arcs with their times, as rows for programs (Spivey 2004).
 *
 * Show room. In: struct call_report. Out: rows.
 */
#ifndef ARC_ROWS_H
#define ARC_ROWS_H

#include "call_report.h"
#include "rows.h"

/*
 * "func", name, self, child, total of each function, by total descending, then name; then "arc",
 * caller, callee, self1, child1, self2, child2 (arc_times.h) of each arc, by caller, then callee.
 * Left out are functions, and arcs both of whose times are, below --threshold; functions that are
 * not among the first --top, and arcs between others than those.
 */
void arc_rows_write(struct rows *r, const struct view_input *in, const struct call_report *report);

/* How many of the report's functions, the first ones, are not below the threshold. */
size_t arc_rows_heavy(const struct call_report *report, double threshold);

#endif
