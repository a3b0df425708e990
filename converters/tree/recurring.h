/* SPDX-License-Identifier: MIT */
/*
 * recurring.h - sequences of calls that recur: the same chain of calls, made by several functions.
 *
 * In: struct tree. Out: chains of names, with their weights and the number of their callers.
 *
 * Naganov's third case of a bottleneck is a "repeatedly appearing sequence of function calls". What
 * that is, exactly:
 *
 * - A *sequence* is two or more different functions f1 f2 ... fk. It *occurs* in a stack where f2
 *   stands directly below f1, f3 directly below f2 and so on, anywhere in the stack.
 * - Its *weight* is that of the samples whose stack has it, each counted once. It is never more
 *   than the total of any of its functions, nor than the weight of any sequence that is a part of
 *   it.
 * - Its *callers* are the functions that stand directly above f1 where it occurs, without those
 *   that are in the sequence themselves: those are recursion. An occurrence in which f1 is
 *   outermost has no caller.
 * - It *recurs* if it has two callers or more, and none of them accounts for nine tenths of it: for
 *   each caller c, the sequence c f1 ... fk has less than 9/10 of its weight, and so have the
 *   samples in which f1 is outermost. Otherwise the caller is a part of what happens.
 * - A longer sequence that recurs, is not itself explained, and has at least 9/10 of the weight
 *   *explains* all sequences that are parts of it.
 *
 * Sequences are listed that recur and are not explained. Only one that goes on behind fk can
 * explain a sequence that recurs: one that begins with c has less than 9/10 of its weight.
 *
 * Without recursion the weight is that of the path f1 ... fk in the call path profile of root f1
 * (callpath.h). If functions of it recur between f1 and fk, that profile may count more stacks,
 * since it folds the recursion away; here the calls are direct ones.
 *
 * All sequences that have two callers are the inner nodes of one suffix tree of all stacks, of
 * which there are fewer than nodes of the sample tree. So time and memory are linear in the tree
 * but for a logarithm (bottomup.h), however deep the stacks and however many sequences they
 * have.
 */
#ifndef RECURRING_H
#define RECURRING_H

#include <stddef.h>
#include <stdint.h>

#include "base/stop.h"
#include "tree/tree.h"

struct recurring_sequence {
	uint32_t node; /* a node of the tree at which it ends: its names go on from there upwards */
	uint32_t length; /* number of names */
	uint32_t callers;
	uint64_t weight; /* in the tree's unit */
	uint64_t hits;	 /* the same, in raw samples */
};

struct recurring {
	const struct tree *tree;
	/* By weight descending, then by length ascending, then by names bytewise. */
	struct recurring_sequence *list;
	size_t n;
};

/* Find the sequences of at most `longest` functions (0: of any number); longer ones explain none.
 * NULL if memory is out. */
struct recurring *recurring_find(const struct tree *t, uint64_t longest, struct error *err);
void recurring_free(struct recurring *r);

/* Write the names of a sequence, the first function first, to names[0 .. length - 1]. */
void recurring_names(const struct recurring *r, const struct recurring_sequence *s,
		     uint32_t *names);

#endif
