/* SPDX-License-Identifier: MIT */
/*
 * arc_times.c - charges each stack to the arcs of its context (Spivey 2004).
 */
#include <stdbool.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/hash.h"
#include "base/stop.h"
#include "contexts/arc_times.h"

/* ---- arc times ------------------------------------------------------------------------------- */
/*
 * A context has an item A[B]C for each of its functions B. The item is the last occurrence of B on
 * the stack, where direct repeats are left out: A is the frame before it, and C is the frame after
 * it. A call changes few items: the earlier occurrence of the called function is not its last one
 * until the function returns, and the caller has a new callee. So one walk over the tree is enough.
 * Clocks count the weight of all nodes walked so far, and of those in which each function was
 * running. An arc is charged with the advance of its clocks while it is part of an item.
 */

/* The clocks when an arc became part of an item. */
struct since {
	uint64_t all, self;
};

/* A frame of the stack. Frame 0 stands for the caller of the outermost function. */
struct frame {
	uint32_t name;
	uint32_t depth;	    /* of its tree node */
	uint32_t earlier;   /* the previous frame of the same function; 0: there is none */
	uint32_t arc;	    /* from the frame before to this one; frame 1 has none */
	struct since in;    /* the arc became the arc into the item of this frame */
	struct since after; /* the arc became the arc out of the item of the frame before */
};

struct walk {
	const struct tree *tree;
	struct arc_times *result;
	struct pair_table pairs; /* (caller, callee) -> arc */
	size_t room;		 /* allocated elements of result->arcs */
	struct frame *frames;
	uint32_t top;	/* the innermost frame */
	uint32_t *last; /* by name: its innermost frame; 0: there is none */
	uint64_t all;	/* a clock: the weight of all stacks so far */
	uint64_t *self; /* clocks, by name: the weight of the stacks in which it was running */
};

static struct since now(const struct walk *w, uint32_t name)
{
	return (struct since){w->all, w->self[name]};
}

/* The arc into frame `at` becomes part of the frame's item. */
static void begin_in(struct walk *w, uint32_t at)
{
	w->frames[at].in = now(w, w->frames[at].name);
}

static void end_in(struct walk *w, uint32_t at)
{
	const struct frame *f = &w->frames[at];
	struct since end = now(w, f->name);
	struct arc_time *arc;

	if (at == 1)
		return; /* the frame is outermost, so that no arc leads to it */
	arc = &w->result->arcs[f->arc];
	arc->self2 += end.self - f->in.self;
	arc->child2 += (end.all - f->in.all) - (end.self - f->in.self);
}

/* The arc into frame `at` becomes part of its caller's item. */
static void begin_out(struct walk *w, uint32_t at)
{
	w->frames[at].after = now(w, w->frames[at].name);
}

static void end_out(struct walk *w, uint32_t at)
{
	const struct frame *f = &w->frames[at];
	struct since end = now(w, f->name);
	struct arc_time *arc;

	if (at == 1)
		return;
	arc = &w->result->arcs[f->arc];
	arc->self1 += end.self - f->after.self;
	arc->child1 += (end.all - f->after.all) - (end.self - f->after.self);
}

static int find_arc(struct walk *w, uint32_t caller, uint32_t callee, uint32_t *number)
{
	struct arc_times *a = w->result;

	*number = pair_table_number(&w->pairs, caller, callee);
	if (*number == PAIR_TABLE_NONE ||
	    !array_reserve(&a->arcs, &w->room, a->n + 1, sizeof(*a->arcs)))
		return -1;
	if (*number == a->n)
		a->arcs[a->n++] = (struct arc_time){.caller = caller, .callee = callee};
	return 0;
}

/* Enter a function that is not the running one. Its earlier occurrence is not the last frame, so it
 * has a callee. */
static int push(struct walk *w, const struct tree_node *n)
{
	uint32_t at = w->top + 1, earlier = w->last[n->name];
	struct frame *f = &w->frames[at];

	*f = (struct frame){.name = n->name, .depth = n->depth, .earlier = earlier};
	if (w->top > 0 && find_arc(w, w->frames[w->top].name, n->name, &f->arc))
		return -1;
	if (earlier) {
		end_in(w, earlier);
		end_out(w, earlier + 1);
	}
	begin_out(w, at);
	begin_in(w, at);
	w->last[n->name] = at;
	w->top = at;
	return 0;
}

static void pop(struct walk *w)
{
	uint32_t at = w->top--, earlier = w->frames[at].earlier;

	end_in(w, at);
	end_out(w, at);
	w->last[w->frames[at].name] = earlier;
	if (earlier) {
		begin_in(w, earlier);
		begin_out(w, earlier + 1);
	}
}

static int walk_tree(struct walk *w)
{
	size_t i;

	for (i = 1; i < w->tree->n_nodes; i++) {
		const struct tree_node *n = &w->tree->nodes[i];

		if (stop_is_requested())
			return -1;
		while (w->top > 0 && w->frames[w->top].depth >= n->depth)
			pop(w);
		if (w->frames[w->top].name != n->name && push(w, n))
			return -1;
		w->all += n->self;
		w->self[n->name] += n->self;
	}
	while (w->top > 0)
		pop(w);
	return 0;
}

static int prepare(struct walk *w)
{
	size_t n_names = strings_count(w->tree->strings) + 1;

	w->frames = malloc((tree_height(w->tree) + 1) * sizeof(*w->frames));
	w->last = calloc(n_names, sizeof(*w->last));
	w->self = calloc(n_names, sizeof(*w->self));
	if (!w->frames || !w->last || !w->self)
		return -1;
	w->frames[0] = (struct frame){.name = STRINGS_NONE};
	return 0;
}

static int compare_arcs(const void *a, const void *b, void *context)
{
	const struct arc_time *x = a, *y = b;
	int order = strings_compare(context, x->caller, y->caller);

	return order ? order : strings_compare(context, x->callee, y->callee);
}

struct arc_times *arc_times_build(const struct tree *t, struct error *err)
{
	struct walk w = {.tree = t};
	struct arc_times *a = w.result = calloc(1, sizeof(*w.result));
	int status = a && !prepare(&w) && !walk_tree(&w) ? 0
		     : stop_check(err)			 ? -1
							 : error_memory(err);

	free(w.frames);
	free(w.last);
	free(w.self);
	pair_table_clear(&w.pairs);
	if (status) {
		arc_times_free(a);
		return NULL;
	}
	/* The comparison only reads; qsort_r has no const context. */
	if (a->n > 0)
		qsort_r(a->arcs, a->n, sizeof(*a->arcs), compare_arcs,
			(void *)(uintptr_t)t->strings);
	return a;
}

void arc_times_free(struct arc_times *a)
{
	if (!a)
		return;
	free(a->arcs);
	free(a);
}

/* ---- caller shares --------------------------------------------------------------------------- */

/* Scale the number of calls down to 64 bits. If it needs more, its lowest bits do not matter. */
static uint64_t scaled(const struct caller_shares_function *f, unsigned __int128 calls)
{
	return (uint64_t)(calls >> f->shift);
}

double caller_shares_of_calls(const struct caller_shares_function *f,
			      const struct caller_shares_arc *a)
{
	return f->calls ? (double)a->calls / (double)f->calls : 0;
}

double caller_shares_of_time(const struct caller_shares_function *f,
			     const struct caller_shares_arc *a)
{
	return f->time ? (double)a->time / (double)f->time : 0;
}

/* Returns the misplaced time times the number of calls. It is an integer, so that equal ones
 * compare as equal. */
static unsigned __int128 difference(const struct caller_shares_function *f,
				    const struct caller_shares_arc *a)
{
	unsigned __int128 by_calls = (unsigned __int128)scaled(f, a->calls) * f->time;
	unsigned __int128 by_time = (unsigned __int128)scaled(f, f->calls) * a->time;

	return by_calls > by_time ? by_calls - by_time : by_time - by_calls;
}

double caller_shares_misplaced(const struct caller_shares_function *f,
			       const struct caller_shares_arc *a)
{
	return f->calls ? (double)difference(f, a) / (double)scaled(f, f->calls) : (double)a->time;
}

uint64_t caller_shares_by_calls(const struct caller_shares_function *f,
				const struct caller_shares_arc *a)
{
	unsigned __int128 product = (unsigned __int128)scaled(f, a->calls) * f->time;
	uint64_t calls = scaled(f, f->calls), rest;

	if (calls == 0)
		return 0;
	rest = (uint64_t)(product % calls);
	return (uint64_t)(product / calls) + (rest >= calls - rest);
}

static int compare_callees(const void *a, const void *b)
{
	const struct caller_shares_arc *x = a, *y = b;

	return (x->callee > y->callee) - (x->callee < y->callee);
}

static int compare_callers(const void *a, const void *b, void *function)
{
	const struct caller_shares_arc *x = a, *y = b;
	unsigned __int128 of_x = difference(function, x), of_y = difference(function, y);

	if (of_x != of_y)
		return of_x < of_y ? 1 : -1;
	return (x->caller > y->caller) - (x->caller < y->caller);
}

static int compare_functions(const void *a, const void *b)
{
	const struct caller_shares_function *x = a, *y = b;

	if (x->misplaced != y->misplaced)
		return x->misplaced < y->misplaced ? 1 : -1;
	return (x->function > y->function) - (x->function < y->function);
}

static size_t drop_idle(struct caller_shares_arc *arcs, size_t n)
{
	size_t i, kept = 0;

	for (i = 0; i < n; i++)
		if (arcs[i].caller != arcs[i].callee && (arcs[i].calls || arcs[i].time))
			arcs[kept++] = arcs[i];
	return kept;
}

static int add_function(struct caller_shares *s, size_t first, size_t n, struct error *err)
{
	struct caller_shares_function *f = &s->functions[s->n++];
	size_t i;

	*f = (struct caller_shares_function){
		.function = s->arcs[first].callee, .first = first, .n = n};
	for (i = first; i < first + n; i++)
		if (__builtin_add_overflow(f->calls, s->arcs[i].calls, &f->calls) ||
		    __builtin_add_overflow(f->time, s->arcs[i].time, &f->time))
			return error_set(err, "the times of calls do not fit in 64 bits");
	while (f->calls >> f->shift > UINT64_MAX)
		f->shift++;
	qsort_r(s->arcs + first, n, sizeof(*s->arcs), compare_callers, f);
	f->misplaced = caller_shares_misplaced(f, &s->arcs[first]);
	return 0;
}

int caller_shares_build(struct caller_shares *s, struct caller_shares_arc *arcs, size_t n,
			struct error *err)
{
	size_t first, end;

	*s = (struct caller_shares){.arcs = arcs};
	n = drop_idle(arcs, n);
	s->functions = calloc(n / 2 + 1, sizeof(*s->functions));
	if (!s->functions)
		return error_memory(err);
	if (n > 0)
		qsort(arcs, n, sizeof(*arcs), compare_callees);
	for (first = 0; first < n; first = end) {
		for (end = first + 1; end < n && arcs[end].callee == arcs[first].callee; end++)
			;
		if (end - first > 1 && add_function(s, first, end - first, err))
			return -1;
	}
	qsort(s->functions, s->n, sizeof(*s->functions), compare_functions);
	return 0;
}

void caller_shares_free(struct caller_shares *s)
{
	free(s->arcs);
	free(s->functions);
}

/* Both arrays are in the order of names. `times` has no arcs from a function to itself, and none that only were counted. */
static void add_times(struct caller_shares_arc *arcs, const struct graph *g,
		      const struct arc_times *times)
{
	size_t i, k = 0;

	for (i = 0; i < g->n_arcs && k < times->n; i++) {
		if (g->functions[arcs[i].caller].name != times->arcs[k].caller ||
		    g->functions[arcs[i].callee].name != times->arcs[k].callee)
			continue;
		arcs[i].time = times->arcs[k].self2 + times->arcs[k].child2;
		k++;
	}
}

/* Arcs and functions of a graph by the names in its tree. */
struct lookup {
	uint32_t *functions;	 /* by name: the function's number */
	struct pair_table pairs; /* (caller, callee) -> arc */
};

static int lookup_make(struct lookup *l, const struct graph *g)
{
	l->functions = calloc(strings_count(g->strings) + 1, sizeof(*l->functions));
	if (!l->functions)
		return -1;
	for (size_t i = 0; i < g->n_functions; i++)
		l->functions[g->functions[i].name] = (uint32_t)i;
	for (size_t i = 0; i < g->n_arcs; i++)
		if (pair_table_number(&l->pairs, g->arcs[i].caller, g->arcs[i].callee) ==
		    PAIR_TABLE_NONE)
			return -1;
	return 0;
}

/* A sample of calls stands above the caller: it weighs the calls of the innermost function by the one before. */
static int add_counted(struct caller_shares_arc *arcs, struct lookup *l, const struct tree *t)
{
	for (size_t i = 1; i < t->n_nodes; i++) {
		const struct tree_node *n = &t->nodes[i];
		uint32_t arc;

		if (!n->self || !n->parent)
			continue;
		arc = pair_table_number(&l->pairs, l->functions[t->nodes[n->parent].name],
					l->functions[n->name]);
		if (arc == PAIR_TABLE_NONE)
			return -1;
		arcs[arc].calls += n->self; /* a part of all calls */
	}
	return 0;
}

/* What is due to callers of a function whose calls were not counted is not known. */
static int drop_uncounted(struct caller_shares_arc *arcs, const struct graph *g)
{
	bool *is_counted = calloc(g->n_functions + 1, sizeof(*is_counted));

	if (!is_counted)
		return -1;
	for (size_t i = 0; i < g->n_arcs; i++)
		is_counted[arcs[i].callee] |= arcs[i].calls && arcs[i].caller != arcs[i].callee;
	for (size_t i = 0; i < g->n_arcs; i++)
		if (!is_counted[arcs[i].callee])
			arcs[i].time = 0;
	free(is_counted);
	return 0;
}

/* A function that samples have met below a caller whose calls of it were not counted, as one of the C library, or one that has it
 * inlined, cannot be compared: its calls there are missing, or are another caller's. */
static int drop_unlike(struct caller_shares_arc *arcs, const struct graph *g)
{
	bool *is_unlike = calloc(g->n_functions + 1, sizeof(*is_unlike));

	if (!is_unlike)
		return -1;
	for (size_t i = 0; i < g->n_arcs; i++)
		is_unlike[arcs[i].callee] |= arcs[i].time && !g->arcs[i].is_counted;
	for (size_t i = 0; i < g->n_arcs; i++)
		if (is_unlike[arcs[i].callee])
			arcs[i].time = arcs[i].calls = 0;
	free(is_unlike);
	return 0;
}

static int add_calls(struct caller_shares_arc *arcs, const struct graph *g)
{
	struct lookup l = {0};
	int status = lookup_make(&l, g);

	for (size_t i = 0; !status && i < g->tree->n_others; i++)
		status = add_counted(arcs, &l, &g->tree->others[i]);
	if (!status)
		status = drop_uncounted(arcs, g);
	free(l.functions);
	pair_table_clear(&l.pairs);
	return status;
}

static int measure(struct caller_shares_arc *arcs, const struct graph *g, struct error *err)
{
	struct arc_times *times;
	size_t i;
	int status;

	for (i = 0; i < g->n_arcs; i++)
		arcs[i] = (struct caller_shares_arc){
			.caller = g->arcs[i].caller,
			.callee = g->arcs[i].callee,
			.calls = g->arcs[i].calls,
			.time = g->arcs[i].weight,
		};
	if (!g->tree)
		return 0;
	times = arc_times_build(g->tree, err);
	if (!times)
		return -1;
	add_times(arcs, g, times);
	arc_times_free(times);
	status = g->has_calls ? drop_unlike(arcs, g) : add_calls(arcs, g);
	return status ? error_memory(err) : 0;
}

int caller_shares_of_graph(struct caller_shares *s, const struct graph *g, struct error *err)
{
	struct caller_shares_arc *arcs = malloc((g->n_arcs + 1) * sizeof(*arcs));

	*s = (struct caller_shares){0};
	if (!arcs)
		return error_memory(err);
	if (!measure(arcs, g, err))
		return caller_shares_build(s, arcs, g->n_arcs, err);
	free(arcs);
	return -1;
}

/* ---- gprof report ---------------------------------------------------------------------------- */

static int compare_totals(const void *a, const void *b, void *strings)
{
	const struct tree_function *x = a, *y = b;

	if (x->total != y->total)
		return x->total < y->total ? 1 : -1;
	return strings_compare(strings, x->name, y->name);
}

/* Arcs are sorted by the function that they are listed with, then by time, then by the function at
 * the other end. */
struct place {
	uint32_t function, other;
	uint64_t time;
};

static struct place place_into(const struct gprof_report *r, uint32_t arc)
{
	const struct arc_time *a = &r->times->arcs[arc];

	return (struct place){r->number[a->callee], r->number[a->caller], a->self2 + a->child2};
}

static struct place place_out(const struct gprof_report *r, uint32_t arc)
{
	const struct arc_time *a = &r->times->arcs[arc];

	return (struct place){r->number[a->caller], r->number[a->callee], a->self1 + a->child1};
}

static int compare_times(struct place x, struct place y)
{
	if (x.time != y.time)
		return x.time < y.time ? 1 : -1;
	return (x.other > y.other) - (x.other < y.other);
}

static int compare_into(const void *a, const void *b, void *report)
{
	struct place x = place_into(report, *(const uint32_t *)a);
	struct place y = place_into(report, *(const uint32_t *)b);

	if (x.function != y.function)
		return x.function < y.function ? -1 : 1;
	return compare_times(y, x);
}

static int compare_out(const void *a, const void *b, void *report)
{
	struct place x = place_out(report, *(const uint32_t *)a);
	struct place y = place_out(report, *(const uint32_t *)b);

	if (x.function != y.function)
		return x.function < y.function ? -1 : 1;
	return compare_times(x, y);
}

static int sort_functions(struct gprof_report *r, struct error *err)
{
	const struct strings *strings = r->tree->strings;
	size_t i;

	r->functions = tree_functions(r->tree, &r->n, err);
	r->number = malloc((strings_count(strings) + 1) * sizeof(*r->number));
	if (!r->functions || !r->number)
		return error_memory(err);
	/* The comparison only reads; qsort_r has no const context. */
	qsort_r(r->functions, r->n, sizeof(*r->functions), compare_totals,
		(void *)(uintptr_t)strings);
	for (i = 0; i < r->n; i++)
		r->number[r->functions[i].name] = (uint32_t)i;
	return 0;
}

/* Sort the arcs by their place. Those of function i begin at arcs[first[i]]. */
static void sort_arcs(struct gprof_report *r, uint32_t *arcs, size_t *first,
		      int (*compare)(const void *, const void *, void *),
		      struct place (*place)(const struct gprof_report *, uint32_t))
{
	size_t n = r->times->n, i, function = 0;

	for (i = 0; i < n; i++)
		arcs[i] = (uint32_t)i;
	qsort_r(arcs, n, sizeof(*arcs), compare, r);
	for (i = 0; i < n; i++)
		while (function <= place(r, arcs[i]).function)
			first[function++] = i;
	while (function <= r->n)
		first[function++] = n;
}

int gprof_report_open(struct gprof_report *r, const struct tree *t, struct error *err)
{
	*r = (struct gprof_report){.tree = t};
	if (sort_functions(r, err))
		return -1;
	r->times = arc_times_build(t, err);
	if (!r->times)
		return -1;
	r->into = calloc(r->times->n + 1, sizeof(*r->into));
	r->out = calloc(r->times->n + 1, sizeof(*r->out));
	r->first_into = calloc(r->n + 1, sizeof(*r->first_into));
	r->first_out = calloc(r->n + 1, sizeof(*r->first_out));
	if (!r->into || !r->out || !r->first_into || !r->first_out)
		return error_memory(err);
	sort_arcs(r, r->into, r->first_into, compare_into, place_into);
	sort_arcs(r, r->out, r->first_out, compare_out, place_out);
	return 0;
}

void gprof_report_close(struct gprof_report *r)
{
	free(r->functions);
	free(r->number);
	arc_times_free(r->times);
	free(r->into);
	free(r->out);
	free(r->first_into);
	free(r->first_out);
	free(r->weights);
	free(r->starts);
}

/* Both lists are sorted by the names of the caller and the callee; only that of the graph has functions that call
 * themselves. */
static void weigh_arcs(struct gprof_report *r, const struct graph *g)
{
	const struct graph_arc *arc = g->arcs;

	for (size_t i = 0; i < r->times->n; i++) {
		const struct arc_time *a = &r->times->arcs[i];

		while (g->functions[arc->caller].name != a->caller ||
		       g->functions[arc->callee].name != a->callee)
			arc++;
		r->weights[i] = arc->weight;
	}
}

int gprof_report_weigh(struct gprof_report *r, struct error *err)
{
	const struct tree *t = r->tree;
	struct graph *g = graph_build(t, err);

	if (!g)
		return -1;
	r->weights = calloc(r->times->n + 1, sizeof(*r->weights));
	r->starts = calloc(r->n + 1, sizeof(*r->starts));
	if (r->weights && r->starts)
		weigh_arcs(r, g);
	graph_free(g);
	if (!r->weights || !r->starts)
		return error_memory(err);
	for (size_t i = 1; i < t->n_nodes; i = t->nodes[i].end)
		r->starts[r->number[t->nodes[i].name]] += t->nodes[i].total;
	return 0;
}

struct gprof_report_arcs gprof_report_callers(const struct gprof_report *r, size_t function)
{
	size_t first = r->first_into[function];

	return (struct gprof_report_arcs){r->into + first, r->first_into[function + 1] - first};
}

struct gprof_report_arcs gprof_report_callees(const struct gprof_report *r, size_t function)
{
	size_t first = r->first_out[function];

	return (struct gprof_report_arcs){r->out + first, r->first_out[function + 1] - first};
}
