/* SPDX-License-Identifier: MIT */
/* test_graph.c - arcs of the call graph: of stacks, and of calls without stacks. */
#include <criterion/criterion.h>
#include <dirent.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "folded_text.h"
#include "graph/graph.h"

/* ---- graph ----------------------------------------------------------------------------------- */
/* Arcs of the call graph, against the tables in test/data/cases. */

static struct graph *graph_of(const struct tree *t)
{
	struct error err;
	struct graph *g = graph_build(t, &err);

	cr_assert(g, "%s", err.text);
	return g;
}

/* The arcs as the tables write them: caller, callee, weight, stacks, occurrences. */
static char *table_of(const struct graph *g)
{
	char *text;
	size_t i, n;
	FILE *f = open_memstream(&text, &n);

	for (i = 0; i < g->n_arcs; i++) {
		const struct graph_arc *a = &g->arcs[i];

		fprintf(f, "%s\t%s\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\n",
			name_of(g->tree, g->functions[a->caller].name),
			name_of(g->tree, g->functions[a->callee].name), a->weight, a->stacks,
			(uint64_t)a->occurrences);
	}
	fclose(f);
	return text;
}

static char *read_text(const char *path)
{
	FILE *f = fopen(path, "r");
	char *text = NULL;
	size_t n = 0;

	cr_assert(f, "%s", path);
	if (getdelim(&text, &n, '\0', f) < 0) {
		free(text);
		text = strdup("");
	}
	fclose(f);
	return text;
}

static void check_case(const char *name)
{
	char path[512];
	struct profile *p;
	struct tree *t;
	struct graph *g;
	char *want, *got;

	snprintf(path, sizeof(path), "test/data/cases/%s/in.folded", name);
	p = profile_of_file(path);
	t = tree_of(p);
	g = graph_of(t);
	got = table_of(g);
	snprintf(path, sizeof(path), "test/data/cases/%s/edges.tsv", name);
	want = read_text(path);
	cr_assert_str_eq(got, want, "%s", name);
	free(want);
	free(got);
	graph_free(g);
	tree_free(t);
	profile_free(p);
}

Test(graph, cases)
{
	DIR *d = opendir("test/data/cases");
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
	cr_assert_geq(n, 9);
}

Test(graph, functions_by_name_and_arcs_by_caller)
{
	struct profile *p = profile_of("z;b;a 1\nz;a;b 2\nz;b;b;c 4\n");
	struct tree *t = tree_of(p);
	struct graph *g = graph_of(t);
	char *text = table_of(g);
	size_t i;

	cr_assert_eq(g->n_functions, 4);
	for (i = 1; i < g->n_functions; i++)
		cr_assert_lt(
			strings_compare(t->strings, g->functions[i - 1].name, g->functions[i].name),
			0);
	cr_assert_str_eq(text, "a\tb\t2\t2\t2\n"
			       "b\ta\t1\t1\t1\n"
			       "b\tb\t0\t4\t4\n"
			       "b\tc\t4\t4\t4\n"
			       "z\ta\t2\t2\t2\n"
			       "z\tb\t5\t5\t5\n");
	free(text);
	graph_free(g);
	tree_free(t);
	profile_free(p);
}

Test(graph, occurrences_may_pass_64_bits)
{
	struct profile *p = profile_of("a;b;a;b;a;b;a;b;a;b 9000000000000000000\n");
	struct tree *t = tree_of(p);
	struct graph *g = graph_of(t);

	cr_assert_eq(g->n_arcs, 2);
	cr_assert(g->arcs[0].occurrences == (unsigned __int128)9000000000000000000 * 5);
	cr_assert(g->arcs[1].occurrences == (unsigned __int128)9000000000000000000 * 4);
	cr_assert_eq(g->arcs[0].stacks, 9000000000000000000u);
	graph_free(g);
	tree_free(t);
	profile_free(p);
}

Test(graph, without_arcs)
{
	struct profile *p = profile_of("a 1\nb 2\n");
	struct tree *t = tree_of(p);
	struct graph *g = graph_of(t);

	cr_assert_eq(g->n_functions, 2);
	cr_assert_eq(g->n_arcs, 0);
	graph_free(g);
	tree_free(t);
	profile_free(p);
}

/* ---- graph from calls ------------------------------------------------------------------------ */
/*
 * The graph of random calls without stacks is what its definitions give, taken literally and with
 * sums that cannot overflow.
 */

enum { FUNCTIONS = 6, ROUNDS = 2000 };

/* Calls by the places of their functions in the order of names. */
struct given {
	struct profile profile;
	struct given_calls calls;
	struct given_calls_function functions[FUNCTIONS];
	struct given_calls_arc arcs[FUNCTIONS * FUNCTIONS];
	uint32_t place[FUNCTIONS]; /* by function of calls */
	const struct given_calls_arc *arc[FUNCTIONS][FUNCTIONS];
	bool reaches[FUNCTIONS][FUNCTIONS];
	uint32_t n;
};

/* Small ones, of which some are equal, and some of which three do not fit in 64 bits. */
static uint64_t number(bool huge)
{
	return huge && rand() % 3 == 0 ? UINT64_MAX - (unsigned)rand() % 4 : (unsigned)rand() % 5;
}

static void make_functions(struct given *g, bool huge)
{
	struct given_calls_function *f = g->functions;
	uint32_t i, k;
	char name[16];

	for (i = 0; i < g->n; i++) {
		f[i] = (struct given_calls_function){.self_weight = number(huge),
						     .self_hits = number(false)};
		if (g->calls.has_inclusive)
			f[i].inclusive_weight = number(huge);
		do {
			g->place[i] = (uint32_t)rand() % g->n;
			for (k = 0; k < i && g->place[k] != g->place[i];)
				k++;
		} while (k < i);
		f[i].name = strings_add(g->profile.strings, name,
					(size_t)sprintf(name, "f%u", g->place[i]));
	}
}

static void make_arcs(struct given *g, bool huge)
{
	uint32_t i, k, l, density = 1 + (uint32_t)rand() % 6;

	for (i = 0; i < g->n; i++)
		for (k = 0; k < g->n; k++) {
			struct given_calls_arc *a = &g->arcs[g->calls.n_arcs];

			if ((uint32_t)rand() % 8 >= density)
				continue;
			*a = (struct given_calls_arc){i, k, number(huge), 0};
			if (g->calls.has_inclusive)
				a->weight = number(huge);
			g->arc[g->place[i]][g->place[k]] = a;
			g->reaches[g->place[i]][g->place[k]] = true;
			g->calls.n_arcs++;
		}
	for (l = 0; l < g->n; l++)
		for (i = 0; i < g->n; i++)
			for (k = 0; k < g->n; k++)
				g->reaches[i][k] |= g->reaches[i][l] && g->reaches[l][k];
}

static void make(struct given *g)
{
	bool huge = rand() % 2;

	*g = (struct given){.n = 1 + (uint32_t)rand() % FUNCTIONS};
	g->profile.strings = strings_new();
	g->profile.given_calls = &g->calls;
	g->profile.weight = number(huge);
	g->profile.hits = number(false);
	g->calls.functions = g->functions;
	g->calls.arcs = g->arcs;
	g->calls.n_functions = g->n;
	g->calls.has_inclusive = rand() % 2;
	g->calls.has_totals = rand() % 2;
	make_functions(g, huge);
	make_arcs(g, huge);
}

static bool is_one_cycle(const struct given *g, uint32_t f, uint32_t h)
{
	return f == h || (g->reaches[f][h] && g->reaches[h][f]);
}

static uint64_t at_most(unsigned __int128 value, uint64_t most)
{
	return value < most ? (uint64_t)value : most;
}

/* ---- where calls come from outside ---- */

/* By its own numbers: more time than its callers answer for, or no callers. */
static struct graph_start own_start(const struct given *g, uint32_t f)
{
	bool is_called = false;
	unsigned __int128 into = 0, inclusive = 0;
	uint32_t i;

	for (i = 0; i < g->n; i++) {
		if (g->place[i] == f)
			inclusive = g->functions[i].inclusive_weight;
		if (i == f || !g->arc[i][f])
			continue;
		is_called = true;
		into += g->arc[i][f]->weight;
	}
	return (struct graph_start){.is_start = inclusive > into || !is_called,
				    .weight = inclusive > into ? (uint64_t)(inclusive - into) : 0};
}

static bool cycle_is_entered(const struct given *g, uint32_t f)
{
	uint32_t i, k;

	for (i = 0; i < g->n; i++) {
		if (!is_one_cycle(g, f, i))
			continue;
		if (own_start(g, i).is_start)
			return true;
		for (k = 0; k < g->n; k++)
			if (g->arc[k][i] && !is_one_cycle(g, f, k))
				return true;
	}
	return false;
}

/* How often the others of its cycle call it, as far as 64 bits can tell. */
static uint64_t calls_of(const struct given *g, uint32_t f)
{
	unsigned __int128 n = 0;
	uint32_t i;

	for (i = 0; i < g->n; i++)
		if (i != f && g->arc[i][f] && is_one_cycle(g, f, i))
			n += g->arc[i][f]->count;
	return at_most(n, UINT64_MAX);
}

/* The first by name of those that are called least by the others of their cycle. */
static bool is_way_in(const struct given *g, uint32_t f)
{
	uint32_t i;

	for (i = 0; i < g->n; i++)
		if (i != f && is_one_cycle(g, f, i) &&
		    (calls_of(g, i) < calls_of(g, f) ||
		     (calls_of(g, i) == calls_of(g, f) && i < f)))
			return false;
	return true;
}

static void check_starts(const struct given *g, const struct graph *graph)
{
	uint32_t f;

	for (f = 0; f < g->n; f++) {
		struct graph_start want = own_start(g, f);

		want.is_start |= !cycle_is_entered(g, f) && is_way_in(g, f);
		cr_assert_eq(graph->starts[f].is_start, want.is_start, "f%u", f);
		cr_assert_eq(graph->starts[f].weight, want.weight, "f%u", f);
	}
}

/* ---- functions and arcs ---- */

static uint64_t hits_of(const struct graph *graph, uint64_t total)
{
	return (uint64_t)(((unsigned __int128)total * graph->hits + graph->total / 2) /
			  graph->total);
}

static void check_functions(const struct given *g, const struct graph *graph)
{
	bool has_cycle = false;
	uint32_t i, k;

	for (i = 0; i < g->n; i++)
		for (k = 0; k < i; k++)
			has_cycle |= is_one_cycle(g, i, k);
	cr_assert_eq(graph->has_totals,
		     g->calls.has_inclusive && (g->calls.has_totals || !has_cycle));
	cr_assert_eq(graph->n_functions, g->n);
	for (i = 0; i < g->n; i++) {
		const struct given_calls_function *from = &g->functions[i];
		const struct tree_function *f = &graph->functions[g->place[i]];
		uint64_t total = at_most(from->inclusive_weight, graph->total);

		cr_assert_eq(f->name, from->name);
		cr_assert_eq(f->self,
			     graph->unit == TREE_HITS ? from->self_hits : from->self_weight);
		cr_assert_eq(f->self_hits, from->self_hits);
		cr_assert_eq(f->is_innermost, from->self_weight > 0 || from->self_hits > 0);
		cr_assert_eq(f->total, graph->has_totals ? total : 0);
		if (graph->has_totals && graph->total)
			cr_assert_eq(f->hits, hits_of(graph, total));
	}
}

static void check_arcs(const struct given *g, const struct graph *graph)
{
	size_t i;

	cr_assert_eq(graph->n_arcs, g->calls.n_arcs);
	for (i = 0; i < graph->n_arcs; i++) {
		const struct graph_arc *a = &graph->arcs[i];
		const struct given_calls_arc *from = g->arc[a->caller][a->callee];

		cr_assert(from);
		cr_assert(i == 0 || a[-1].caller < a->caller ||
			  (a[-1].caller == a->caller && a[-1].callee < a->callee));
		cr_assert_eq(a->calls, from->count);
		cr_assert_eq(a->stacks, from->weight);
		cr_assert_eq(a->weight, a->caller == a->callee ? 0 : from->weight);
		cr_assert(a->occurrences == (graph->has_weights ? from->weight : from->count));
	}
}

/* ---- totals that were propagated ---- */

static uint64_t rounded(const struct graph *graph, double weight)
{
	weight = nearbyint(weight);
	if (weight < 0)
		return 0;
	return weight < (double)graph->total ? (uint64_t)weight : graph->total;
}

/* A function gets its total, and an arc its own unless it was measured, or there is none. */
static void check_set_totals(struct graph *graph)
{
	double totals[FUNCTIONS], of_calls[FUNCTIONS * FUNCTIONS];
	struct graph_arc before[FUNCTIONS * FUNCTIONS];
	size_t i;

	for (i = 0; i < graph->n_functions; i++)
		totals[i] = (rand() % 100 - 10) / 8.0;
	for (i = 0; i < graph->n_arcs; i++) {
		of_calls[i] = rand() % 3 ? (rand() % 100 - 10) / 8.0 : (double)NAN;
		before[i] = graph->arcs[i];
	}
	graph_set_totals(graph, totals, of_calls);
	for (i = 0; i < graph->n_functions; i++) {
		cr_assert_eq(graph->functions[i].total, rounded(graph, totals[i]));
		if (graph->total)
			cr_assert_eq(graph->functions[i].hits,
				     hits_of(graph, graph->functions[i].total));
	}
	for (i = 0; i < graph->n_arcs; i++) {
		bool is_set = !graph->has_weights && !isnan(of_calls[i]);
		uint64_t weight = rounded(graph, of_calls[i]);

		cr_assert_eq(graph->arcs[i].weight, is_set ? weight : before[i].weight);
		cr_assert_eq(graph->arcs[i].stacks, is_set ? weight : before[i].stacks);
	}
}

Test(graph_from_calls, is_as_defined)
{
	static struct given g;
	int round;

	srand(1982);
	for (round = 0; round < ROUNDS; round++) {
		struct graph *graph;
		struct error err;

		make(&g);
		graph = graph_of_calls(&g.profile, rand() % 2 ? TREE_HITS : TREE_GTICKS, &err);
		cr_assert(graph, "%s", err.text);
		check_starts(&g, graph);
		check_functions(&g, graph);
		check_arcs(&g, graph);
		check_set_totals(graph);
		graph_free(graph);
		strings_free(g.profile.strings);
	}
}
