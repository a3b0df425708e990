/* SPDX-License-Identifier: MIT */
/*
 * propagate.c - propagates time up the call graph, from callees to callers.
 */
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/graphs.h"
#include "graph/graph.h"
#include "graph/propagate.h"

/* ---- cycle split ----------------------------------------------------------------------------- */
/*
 * Splits the time of a cycle among its members, one entry at a time.
 *
 * In: the time and the calls of a cycle's members. Out: a total for each member and call.
 */

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
	double *own, *ratio;	  /* by member; by call: see propagate.h */
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
static int cycle_split(struct cycle_member *members, uint32_t n, struct cycle_call *calls,
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

/* ---- propagate ------------------------------------------------------------------------------- */

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

/* ---- propagate graph ------------------------------------------------------------------------- */
/*
 * Propagates the times of a call graph.
 *
 * In: struct graph. Out: struct propagation.
 */

/* The arrays that propagate reads. They are freed afterwards. */
struct copy {
	double *self, *outermost;
	struct propagate_call *calls;
};

static int copy_graph(struct copy *c, const struct graph *g)
{
	size_t i;

	c->self = calloc(g->n_functions + 1, sizeof(*c->self));
	c->outermost = calloc(g->n_functions + 1, sizeof(*c->outermost));
	c->calls = calloc(g->n_arcs + 1, sizeof(*c->calls));
	if (!c->self || !c->outermost || !c->calls)
		return -1;
	for (i = 0; i < g->n_functions; i++) {
		const struct graph_start *start = &g->starts[i];

		c->self[i] = (double)g->functions[i].self;
		c->outermost[i] = start->is_start ? (double)start->weight : -1;
	}
	for (i = 0; i < g->n_arcs; i++)
		c->calls[i] = (struct propagate_call){
			.caller = g->arcs[i].caller,
			.callee = g->arcs[i].callee,
			.weight = (double)g->arcs[i].occurrences,
		};
	return 0;
}

static int propagate_in(struct propagation *p, const struct graph *g, bool without_totals,
			struct error *err)
{
	struct copy c = {0};
	int status;

	if (copy_graph(&c, g)) {
		status = error_memory(err);
	} else {
		struct propagate_input in = {
			.n_functions = g->n_functions,
			.self = c.self,
			.outermost = c.outermost,
			.n_calls = g->n_arcs,
			.calls = c.calls,
			.without_totals = without_totals,
		};

		status = propagate(p, &in, err);
	}
	free(c.self);
	free(c.outermost);
	free(c.calls);
	return status;
}

int propagate_graph(struct propagation *p, const struct graph *g, struct error *err)
{
	return propagate_in(p, g, false, err);
}

int propagate_ratios(struct propagation *p, const struct graph *g, struct error *err)
{
	return propagate_in(p, g, true, err);
}

int propagate_totals(struct graph *g, struct error *err)
{
	struct propagation *p = calloc(1, sizeof(*p));

	if (!p)
		return error_memory(err);
	if (propagate_graph(p, g, err)) {
		free(p);
		return -1;
	}
	graph_set_totals(g, p->totals, p->call_totals);
	g->propagation = p;
	return 0;
}
