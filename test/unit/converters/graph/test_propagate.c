/* SPDX-License-Identifier: MIT */
/* test_propagate.c - propagated totals: of tables, of random graphs, of stacks. */
#include <criterion/criterion.h>
#include <dirent.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "folded_text.h"
#include "graph/graph.h"
#include "graph/propagate.h"

/* ---- propagate ------------------------------------------------------------------------------- */
/*
 * Propagated totals of small graphs: the tables in test/data/propagate, and what they do not have.
 */

#define NAMES_MAX 100u
#define CALLS_MAX 1000u

static bool near(double a, double b)
{
	return isfinite(a) && isfinite(b) && fabs(a - b) <= 1e-9 * fmax(1, fmax(fabs(a), fabs(b)));
}

static struct propagation result_of(const struct propagate_input *in)
{
	struct propagation p;
	struct error err;

	cr_assert_eq(propagate(&p, in, &err), 0, "%s", err.text);
	return p;
}

static int compare_calls(const void *a, const void *b)
{
	const struct propagate_call *x = a, *y = b;

	if (x->caller != y->caller)
		return x->caller < y->caller ? -1 : 1;
	return (x->callee > y->callee) - (x->callee < y->callee);
}

struct table {
	char names[NAMES_MAX][32]; /* bytewise */
	double self[NAMES_MAX];
	struct propagate_call calls[CALLS_MAX];
	struct propagate_input in;
};

static uint32_t number_in(const struct table *t, const char *name)
{
	uint32_t i;

	for (i = 0; i < t->in.n_functions && strcmp(t->names[i], name) != 0;)
		i++;
	cr_assert_lt(i, t->in.n_functions, "%s", name);
	return i;
}

static FILE *open_table(const char *name, const char *file)
{
	char path[512];
	FILE *f;

	snprintf(path, sizeof(path), "test/data/propagate/%s/%s.tsv", name, file);
	f = fopen(path, "r");
	cr_assert(f, "%s", path);
	return f;
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(a, b);
}

static void read_names(struct table *t, FILE *f)
{
	char line[200];

	while (fgets(line, sizeof(line), f))
		if (sscanf(line, "func\t%31s", t->names[t->in.n_functions]) == 1)
			cr_assert_lt(++t->in.n_functions, NAMES_MAX);
	qsort(t->names, t->in.n_functions, sizeof(t->names[0]), compare_names);
	rewind(f);
}

static void read_graph(struct table *t, const char *name)
{
	FILE *f = open_table(name, "graph");
	char line[200], a[32], b[32];
	double n;

	*t = (struct table){.in = {.self = t->self, .calls = t->calls}};
	read_names(t, f);
	while (fgets(line, sizeof(line), f)) {
		if (sscanf(line, "func\t%31s\t%lf", a, &n) == 2)
			t->self[number_in(t, a)] = n;
		else if (sscanf(line, "call\t%31s\t%31s\t%lf", a, b, &n) == 3)
			t->calls[t->in.n_calls++] =
				(struct propagate_call){number_in(t, a), number_in(t, b), n};
		cr_assert_lt(t->in.n_calls, CALLS_MAX);
	}
	qsort(t->calls, t->in.n_calls, sizeof(t->calls[0]), compare_calls);
	fclose(f);
}

/* "-" is none. */
static void is_number(const char *want, double got, const char *line)
{
	cr_assert(strcmp(want, "-") == 0 ? isnan(got) : near(strtod(want, NULL), got),
		  "%.17g in %s", got, line);
}

static void is_function(const struct table *t, const struct propagation *p, const char *line)
{
	char total[40], cycle[32], name[32];
	uint32_t f;

	cr_assert_eq(sscanf(line, "func\t%39s\t%*s\t%*s\t%31s\t%31s", total, cycle, name), 3);
	f = number_in(t, name);
	is_number(total, p->totals[f], line);
	cr_assert_str_eq(p->cycles[f] == PROPAGATE_NO_CYCLE ? "-" : t->names[p->cycles[f]], cycle,
			 "%s", line);
}

static void is_call(const struct table *t, const struct propagation *p, const char *line)
{
	char total[40], ratio[40], caller[32], callee[32];
	const struct propagate_call *found;
	struct propagate_call call = {0};

	cr_assert_eq(sscanf(line, "edge\t%39s\t%*s\t%39s\t%*s\t%31s\t%31s", total, ratio, caller,
			    callee),
		     4);
	call.caller = number_in(t, caller);
	call.callee = number_in(t, callee);
	found = bsearch(&call, t->calls, t->in.n_calls, sizeof(call), compare_calls);
	cr_assert(found, "%s", line);
	is_number(total, p->call_totals[found - t->calls], line);
	is_number(ratio, p->ratios[found - t->calls], line);
}

static void check_case(const char *name)
{
	static struct table t;
	struct propagation p;
	char line[300];
	size_t functions = 0, calls = 0;
	FILE *f;

	read_graph(&t, name);
	p = result_of(&t.in);
	f = open_table(name, "expected");
	while (fgets(line, sizeof(line), f)) {
		if (*line == 'f' && ++functions)
			is_function(&t, &p, line);
		else if (++calls)
			is_call(&t, &p, line);
	}
	fclose(f);
	cr_assert_eq(functions, t.in.n_functions, "%s", name);
	cr_assert_eq(calls, t.in.n_calls, "%s", name);
	propagate_free(&p);
}

Test(propagate, tables)
{
	DIR *d = opendir("test/data/propagate");
	struct dirent *entry;
	int n = 0;

	cr_assert(d, "run from the top of the tree");
	while ((entry = readdir(d))) {
		if (entry->d_name[0] == '.')
			continue;
		check_case(entry->d_name);
		n++;
	}
	closedir(d);
	cr_assert_eq(n, 14);
}

/* Never called on the way in, though from elsewhere in the cycle: still all of it comes that way. */
Test(propagate, calls_that_were_not_counted)
{
	static const double self[] = {1, 2, 4}, outermost[] = {1, -1, -1};
	static const struct propagate_call calls[] = {{0, 1, 0}, {1, 2, 1}, {2, 0, 1}, {2, 1, 5}};
	struct propagate_input in = {3, self, outermost, 4, calls, false};
	struct propagation p = result_of(&in);

	cr_assert(near(p.totals[0], 7) && near(p.totals[1], 6) && near(p.totals[2], 4));
	cr_assert(near(p.call_totals[0], 6) && near(p.ratios[0], 0));
	propagate_free(&p);
}

/* An entry without weight keeps calls all the same, with a total of 0. */
Test(propagate, entry_without_weight)
{
	static const double self[] = {1, 2}, outermost[] = {3, 0};
	static const struct propagate_call calls[] = {{0, 1, 1}, {1, 0, 1}};
	struct propagate_input in = {2, self, outermost, 2, calls, false};
	struct propagation p = result_of(&in);

	cr_assert(near(p.totals[0], 3) && near(p.totals[1], 2));
	cr_assert(near(p.call_totals[0], 2) && near(p.call_totals[1], 0));
	propagate_free(&p);
}

/* The same graph with its functions in reverse. */
Test(propagate, whatever_the_names)
{
	static struct table t, u;
	struct propagation p, q;
	struct propagate_call call;
	size_t n, i;

	read_graph(&t, "rand_60");
	n = t.in.n_functions;
	u = t;
	u.in.self = u.self;
	u.in.calls = u.calls;
	for (i = 0; i < n; i++)
		u.self[n - 1 - i] = t.self[i];
	for (i = 0; i < t.in.n_calls; i++) {
		u.calls[i].caller = (uint32_t)n - 1 - t.calls[i].caller;
		u.calls[i].callee = (uint32_t)n - 1 - t.calls[i].callee;
	}
	qsort(u.calls, u.in.n_calls, sizeof(u.calls[0]), compare_calls);
	p = result_of(&t.in);
	q = result_of(&u.in);
	for (i = 0; i < n; i++)
		cr_assert(near(p.totals[i], q.totals[n - 1 - i]), "%s", t.names[i]);
	for (i = 0; i < t.in.n_calls; i++) {
		const struct propagate_call *same;

		call.caller = (uint32_t)n - 1 - t.calls[i].caller;
		call.callee = (uint32_t)n - 1 - t.calls[i].callee;
		same = bsearch(&call, u.calls, u.in.n_calls, sizeof(call), compare_calls);
		cr_assert(isnan(p.call_totals[i])
				  ? isnan(q.call_totals[same - u.calls])
				  : near(p.call_totals[i], q.call_totals[same - u.calls]));
	}
	propagate_free(&p);
	propagate_free(&q);
}

/* Each function calls the next one, and the last one the first if it is a ring. */
static struct propagation chain(uint32_t n, bool ring)
{
	double *self = calloc(n, sizeof(*self)), *outermost = calloc(n, sizeof(*outermost));
	struct propagate_call *calls = calloc(n, sizeof(*calls));
	struct propagate_input in = {n, self, outermost, ring ? n : n - 1, calls, false};
	struct propagation p;
	uint32_t i;

	for (i = 0; i < n; i++) {
		self[i] = 9e18;
		outermost[i] = i ? -1 : 1;
		calls[i] = (struct propagate_call){i, (i + 1) % n, 9e18};
	}
	p = result_of(&in);
	free(self);
	free(outermost);
	free(calls);
	return p;
}

Test(propagate, deep)
{
	const uint32_t n = 200000;
	struct propagation p = chain(n, false);

	cr_assert(near(p.totals[0], n * 9e18) && near(p.totals[n - 1], 9e18));
	propagate_free(&p);
	p = chain(n, true);
	cr_assert(near(p.totals[0], n * 9e18) && near(p.totals[n - 1], 9e18));
	cr_assert(isnan(p.call_totals[n - 1]) && p.cycles[n - 1] == 0);
	propagate_free(&p);
}

/* A ring that is entered everywhere would take the square of its size. */
Test(propagate, too_many_entries, .timeout = 60)
{
	const uint32_t n = 110000;
	double *self = calloc(n, sizeof(*self)), *outermost = calloc(n, sizeof(*outermost));
	struct propagate_call *calls = calloc(n, sizeof(*calls));
	struct propagate_input in = {n, self, outermost, n, calls, false};
	struct propagation p;
	struct error err;
	uint32_t i;

	for (i = 0; i < n; i++)
		calls[i] = (struct propagate_call){i, (i + 1) % n, 1};
	cr_assert_eq(propagate(&p, &in, &err), -1);
	cr_assert(strstr(err.text, "a cycle of 110000 functions is entered at 110000 of them"),
		  "%s", err.text);
	free(self);
	free(outermost);
	free(calls);
}

/* ---- propagate definition -------------------------------------------------------------------- */
/*
 * What is propagated in random graphs is what the definition gives, taken literally: by recursion,
 * without an order of components, and each cycle once for each entry.
 */

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

static bool near_or_none(double a, double b)
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
		cr_assert(near_or_none(total, p->totals[f]), "function %u: %g, not %g", f,
			  p->totals[f], total);
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
		cr_assert(near_or_none(ratio, p->ratios[c]), "call %zu: %g, not %g", c,
			  p->ratios[c], ratio);
		cr_assert(near_or_none(total, p->call_totals[c]), "call %zu: %g, not %g", c,
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

/* ---- propagate graph ------------------------------------------------------------------------- */
/* Propagated totals of stacks: what must hold of any, and where they begin. */

static uint32_t seed;

static uint32_t random_below(uint32_t n)
{
	seed = seed * 1664525 + 1013904223;
	return (uint32_t)(((uint64_t)seed * n) >> 32);
}

/* Folded text of random stacks; free() it. Without recursion, a frame's name is above its
 * caller's. */
static char *random_stacks(uint32_t functions, bool recursion)
{
	uint32_t stacks = 1 + random_below(30), i, k, depth, f;
	char *text;
	size_t n;
	FILE *o = open_memstream(&text, &n);

	for (i = 0; i < stacks; i++) {
		depth = 1 + random_below(12);
		f = random_below(functions);
		fprintf(o, "f%02u", f);
		for (k = 1; k < depth; k++) {
			f = recursion ? random_below(functions) : f + 1 + random_below(3);
			fprintf(o, ";f%02u", f);
		}
		fprintf(o, " %u\n", 1 + random_below(1000));
	}
	fclose(o);
	return text;
}

struct fixture {
	struct profile *profile;
	struct tree *tree;
	struct graph *graph;
	struct propagation p;
};

static struct fixture fixture_of(const char *folded)
{
	struct fixture x;
	struct error err;

	x.profile = profile_of(folded);
	x.tree = tree_of(x.profile);
	x.graph = graph_build(x.tree, &err);
	cr_assert(x.graph, "%s", err.text);
	cr_assert_eq(propagate_graph(&x.p, x.graph, &err), 0, "%s", err.text);
	return x;
}

static void free_fixture(struct fixture *x)
{
	propagate_free(&x->p);
	graph_free(x->graph);
	tree_free(x->tree);
	profile_free(x->profile);
}

/* What flows into a function from its callers, the synthetic outermost one included, is its total;
 * so is its self and what flows in from callees. Inside a cycle, too: each decomposition hands all
 * that it divides down to where it was spent. */
static void check_flow(const struct fixture *x, const char *folded)
{
	const struct graph *g = x->graph;
	double *in = calloc(g->n_functions, sizeof(*in)),
	       *out = calloc(g->n_functions, sizeof(*out));
	double *outermost = calloc(g->n_functions, sizeof(*outermost)), roots = 0;
	size_t i;

	for (i = 0; i < g->n_functions; i++)
		out[i] = (double)g->functions[i].self;
	for (i = 0; i < g->n_arcs; i++) {
		if (isnan(x->p.call_totals[i]))
			continue;
		in[g->arcs[i].callee] += x->p.call_totals[i];
		out[g->arcs[i].caller] += x->p.call_totals[i];
	}
	for (i = 0; i < g->n_functions; i++) {
		cr_assert(near(out[i], x->p.totals[i]), "%s: %g of %g in\n%s",
			  name_of(x->tree, g->functions[i].name), out[i], x->p.totals[i], folded);
		cr_assert_leq(x->p.totals[i], (double)x->tree->total * (1 + 1e-9), "%s", folded);
		outermost[i] = x->p.totals[i] - in[i];
		cr_assert_geq(outermost[i], -1e-9 * (double)x->tree->total, "%s", folded);
		roots += outermost[i];
	}
	cr_assert(near(roots, (double)x->tree->total), "%s", folded);
	free(in);
	free(out);
	free(outermost);
}

Test(propagate, flow_is_conserved)
{
	int i, cycles = 0;

	for (i = 0; i < 300; i++) {
		char *folded;
		struct fixture x;

		seed = (uint32_t)i;
		folded = random_stacks(2 + random_below(30), true);
		x = fixture_of(folded);
		cycles += x.p.cycles[0] != PROPAGATE_NO_CYCLE;
		check_flow(&x, folded);
		free_fixture(&x);
		free(folded);
	}
	cr_assert_gt(cycles, 200);
}

Test(propagate, exact_without_cycles)
{
	int i;
	size_t k;

	for (i = 0; i < 300; i++) {
		char *folded;
		struct fixture x;

		seed = (uint32_t)i;
		folded = random_stacks(2 + random_below(30), false);
		x = fixture_of(folded);
		for (k = 0; k < x.graph->n_functions; k++)
			cr_assert(near(x.p.totals[k], (double)x.graph->functions[k].total) &&
					  x.p.cycles[k] == PROPAGATE_NO_CYCLE,
				  "%s", folded);
		for (k = 0; k < x.graph->n_arcs; k++)
			cr_assert(near(x.p.call_totals[k], (double)x.graph->arcs[k].weight), "%s",
				  folded);
		free_fixture(&x);
		free(folded);
	}
}

/* A function that only calls itself is no cycle: its total is exact. */
Test(propagate, self_calls_take_no_part)
{
	struct fixture x = fixture_of("m;f;f;f 5\nm;f;g 3\nm 1\n");

	cr_assert(near(x.p.totals[0], 8) && near(x.p.totals[1], 3) && near(x.p.totals[2], 9));
	cr_assert_eq(x.p.cycles[0], PROPAGATE_NO_CYCLE);
	cr_assert(isnan(x.p.call_totals[0]) && isnan(x.p.ratios[0]), "f calls f");
	free_fixture(&x);
}

/* Stacks may begin within a cycle: nobody else calls it, and yet it has its time. */
Test(propagate, cycle_at_the_outside)
{
	struct fixture x = fixture_of("a;b 3\nb;a 1\n");

	/* From a: a 1, b 3. From b: both again. Entered at a by 3/4, at b by 1/4. */
	cr_assert(near(x.p.totals[0], 0.75 * 4 + 0.25 * 1), "%g", x.p.totals[0]);
	cr_assert(near(x.p.totals[1], 0.25 * 4 + 0.75 * 3), "%g", x.p.totals[1]);
	cr_assert(x.p.cycles[0] == 0 && x.p.cycles[1] == 0);
	free_fixture(&x);
}
