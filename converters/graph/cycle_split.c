/* SPDX-License-Identifier: MIT */
/*
 * cycle_split.c - splits the time of a cycle among its members, one entry at a time.
 *
 * In: the time and the calls of a cycle's members. Out: a total for each member and call.
 */
#include "graph/cycle_split.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define UNRANKED UINT32_MAX

/*
 * The decomposition into a DAG whose root is one entry. The code is written for speed, because it
 * goes over all calls once for each entry: the numbers that it reads are close together in arrays,
 * and it does not branch on conditions that a processor cannot predict.
 */
struct dag {
	struct cycle_member *members;
	uint32_t n;
	uint32_t *first, *callee; /* by member: its first call; by call: its callee */
	double *own, *ratio;	  /* by member; by call: see cycle_split.h */
	double *total;		  /* by call: the sum over the decompositions so far */
	bool *is_kept;		  /* by call: it was kept in some decomposition so far */
	uint32_t *rank;		  /* by member: the fewest calls from the entry to it */
	uint32_t *queue;	  /* the members by rank */
	uint32_t *kept; /* the calls that lead one rank up, by their caller's index in the queue */
	uint32_t *kept_end; /* by index in the queue: one past its caller's last call in `kept` */
	double *into;	    /* by member: the sum of the ratios of the kept calls to it */
	double *flow; /* by member: the time that flows from it, divided by `into` unless that is 0 */
};

static int make_dag(struct dag *d, const struct cycle_call *calls)
{
	uint32_t n_calls = d->members[d->n].first, i;

	d->first = calloc(d->n + (size_t)1, sizeof(*d->first));
	d->callee = calloc(n_calls, sizeof(*d->callee));
	d->own = calloc(d->n, sizeof(*d->own));
	d->ratio = calloc(n_calls, sizeof(*d->ratio));
	d->total = calloc(n_calls, sizeof(*d->total));
	d->is_kept = calloc(n_calls, sizeof(*d->is_kept));
	d->rank = calloc(d->n, sizeof(*d->rank));
	d->queue = calloc(d->n + (size_t)1, sizeof(*d->queue));
	d->kept = calloc(n_calls + (size_t)1, sizeof(*d->kept));
	d->kept_end = calloc(d->n, sizeof(*d->kept_end));
	d->into = calloc(d->n, sizeof(*d->into));
	d->flow = calloc(d->n, sizeof(*d->flow));
	if (!d->first || !d->callee || !d->own || !d->ratio || !d->total || !d->is_kept ||
	    !d->rank || !d->queue || !d->kept || !d->kept_end || !d->into || !d->flow)
		return -1;
	for (i = 0; i < n_calls; i++) {
		d->callee[i] = calls[i].callee;
		d->ratio[i] = calls[i].ratio;
	}
	for (i = 0; i <= d->n; i++)
		d->first[i] = d->members[i].first;
	for (i = 0; i < d->n; i++) {
		d->own[i] = d->members[i].own;
		d->members[i].total = 0;
	}
	return 0;
}

static void free_dag(struct dag *d)
{
	free(d->first);
	free(d->callee);
	free(d->own);
	free(d->ratio);
	free(d->total);
	free(d->is_kept);
	free(d->rank);
	free(d->queue);
	free(d->kept);
	free(d->kept_end);
	free(d->into);
	free(d->flow);
}

/* Keep the calls of a member that lead one rank up: the callee either has that rank already, or has
 * no rank yet and now gets it. To avoid branches, the loop always writes to the end of the queue
 * and of `kept`, and then counts the element or not; so both have room for one more element.
 * Returns how many members are reached now. */
static uint32_t keep_calls(struct dag *d, uint32_t caller, uint32_t n_reached, uint32_t *n_kept)
{
	uint32_t above = d->rank[caller] + 1, end = d->first[caller + 1], n = *n_kept, k;

	for (k = d->first[caller]; k < end; k++) {
		uint32_t callee = d->callee[k], rank = d->rank[callee];

		d->queue[n_reached] = callee;
		n_reached += rank > above;
		d->kept[n] = k;
		n += rank >= above;
		d->rank[callee] = rank < above ? rank : above;
	}
	*n_kept = n;
	return n_reached;
}

/* Rank the members breadth-first. Once all members are reached, members of the last rank cannot
 * call any that are farther away, so their calls are not looked at. Returns how many calls are
 * kept. */
static uint32_t rank_members(struct dag *d, uint32_t entry)
{
	uint32_t n_reached = 1, n_kept = 0, i;

	memset(d->rank, 0xff, d->n * sizeof(*d->rank));
	d->rank[entry] = 0;
	d->queue[0] = entry;
	for (i = 0; i < n_reached; i++) {
		if (n_reached < d->n || d->rank[d->queue[i]] < d->rank[d->queue[d->n - 1]])
			n_reached = keep_calls(d, d->queue[i], n_reached, &n_kept);
		d->kept_end[i] = n_kept;
	}
	return n_kept;
}

/* Let time flow from the farthest members back to the entry. The time that flows out of a callee is
 * divided among the kept calls to it by their ratios; 0/0 counts as 1. */
static void collect(struct dag *d, double share)
{
	uint32_t i, k;

	for (i = d->n; i-- > 0;) {
		uint32_t member = d->queue[i];
		double flow = share * d->own[member];

		for (k = i ? d->kept_end[i - 1] : 0; k < d->kept_end[i]; k++) {
			uint32_t call = d->kept[k], callee = d->callee[call];
			double part = d->flow[callee];

			if (d->into[callee] > 0)
				part *= d->ratio[call];
			d->total[call] += part;
			d->is_kept[call] = true;
			flow += part;
		}
		d->members[member].total += flow;
		d->flow[member] = d->into[member] > 0 ? flow / d->into[member] : flow;
	}
}

static void split_at(struct dag *d, uint32_t entry)
{
	uint32_t n_kept = rank_members(d, entry), i;

	memset(d->into, 0, d->n * sizeof(*d->into));
	for (i = 0; i < n_kept; i++)
		d->into[d->callee[d->kept[i]]] += d->ratio[d->kept[i]];
	collect(d, d->members[entry].entered);
}

/* Check the limit on steps. Each entry takes as many steps as there are members and calls. */
static int check_cost(const struct cycle_member *members, uint32_t n, struct error *err)
{
	uint32_t n_entries = 0, i;

	for (i = 0; i < n; i++)
		n_entries += members[i].entered >= 0;
	if ((uint64_t)n_entries * ((uint64_t)n + members[n].first) <= CYCLE_STEPS_MAX)
		return 0;
	return error_set(err,
			 "a cycle of %" PRIu32 " functions is entered at %" PRIu32
			 " of them: too large to be split (--totals=exact does without, --focus "
			 "and --hide make it smaller)",
			 n, n_entries);
}

int cycle_split(struct cycle_member *members, uint32_t n, struct cycle_call *calls,
		struct error *err)
{
	struct dag d = {.members = members, .n = n};
	int status;
	uint32_t i;

	if (check_cost(members, n, err))
		return -1;
	status = make_dag(&d, calls);
	for (i = 0; !status && i < n; i++)
		if (members[i].entered >= 0)
			split_at(&d, i);
	for (i = 0; !status && i < members[n].first; i++)
		calls[i].total = d.is_kept[i] ? d.total[i] : NAN;
	free_dag(&d);
	return status ? error_memory(err) : 0;
}
