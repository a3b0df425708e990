/* SPDX-License-Identifier: MIT */
/*
 * call_report.h - functions and the arcs between them, in the order of gprof's report.
 *
 * Shape room. In: struct tree. Out: struct call_report.
 */
#ifndef CALL_REPORT_H
#define CALL_REPORT_H

#include "contexts/arc_times.h"
#include "base/error.h"
#include "tree/tree.h"

/* Arcs of one function: places in times->arcs. */
struct call_arcs {
	const uint32_t *list;
	size_t n;
};

struct call_report {
	const struct tree *tree;
	struct tree_function *functions; /* by total descending, then name bytewise */
	size_t n;
	uint32_t *number; /* by name: its place in functions */
	struct arc_times *times;
	uint32_t *into, *out; /* all arcs by callee, and by caller */
	size_t *first_into, *first_out;
};

/* Returns 0 or -1 (memory); call_report_close in any case. */
int call_report_open(struct call_report *r, const struct tree *t, struct error *err);
void call_report_close(struct call_report *r);

/* The arcs from a function's callers, the one that accounts for most last: by self2 + child2. */
struct call_arcs call_report_callers(const struct call_report *r, size_t function);
/* The arcs to its callees, the one that accounts for most first: by self1 + child1. */
struct call_arcs call_report_callees(const struct call_report *r, size_t function);

#endif
