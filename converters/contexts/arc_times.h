/* SPDX-License-Identifier: MIT */
/*
 * arc_times.h - the time that each arc of the call graph accounts for (Spivey 2004).
 *
 * In: struct tree. Out: struct arc_times.
 */
#ifndef ARC_TIMES_H
#define ARC_TIMES_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "tree/tree.h"

/*
 * A stack is charged to one arc into each of its functions, and to one arc out of it: those of the
 * function's most recent activation (section "Presenting the results"). It is self time for the arc
 * if the callee has the name of the running function, else child time.
 *
 * The times of the arc out of the caller and those of the arc into the callee differ where there is
 * recursion. self1 and child1, which leave out what the callee leads to once the caller is called
 * again, add up to the caller's child time; self2 and child2 add up to the callee's total, but for
 * the stacks where it stands outermost and nowhere else.
 */
struct arc_time {
	uint32_t caller, callee; /* names in tree->strings, never the same */
	uint64_t self1, child1;	 /* of the arc out of the caller; in the tree's unit */
	uint64_t self2, child2;	 /* of the arc into the callee */
};

struct arc_times {
	struct arc_time *arcs; /* by caller, then callee, bytewise */
	size_t n;
};

/* Time is linear in the tree. As each arc is charged for a stack at most once in either way, no sum
 * is larger than the tree's total. NULL on error (memory). */
struct arc_times *arc_times_build(const struct tree *t, struct error *err);
void arc_times_free(struct arc_times *a);

#endif
