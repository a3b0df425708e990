/* SPDX-License-Identifier: MIT */
/*
 * cycle.c - splits the time of a cycle among its members, one entry at a time.
 *
 * Shape room. In: the time and the calls of a cycle's members. Out: a total for each.
 */
#include "cycle.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define UNRANKED UINT32_MAX

/* The decomposition rooted at one entry. */
struct dag {
	struct cycle_member *members;
	struct cycle_call *calls;
	uint32_t n;
	uint32_t *callee;   /* by call: what the search looks at, close together */
	uint32_t *rank;	    /* by member: calls from the entry, at least */
	uint32_t *queue;    /* the members by rank */
	uint32_t *kept;	    /* calls that lead one rank up, by their caller's place in the queue */
	uint32_t *kept_end; /* by place in the queue */
	double *into;	    /* by member: the sum of the ratios of kept calls of it */
	double *flow;	    /* by member: what flows from it to the entry */
};

static int make_dag(struct dag *d)
{
	uint32_t n_calls = d->members[d->n].first, i;

	d->callee = calloc(n_calls, sizeof(*d->callee));
	d->rank = calloc(d->n, sizeof(*d->rank));
	d->queue = calloc(d->n, sizeof(*d->queue));
	d->kept = calloc(n_calls, sizeof(*d->kept));
	d->kept_end = calloc(d->n, sizeof(*d->kept_end));
	d->into = calloc(d->n, sizeof(*d->into));
	d->flow = calloc(d->n, sizeof(*d->flow));
	if (!d->callee || !d->rank || !d->queue || !d->kept || !d->kept_end || !d->into || !d->flow)
		return -1;
	for (i = 0; i < n_calls; i++) {
		d->callee[i] = d->calls[i].callee;
		d->calls[i].total = NAN;
	}
	for (i = 0; i < d->n; i++)
		d->members[i].total = 0;
	return 0;
}

static void free_dag(struct dag *d)
{
	free(d->callee);
	free(d->rank);
	free(d->queue);
	free(d->kept);
	free(d->kept_end);
	free(d->into);
	free(d->flow);
}

/* Keep the calls of a member that lead one rank up. Returns how many members are reached now. */
static uint32_t keep_calls(struct dag *d, uint32_t caller, uint32_t n_reached, uint32_t *n_kept)
{
	uint32_t above = d->rank[caller] + 1, end = d->members[caller + 1].first, k;

	for (k = d->members[caller].first; k < end; k++) {
		uint32_t callee = d->callee[k];

		if (d->rank[callee] == UNRANKED) {
			d->rank[callee] = above;
			d->into[callee] = 0;
			d->queue[n_reached++] = callee;
		}
		if (d->rank[callee] != above)
			continue;
		d->into[callee] += d->calls[k].ratio;
		d->kept[(*n_kept)++] = k;
	}
	return n_reached;
}

/* Breadth-first. Once all are reached, those of the last rank cannot call anybody farther away, so
 * that the search ends when it comes to them. */
static void rank_members(struct dag *d, uint32_t entry)
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
}

/* What flows out of a callee is divided among the kept calls of it by their ratios; 0/0 counts as
 * 1. Returns what the call gets. */
static double take(struct dag *d, struct cycle_call *call)
{
	double part = d->flow[call->callee], into = d->into[call->callee];

	if (into > 0)
		part *= call->ratio / into;
	call->total = isnan(call->total) ? part : call->total + part;
	return part;
}

/* From the farthest members back to the entry. */
static void collect(struct dag *d, double share)
{
	uint32_t i, k;

	for (i = d->n; i-- > 0;) {
		struct cycle_member *m = &d->members[d->queue[i]];
		double flow = share * m->own;

		for (k = i ? d->kept_end[i - 1] : 0; k < d->kept_end[i]; k++)
			flow += take(d, &d->calls[d->kept[k]]);
		d->flow[d->queue[i]] = flow;
		m->total += flow;
	}
}

int cycle_split(struct cycle_member *members, uint32_t n, struct cycle_call *calls,
		struct error *err)
{
	struct dag d = {.members = members, .calls = calls, .n = n};
	int status = make_dag(&d);
	uint32_t i;

	for (i = 0; !status && i < n; i++) {
		if (members[i].entered < 0)
			continue;
		rank_members(&d, i);
		collect(&d, members[i].entered);
	}
	free_dag(&d);
	return status ? error_memory(err) : 0;
}
