/* SPDX-License-Identifier: MIT */
/* test_propagate_definition.c - what is propagated in random graphs is what the definition gives, taken
 * literally: by recursion, without an order of components, and each cycle once for each entry. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "graph/propagate.h"

enum { FUNCTIONS = 7, ROUNDS = 3000 };

struct given {
	struct propagate_input in;
	double self[FUNCTIONS], outermost[FUNCTIONS];
	struct propagate_call calls[FUNCTIONS * FUNCTIONS];
	bool reaches[FUNCTIONS][FUNCTIONS];
};

/* Some calls have no weight, and some functions no time; shares add up to more or less than all. */
static void make(struct given *g)
{
	uint32_t n = 1 + (uint32_t)rand() % FUNCTIONS, density = 1 + (uint32_t)rand() % 6, i, k, l;
	size_t c;

	*g = (struct given){.in = {.n_functions = n, .self = g->self, .calls = g->calls}};
	if (rand() % 4)
		g->in.outermost = g->outermost;
	for (i = 0; i < n; i++) {
		g->self[i] = rand() % 5;
		g->outermost[i] = rand() % 3 ? -1 : rand() % 3;
		for (k = 0; k < n; k++)
			if ((uint32_t)rand() % 8 < density)
				g->calls[g->in.n_calls++] =
					(struct propagate_call){i, k, rand() % 4};
	}
	for (c = 0; c < g->in.n_calls; c++)
		g->reaches[g->calls[c].caller][g->calls[c].callee] = true;
	for (l = 0; l < n; l++)
		for (i = 0; i < n; i++)
			for (k = 0; k < n; k++)
				g->reaches[i][k] |= g->reaches[i][l] && g->reaches[l][k];
}

/* Are they the same function, or in one cycle? */
static bool are_together(const struct given *g, uint32_t f, uint32_t h)
{
	return f == h || (g->reaches[f][h] && g->reaches[h][f]);
}

static double outermost_of(const struct given *g, uint32_t f)
{
	return g->in.outermost ? g->outermost[f] : -1;
}

/* ---- what of a function's time each call of it gets ---- */

static double share(double part, double whole)
{
	return whole > 0 ? fmin(part / whole, 1) : 1;
}

/* Calls of a function by others. */
static double into_function(const struct given *g, uint32_t f)
{
	double into = fmax(outermost_of(g, f), 0);
	size_t c;

	for (c = 0; c < g->in.n_calls; c++)
		if (g->calls[c].callee == f && g->calls[c].caller != f)
			into += g->calls[c].weight;
	return into;
}

/* Calls of it, or of its cycle, from outside. */
static double into_cycle(const struct given *g, uint32_t f)
{
	double into = 0;
	uint32_t i;
	size_t c;

	for (i = 0; i < g->in.n_functions; i++)
		if (are_together(g, f, i))
			into += fmax(outermost_of(g, i), 0);
	for (c = 0; c < g->in.n_calls; c++)
		if (are_together(g, g->calls[c].callee, f) &&
		    !are_together(g, g->calls[c].caller, f))
			into += g->calls[c].weight;
	return into;
}

/* NAN for self calls. */
static double ratio_of(const struct given *g, const struct propagate_call *call)
{
	if (call->caller == call->callee)
		return NAN;
	if (are_together(g, call->caller, call->callee))
		return share(call->weight, into_function(g, call->callee));
	return share(call->weight, into_cycle(g, call->callee));
}

/* ---- time ---- */

static double time_of_cycle(const struct given *g, uint32_t f);

/* A function's self and its shares of what it calls outside of its cycle. */
static double own_time(const struct given *g, uint32_t f)
{
	double time = g->self[f];
	size_t c;

	for (c = 0; c < g->in.n_calls; c++)
		if (g->calls[c].caller == f && !are_together(g, f, g->calls[c].callee))
			time += ratio_of(g, &g->calls[c]) * time_of_cycle(g, g->calls[c].callee);
	return time;
}

static double time_of_cycle(const struct given *g, uint32_t f)
{
	double time = 0;
	uint32_t i;

	for (i = 0; i < g->in.n_functions; i++)
		if (are_together(g, f, i))
			time += own_time(g, i);
	return time;
}

/* ---- cycles: one decomposition for each entry ---- */

/* How far a member is from the entry, in calls within the cycle. */
static void rank(const struct given *g, uint32_t entry, uint32_t *ranks)
{
	uint32_t i, round;
	size_t c;

	for (i = 0; i < FUNCTIONS; i++)
		ranks[i] = i == entry ? 0 : FUNCTIONS;
	for (round = 0; round < FUNCTIONS; round++)
		for (c = 0; c < g->in.n_calls; c++) {
			const struct propagate_call *call = &g->calls[c];

			if (are_together(g, entry, call->caller) &&
			    are_together(g, entry, call->callee) &&
			    ranks[call->callee] > ranks[call->caller] + 1)
				ranks[call->callee] = ranks[call->caller] + 1;
		}
}

static bool is_kept(const struct given *g, const uint32_t *ranks, const struct propagate_call *call)
{
	return are_together(g, call->caller, call->callee) && ranks[call->caller] < FUNCTIONS &&
	       ranks[call->callee] == ranks[call->caller] + 1;
}

static double flow_of_call(const struct given *g, const uint32_t *ranks,
			   const struct propagate_call *call);

/* What flows from a member towards the entry, if the member's own time counts in full. */
static double flow_of(const struct given *g, const uint32_t *ranks, uint32_t f)
{
	double flow = own_time(g, f);
	size_t c;

	for (c = 0; c < g->in.n_calls; c++)
		if (g->calls[c].caller == f && is_kept(g, ranks, &g->calls[c]))
			flow += flow_of_call(g, ranks, &g->calls[c]);
	return flow;
}

/* A call's part of what flows out of its callee, by the ratios of the calls that are kept. */
static double flow_of_call(const struct given *g, const uint32_t *ranks,
			   const struct propagate_call *call)
{
	double ratios = 0;
	size_t c;

	for (c = 0; c < g->in.n_calls; c++)
		if (g->calls[c].callee == call->callee && is_kept(g, ranks, &g->calls[c]))
			ratios += ratio_of(g, &g->calls[c]);
	return flow_of(g, ranks, call->callee) * (ratios > 0 ? ratio_of(g, call) / ratios : 1);
}

/* The share of the cycle's time that comes in here; negative: it is no entry. */
static double entered(const struct given *g, uint32_t f)
{
	double sum = -1;
	size_t c;

	if (outermost_of(g, f) >= 0)
		sum = share(g->outermost[f], into_cycle(g, f));
	for (c = 0; c < g->in.n_calls; c++)
		if (g->calls[c].callee == f && !are_together(g, g->calls[c].caller, f))
			sum = fmax(sum, 0) + ratio_of(g, &g->calls[c]);
	return sum;
}

/* Add up what each decomposition has of a function, or of a call of one; NAN: none has it. */
static double total_of(const struct given *g, uint32_t f, const struct propagate_call *call)
{
	double total = call ? NAN : 0;
	uint32_t entry, ranks[FUNCTIONS];

	for (entry = 0; entry < g->in.n_functions; entry++) {
		if (!are_together(g, entry, f) || entered(g, entry) < 0)
			continue;
		rank(g, entry, ranks);
		if (!call)
			total += entered(g, entry) * flow_of(g, ranks, f);
		else if (is_kept(g, ranks, call))
			total = (isnan(total) ? 0 : total) +
				entered(g, entry) * flow_of_call(g, ranks, call);
	}
	return total;
}

/* ---- the comparison ---- */

static bool near(double a, double b)
{
	return isnan(a) ? isnan(b) : fabs(a - b) <= 1e-9 * fmax(1, fabs(a));
}

/* The lowest number of its cycle. */
static uint32_t cycle_of(const struct given *g, uint32_t f)
{
	uint32_t i, lowest = PROPAGATE_NO_CYCLE;

	for (i = g->in.n_functions; i-- > 0;)
		if (i != f && are_together(g, i, f))
			lowest = i < f ? i : f;
	return lowest;
}

static void check_functions(const struct given *g, const struct propagation *p)
{
	uint32_t f;

	for (f = 0; f < g->in.n_functions; f++) {
		bool in_cycle = cycle_of(g, f) != PROPAGATE_NO_CYCLE;
		double total = in_cycle ? total_of(g, f, NULL) : own_time(g, f);

		cr_assert_eq(p->cycles[f], cycle_of(g, f), "function %u", f);
		cr_assert(near(total, p->totals[f]), "function %u: %g, not %g", f, p->totals[f],
			  total);
	}
}

static void check_calls(const struct given *g, const struct propagation *p)
{
	size_t c;

	for (c = 0; c < g->in.n_calls; c++) {
		const struct propagate_call *call = &g->calls[c];
		double ratio = ratio_of(g, call), total = NAN;

		if (!are_together(g, call->caller, call->callee))
			total = ratio * time_of_cycle(g, call->callee);
		else if (call->caller != call->callee)
			total = total_of(g, call->callee, call);
		cr_assert(near(ratio, p->ratios[c]), "call %zu: %g, not %g", c, p->ratios[c],
			  ratio);
		cr_assert(near(total, p->call_totals[c]), "call %zu: %g, not %g", c,
			  p->call_totals[c], total);
	}
}

Test(propagate_definition, gives_the_same, .timeout = 60)
{
	static struct given g;
	int round;

	srand(2007);
	for (round = 0; round < ROUNDS; round++) {
		struct propagation p;
		struct error err;

		make(&g);
		cr_assert_eq(propagate(&p, &g.in, &err), 0, "%s", err.text);
		check_functions(&g, &p);
		check_calls(&g, &p);
		propagate_free(&p);
	}
}
