/* SPDX-License-Identifier: MIT */
/*
 * cycle_split.h - splits the time of a cycle among its members (Fonseca).
 *
 * In: the time and the calls of a cycle's members. Out: a total for each member and call.
 */
#ifndef CYCLE_SPLIT_H
#define CYCLE_SPLIT_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* Splitting takes entries times (members + calls) steps. More steps than this, which take about a
 * minute, are an error. */
#define CYCLE_STEPS_MAX UINT64_C(20000000000)

struct cycle_member {
	double own;	/* its self, and the time of its calls to functions outside the cycle */
	double entered; /* the share of the cycle's time that enters it from callers outside; less
			   than 0 if no function outside calls it */
	double total;	/* filled in by cycle_split */
	uint32_t first; /* its calls begin there and end where those of the next member begin */
};

/* The calls of one member by another. */
struct cycle_call {
	uint32_t callee; /* the index of a member */
	uint32_t number; /* not read here: it is for the caller of cycle_split */
	double ratio;	 /* the share of these calls in all calls of the callee */
	double total;	 /* filled in by cycle_split; NAN if it is in no decomposition */
};

/*
 * "Decompose the cycle into a DAG having as root each function that is called externally." The DAG
 * whose root is an entered member keeps only the calls that lead one step further away from the
 * root, counted breadth-first. The share of the cycle's time that enters at the root flows along
 * these calls. A total is the sum over all DAGs.
 *
 * There are n members, each of which reaches all others. One more element follows them, because its
 * `first` ends the calls of the last member. Time is linear in entries times calls. Returns 0, or
 * -1 on error (memory, more than CYCLE_STEPS_MAX steps).
 */
int cycle_split(struct cycle_member *members, uint32_t n, struct cycle_call *calls,
		struct error *err);

#endif
