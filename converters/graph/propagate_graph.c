/* SPDX-License-Identifier: MIT */
/*
 * propagate_graph.c - propagates the times of a call graph.
 *
 * In: struct graph. Out: struct propagation.
 */
#include <stdlib.h>

#include "graph/graph.h"
#include "graph/propagate.h"

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
