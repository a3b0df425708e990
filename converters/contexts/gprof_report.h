/* SPDX-License-Identifier: MIT */
/*
 * gprof_report.h - functions and the arcs between them, in the order of gprof's report.
 *
 * In: struct tree. Out: struct gprof_report.
 */
#ifndef GPROF_REPORT_H
#define GPROF_REPORT_H

#include "base/error.h"
#include "contexts/arc_times.h"
#include "tree/tree.h"

/* Arcs of one function, as indices in times->arcs. */
struct gprof_report_arcs {
	const uint32_t *list;
	size_t n;
};

struct gprof_report {
	const struct tree *tree;
	struct tree_function *functions; /* sorted by total descending, then by name bytewise */
	size_t n;
	uint32_t *number; /* by name: its index in functions */
	struct arc_times *times;
	uint32_t *into, *out; /* all arcs, sorted by callee, and by caller */
	size_t *first_into, *first_out;
};

/* Returns 0, or -1 if memory is out. Call gprof_report_close in any case. */
int gprof_report_open(struct gprof_report *r, const struct tree *t, struct error *err);
void gprof_report_close(struct gprof_report *r);

/* The arcs from a function's callers, by self2 + child2 ascending. */
struct gprof_report_arcs gprof_report_callers(const struct gprof_report *r, size_t function);
/* The arcs to a function's callees, by self1 + child1 descending. */
struct gprof_report_arcs gprof_report_callees(const struct gprof_report *r, size_t function);

#endif
