/* SPDX-License-Identifier: MIT */
/*
 * propagate_graph.c - hands the numbers of a call graph to the propagation.
 *
 * Shape room. In: struct graph. Out: struct propagation.
 */
#include <stdlib.h>

#include "propagate.h"

/* What propagate reads; all of it is freed. */
struct copy {
	double *self, *outermost;
	struct propagate_call *calls;
};

/* The functions that stacks begin with. graph.functions are sorted by name, and so is nothing in
 * the tree: names are looked up through `index`. */
static int mark_outermost(const struct graph *g, double *outermost)
{
	const struct tree *t = g->tree;
	uint32_t *index = calloc(strings_count(t->strings) + 1, sizeof(*index)), i;

	if (!index)
		return -1;
	for (i = 0; i < g->n_functions; i++) {
		index[g->functions[i].name] = i;
		outermost[i] = -1;
	}
	for (i = 1; i < t->n_nodes; i = t->nodes[i].end)
		outermost[index[t->nodes[i].name]] = (double)t->nodes[i].total;
	free(index);
	return 0;
}

static int copy_graph(struct copy *c, const struct graph *g)
{
	size_t i;

	c->self = calloc(g->n_functions + 1, sizeof(*c->self));
	c->outermost = calloc(g->n_functions + 1, sizeof(*c->outermost));
	c->calls = calloc(g->n_arcs + 1, sizeof(*c->calls));
	if (!c->self || !c->outermost || !c->calls || mark_outermost(g, c->outermost))
		return -1;
	for (i = 0; i < g->n_functions; i++)
		c->self[i] = (double)g->functions[i].self;
	for (i = 0; i < g->n_arcs; i++)
		c->calls[i] = (struct propagate_call){
			.caller = g->arcs[i].caller,
			.callee = g->arcs[i].callee,
			.weight = (double)g->arcs[i].occurrences,
		};
	return 0;
}

int propagate_graph(struct propagation *p, const struct graph *g, struct error *err)
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
		};

		status = propagate(p, &in, err);
	}
	free(c.self);
	free(c.outermost);
	free(c.calls);
	return status;
}
