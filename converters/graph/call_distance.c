/* SPDX-License-Identifier: MIT */
/*
 * call_distance.c - counts calls along the arcs of a call graph, breadth-first.
 *
 * In: struct graph and the functions to begin at. Out: a number of calls for each function.
 */
#include "graph/call_distance.h"

#include <stdlib.h>

/* The arcs of function f lead to the functions next[first[f]] .. next[first[f + 1] - 1]. */
struct steps {
	uint32_t *first, *next;
	uint32_t *queue;
};

/* List the arcs of each function, with a counting sort. */
static int list_steps(struct steps *s, const struct graph *g, bool up)
{
	size_t i;

	s->first = calloc(g->n_functions + 2, sizeof(*s->first));
	s->next = calloc(g->n_arcs + 1, sizeof(*s->next));
	s->queue = calloc(g->n_functions + 1, sizeof(*s->queue));
	if (!s->first || !s->next || !s->queue)
		return -1;
	/* The counts are stored two elements ahead, because filling the lists moves each start
	 * forward to its final place. */
	for (i = 0; i < g->n_arcs; i++)
		s->first[(up ? g->arcs[i].callee : g->arcs[i].caller) + 2]++;
	for (i = 2; i < g->n_functions + 2; i++)
		s->first[i] += s->first[i - 1];
	for (i = 0; i < g->n_arcs; i++) {
		const struct graph_arc *a = &g->arcs[i];

		s->next[s->first[(up ? a->callee : a->caller) + 1]++] = up ? a->caller : a->callee;
	}
	return 0;
}

static void spread(struct steps *s, uint32_t *calls, size_t n_functions)
{
	uint32_t n = 0, i, k;

	for (i = 0; i < n_functions; i++)
		if (calls[i] == 0)
			s->queue[n++] = i;
	for (i = 0; i < n; i++) {
		uint32_t f = s->queue[i];

		for (k = s->first[f]; k < s->first[f + 1]; k++) {
			if (calls[s->next[k]] != CALL_DISTANCE_NEVER)
				continue;
			calls[s->next[k]] = calls[f] + 1;
			s->queue[n++] = s->next[k];
		}
	}
}

int call_distance_spread(uint32_t *calls, const struct graph *g, bool up, struct error *err)
{
	struct steps s = {0};
	int status = list_steps(&s, g, up);

	if (!status)
		spread(&s, calls, g->n_functions);
	free(s.first);
	free(s.next);
	free(s.queue);
	return status ? error_memory(err) : 0;
}
