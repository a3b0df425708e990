/* SPDX-License-Identifier: MIT */
/*
 * propagate.c - propagates time up the call graph, from callees to callers.
 *
 * In: the self of each function and the weights of calls. Out: totals of functions and of calls.
 */
#include "graph/propagate.h"

#include <math.h>
#include <stdlib.h>

#include "base/strong_components.h"
#include "graph/cycle_split.h"

struct function {
	double into;	/* weight of the calls to it by other functions */
	double entered; /* see struct cycle_member */
	uint32_t place; /* its index among the members of its component */
};

struct component {
	double into; /* weight of the calls to it from outside of the component */
	double time; /* the time that is divided among its callers */
};

struct work {
	const struct propagate_input *in;
	struct propagation *out;
	uint32_t *first, *target; /* see struct successors */
	struct strong_components components;
	struct function *functions;
	struct component *times; /* by component */
	/* These are for the current cycle; they have room for the whole graph. */
	struct cycle_member *members;
	struct cycle_call *calls;
};

static int make_room(struct work *w)
{
	size_t n = w->in->n_functions, n_calls = w->in->n_calls;
	struct propagation *p = w->out;

	p->totals = calloc(n + 1, sizeof(*p->totals));
	p->cycles = calloc(n + 1, sizeof(*p->cycles));
	p->call_totals = calloc(n_calls + 1, sizeof(*p->call_totals));
	p->ratios = calloc(n_calls + 1, sizeof(*p->ratios));
	w->first = calloc(n + 2, sizeof(*w->first));
	w->target = calloc(n_calls + 1, sizeof(*w->target));
	w->functions = calloc(n + 1, sizeof(*w->functions));
	w->times = calloc(n + 1, sizeof(*w->times));
	w->members = calloc(n + 1, sizeof(*w->members));
	w->calls = calloc(n_calls + 1, sizeof(*w->calls));
	return p->totals && p->cycles && p->call_totals && p->ratios && w->first && w->target &&
			       w->functions && w->times && w->members && w->calls
		       ? 0
		       : -1;
}

static void free_work(struct work *w)
{
	strong_components_free(&w->components);
	free(w->first);
	free(w->target);
	free(w->functions);
	free(w->times);
	free(w->members);
	free(w->calls);
}

static int find_components(struct work *w, struct error *err)
{
	struct successors successors = {(uint32_t)w->in->n_functions, w->first, w->target};
	size_t i;

	for (i = 0; i < w->in->n_calls; i++) {
		w->target[i] = w->in->calls[i].callee;
		w->first[w->in->calls[i].caller + 1]++;
	}
	for (i = 0; i < w->in->n_functions; i++)
		w->first[i + 1] += w->first[i];
	return strong_components_find(&w->components, &successors, err);
}

static double ratio(double part, double whole)
{
	return whole > 0 ? fmin(part / whole, 1) : 1;
}

static bool is_outermost(const struct work *w, size_t function)
{
	return w->in->outermost && w->in->outermost[function] >= 0;
}

static void sum_calls(struct work *w)
{
	const uint32_t *of = w->components.of;
	size_t i;

	for (i = 0; i < w->in->n_functions; i++) {
		if (!is_outermost(w, i))
			continue;
		w->functions[i].into += w->in->outermost[i];
		w->times[of[i]].into += w->in->outermost[i];
	}
	for (i = 0; i < w->in->n_calls; i++) {
		const struct propagate_call *c = &w->in->calls[i];

		if (c->caller != c->callee)
			w->functions[c->callee].into += c->weight;
		if (of[c->caller] != of[c->callee])
			w->times[of[c->callee]].into += c->weight;
	}
}

static void enter(struct function *f, double share)
{
	f->entered = f->entered < 0 ? share : f->entered + share;
}

/* Find the share of each call in the time of its callee, or if the callee is in a cycle and the
 * caller is not, in the time of the cycle. */
static void find_ratios(struct work *w)
{
	const uint32_t *of = w->components.of;
	size_t i;

	for (i = 0; i < w->in->n_functions; i++) {
		w->functions[i].entered = -1;
		if (is_outermost(w, i))
			enter(&w->functions[i], ratio(w->in->outermost[i], w->times[of[i]].into));
	}
	for (i = 0; i < w->in->n_calls; i++) {
		const struct propagate_call *c = &w->in->calls[i];
		struct function *callee = &w->functions[c->callee];
		double *r = &w->out->ratios[i];

		if (c->caller == c->callee) {
			*r = NAN;
		} else if (of[c->caller] == of[c->callee]) {
			*r = ratio(c->weight, callee->into);
		} else {
			*r = ratio(c->weight, w->times[of[c->callee]].into);
			enter(callee, *r);
		}
	}
}

/* Returns a function's self and the time of its calls to other components, which is known
 * already. */
static double own_time(struct work *w, uint32_t function)
{
	const struct strong_components *c = &w->components;
	double time = w->in->self[function];
	uint32_t i;

	for (i = w->first[function]; i < w->first[function + 1]; i++) {
		double *t = &w->out->call_totals[i];
		uint32_t callee = c->of[w->target[i]];

		*t = callee == c->of[function] ? NAN : w->out->ratios[i] * w->times[callee].time;
		if (!isnan(*t))
			time += *t;
	}
	return time;
}

/* List the calls of this member to other members. Calls of a function to itself are left out. */
static uint32_t list_calls(struct work *w, uint32_t caller, uint32_t n)
{
	const uint32_t *of = w->components.of;
	uint32_t i;

	for (i = w->first[caller]; i < w->first[caller + 1]; i++) {
		uint32_t callee = w->target[i];

		if (callee != caller && of[callee] == of[caller])
			w->calls[n++] = (struct cycle_call){
				.callee = w->functions[callee].place,
				.number = i,
				.ratio = w->out->ratios[i],
			};
	}
	return n;
}

/* Name the cycle of these functions after the lowest of them. */
static void name_cycle(struct work *w, const uint32_t *functions, uint32_t n)
{
	uint32_t lowest = functions[0], i;

	for (i = 1; i < n; i++)
		lowest = functions[i] < lowest ? functions[i] : lowest;
	for (i = 0; i < n; i++)
		w->out->cycles[functions[i]] = n > 1 ? lowest : PROPAGATE_NO_CYCLE;
}

static int split_cycle(struct work *w, const uint32_t *functions, uint32_t n, struct error *err)
{
	struct component *c = &w->times[w->components.of[functions[0]]];
	uint32_t n_calls = 0, i;

	for (i = 0; i < n; i++)
		w->functions[functions[i]].place = i;
	for (i = 0; i < n; i++) {
		w->members[i] = (struct cycle_member){
			.own = own_time(w, functions[i]),
			.entered = w->functions[functions[i]].entered,
			.first = n_calls,
		};
		n_calls = list_calls(w, functions[i], n_calls);
		c->time += w->members[i].own;
	}
	w->members[n].first = n_calls;
	if (cycle_split(w->members, n, w->calls, err))
		return -1;
	for (i = 0; i < n; i++)
		w->out->totals[functions[i]] = w->members[i].total;
	for (i = 0; i < n_calls; i++)
		w->out->call_totals[w->calls[i].number] = w->calls[i].total;
	return 0;
}

/* Go over the strongly connected components, whose order has callees before their callers. */
static int hand_up(struct work *w, struct error *err)
{
	const struct strong_components *c = &w->components;
	uint32_t i;

	for (i = 0; i < c->n; i++) {
		const uint32_t *members = c->members + c->first[i];
		uint32_t n = c->first[i + 1] - c->first[i];

		if (n > 1 && split_cycle(w, members, n, err))
			return -1;
		if (n > 1)
			continue;
		w->times[i].time = own_time(w, *members);
		w->out->totals[*members] = w->times[i].time;
	}
	return 0;
}

static void name_cycles(struct work *w)
{
	const struct strong_components *c = &w->components;
	uint32_t i;

	for (i = 0; i < c->n; i++)
		name_cycle(w, c->members + c->first[i], c->first[i + 1] - c->first[i]);
}

int propagate(struct propagation *p, const struct propagate_input *in, struct error *err)
{
	struct work w = {.in = in, .out = p};
	int status = 0;

	*p = (struct propagation){0};
	if (make_room(&w))
		status = error_memory(err);
	if (!status)
		status = find_components(&w, err);
	if (!status) {
		name_cycles(&w);
		sum_calls(&w);
		find_ratios(&w);
		status = in->without_totals ? 0 : hand_up(&w, err);
	}
	free_work(&w);
	if (status)
		propagate_free(p);
	return status;
}

void propagate_free(struct propagation *p)
{
	free(p->totals);
	free(p->cycles);
	free(p->call_totals);
	free(p->ratios);
	*p = (struct propagation){0};
}
