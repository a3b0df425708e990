/* SPDX-License-Identifier: MIT */
/*
 * graphs.c - trees and directed graphs of numbers: preorder, strongly connected components.
 */
#include <stdlib.h>
#include <string.h>

#include "base/graphs.h"

/* ---- preorder -------------------------------------------------------------------------------- */

/* The children of node i are list[start[i]] .. list[start[i + 1] - 1]. */
struct children {
	uint32_t *start, *list;
};

/* List the children of all nodes, with a counting sort by parent. */
static int gather_children(const struct preorder_tree *t, struct children *c)
{
	size_t i;

	c->start = calloc(t->n + 2, sizeof(*c->start));
	c->list = malloc(t->n * sizeof(*c->list));
	if (!c->start || !c->list)
		return -1;
	/* The children are counted two places ahead, because filling the lists moves each start by
	 * one place. */
	for (i = 1; i < t->n; i++)
		c->start[t->parents[i] + 2]++;
	for (i = 2; i < t->n + 2; i++)
		c->start[i] += c->start[i - 1];
	for (i = 1; i < t->n; i++)
		c->list[c->start[t->parents[i] + 1]++] = (uint32_t)i;
	return 0;
}

static void sort_siblings(const struct preorder_tree *t, const struct children *c)
{
	size_t i;

	for (i = 0; i < t->n; i++) {
		size_t n = c->start[i + 1] - c->start[i];

		if (n > 1)
			qsort_r(c->list + c->start[i], n, sizeof(*c->list), t->compare, t->context);
	}
}

/* Because parents have lower numbers than their children, a loop down over the numbers finds the
 * sizes of the subtrees, and a loop up finds the places. */
static void number(const struct preorder_tree *t, const struct children *c, uint32_t *size,
		   uint32_t *place)
{
	size_t i;

	for (i = 0; i < t->n; i++)
		size[i] = 1;
	for (i = t->n; i-- > 1;)
		size[t->parents[i]] += size[i];
	place[0] = 0;
	for (i = 0; i < t->n; i++) {
		uint32_t next = place[i] + 1, k;

		for (k = c->start[i]; k < c->start[i + 1]; k++) {
			place[c->list[k]] = next;
			next += size[c->list[k]];
		}
	}
}

uint32_t *preorder_places(const struct preorder_tree *tree, struct error *err)
{
	uint32_t *place = malloc(tree->n * sizeof(*place)), *size = NULL;
	struct children c = {0};

	if (place && !gather_children(tree, &c)) {
		sort_siblings(tree, &c);
		size = malloc(tree->n * sizeof(*size));
	}
	if (size) {
		number(tree, &c, size, place);
	} else {
		free(place);
		place = NULL;
		error_memory(err);
	}
	free(c.start);
	free(c.list);
	free(size);
	return place;
}

/* ---- strong components ----------------------------------------------------------------------- */

#define OPEN UINT32_MAX /* the vertex is in no component yet, whether visited or not */

struct search {
	const struct successors *graph;
	struct strong_components *found;
	uint32_t *number; /* by vertex: 1, 2, ... in order of the first visit; 0: not visited */
	uint32_t *low;	/* by vertex: the lowest number of a vertex that is known to be reachable */
	uint32_t *next; /* by vertex: the arc to be looked at next */
	uint32_t *path; /* the vertices from the start of the search to the current one */
	uint32_t *open; /* the vertices that are visited but in no component, by number */
	uint32_t n_visited, n_path, n_open, n_members;
};

static void visit(struct search *s, uint32_t v)
{
	s->number[v] = s->low[v] = ++s->n_visited;
	s->next[v] = s->graph->first[v];
	s->path[s->n_path++] = v;
	s->open[s->n_open++] = v;
}

/* Make a component of the open vertices from v on. */
static void close_component(struct search *s, uint32_t v)
{
	struct strong_components *c = s->found;
	uint32_t member;

	do {
		member = s->open[--s->n_open];
		c->of[member] = c->n;
		c->members[s->n_members++] = member;
	} while (member != v);
	c->first[++c->n] = s->n_members;
}

static void leave(struct search *s, uint32_t v)
{
	uint32_t caller;

	s->n_path--;
	if (s->low[v] == s->number[v])
		close_component(s, v);
	if (s->n_path == 0)
		return;
	caller = s->path[s->n_path - 1];
	if (s->low[v] < s->low[caller])
		s->low[caller] = s->low[v];
}

static void search_from(struct search *s, uint32_t start)
{
	const struct successors *g = s->graph;

	visit(s, start);
	while (s->n_path > 0) {
		uint32_t v = s->path[s->n_path - 1], w;

		if (s->next[v] == g->first[v + 1]) {
			leave(s, v);
			continue;
		}
		w = g->target[s->next[v]++];
		if (s->number[w] == 0)
			visit(s, w);
		else if (s->found->of[w] == OPEN && s->number[w] < s->low[v])
			s->low[v] = s->number[w];
	}
}

int strong_components_find(struct strong_components *c, const struct successors *graph,
			   struct error *err)
{
	size_t n = graph->n;
	uint32_t *block = calloc(5 * n + 1, sizeof(*block)), v;
	struct search s = {.graph = graph, .found = c};

	*c = (struct strong_components){
		.of = malloc((n + 1) * sizeof(*c->of)),
		.first = calloc(n + 1, sizeof(*c->first)),
		.members = malloc((n + 1) * sizeof(*c->members)),
	};
	if (!block || !c->of || !c->first || !c->members) {
		free(block);
		strong_components_free(c);
		return error_memory(err);
	}
	s.number = block;
	s.low = block + n;
	s.next = block + 2 * n;
	s.path = block + 3 * n;
	s.open = block + 4 * n;
	memset(c->of, 0xff, n * sizeof(*c->of));
	for (v = 0; v < graph->n; v++)
		if (s.number[v] == 0)
			search_from(&s, v);
	free(block);
	return 0;
}

void strong_components_free(struct strong_components *c)
{
	free(c->of);
	free(c->first);
	free(c->members);
	*c = (struct strong_components){0};
}
