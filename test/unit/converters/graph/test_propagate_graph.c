/* SPDX-License-Identifier: MIT */
/* test_propagate_graph.c - propagated totals of stacks: what must hold of any, and where they begin. */
#include <math.h>
#include <stdlib.h>

#include "folded_text.h"
#include "graph/graph.h"
#include "graph/propagate.h"

static bool near(double a, double b)
{
	return isfinite(a) && isfinite(b) && fabs(a - b) <= 1e-9 * fmax(1, fmax(fabs(a), fabs(b)));
}

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
