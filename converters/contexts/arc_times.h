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
 * For each of its functions, a stack is charged to one arc into the function and to one arc out of
 * it: the arcs of the function's most recent activation (section "Presenting the results"). The
 * charge is self time if the callee of the arc is the running function, else child time.
 *
 * With recursion, the times of an arc as the arc out of the caller (self1, child1) differ from
 * those as the arc into the callee (self2, child2). self1 and child1 leave out the time after the
 * callee has led to another call of the caller. Over all callees they add up to the caller's child
 * time. Over all callers self2 and child2 add up to the callee's total, without the stacks in which
 * the callee occurs only as the outermost function.
 */
struct arc_time {
	uint32_t caller, callee; /* names in tree->strings, never the same */
	uint64_t self1, child1;	 /* as the arc out of the caller; in the tree's unit */
	uint64_t self2, child2;	 /* as the arc into the callee */
};

struct arc_times {
	struct arc_time *arcs; /* sorted by caller, then by callee, bytewise */
	size_t n;
};

/* Find the times of all arcs. Time is linear in the tree. No sum is larger than the tree's total,
 * because a stack is charged to an arc at most once in either way. NULL if memory is out. */
struct arc_times *arc_times_build(const struct tree *t, struct error *err);
void arc_times_free(struct arc_times *a);

#endif
