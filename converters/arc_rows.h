/* SPDX-License-Identifier: MIT */
/*
 * arc_rows.h - functions and arcs with their times, as rows for programs (Spivey 2004).
 *
 * Show room. In: struct tree. Out: rows.
 */
#ifndef ARC_ROWS_H
#define ARC_ROWS_H

#include "error.h"
#include "rows.h"

/*
 * "func", name, self, child, total of each function, by total descending, then name; then "arc",
 * caller, callee, self1, child1, self2, child2 (arc_times.h) of each arc, by caller, then callee.
 * Functions, and arcs both of whose times are, below --threshold are left out. Returns 0 or -1.
 */
int arc_rows_write(struct rows *r, const struct view_input *in, struct error *err);

/* Compares two struct tree_function by total descending, then name bytewise, as qsort_r does;
 * `strings` is the tree's. */
int arc_rows_compare(const void *a, const void *b, void *strings);

#endif
