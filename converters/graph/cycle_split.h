/* SPDX-License-Identifier: MIT */
/*
 * cycle_split.h - splits the time of a cycle among its members (Fonseca).
 *
 * In: the time and the calls of a cycle's members. Out: a total for each.
 */
#ifndef CYCLE_SPLIT_H
#define CYCLE_SPLIT_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* Splitting takes as many steps as entries times members and calls; more are an error. It is some
 * minute's work. */
#define CYCLE_STEPS_MAX UINT64_C(20000000000)

struct cycle_member {
	double own;	/* its self and what it calls outside the cycle */
	double entered; /* the share of the cycle's time that callers outside have in it; negative if
			   nobody outside calls it */
	double total;	/* filled in */
	uint32_t first; /* its calls begin there; they end where the next member's begin */
};

/* Of one member by another. */
struct cycle_call {
	uint32_t callee; /* a member */
	uint32_t number; /* for the caller of cycle_split */
	double ratio;	 /* its share of all calls of the callee */
	double total;	 /* filled in; NAN if it is in no decomposition */
};

/*
 * "Decompose the cycle into a DAG having as root each function that is called externally." In the
 * one rooted at a member that is entered, only those calls are kept that lead one step away from
 * it, counted breadth-first; the share of the cycle's time that enters there flows along them. The
 * totals are the sums over all such decompositions.
 *
 * There are n members, each of which reaches all others, and one more after them, for its `first`.
 * Takes time in proportion to entries times calls. 0 or -1 (memory, more steps than these).
 */
int cycle_split(struct cycle_member *members, uint32_t n, struct cycle_call *calls,
		struct error *err);

#endif
