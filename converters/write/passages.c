/* SPDX-License-Identifier: MIT */
/*
 * passages.c - walks the tree and notes where it comes from one shown function to another past others.
 *
 * In: struct pruned_graph. Out: passages.
 */
#include "write/passages.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/hash.h"

#define NOT_SHOWN UINT32_MAX

struct walk {
	const struct pruned_graph *d;
	const struct tree *t;
	uint32_t *shown; /* by name: the function, or NOT_SHOWN */
	uint32_t *
		above; /* by depth: the nearest function that is shown, and whether it is this node's */
	struct pair_table pairs;
};

static int walk_begin(struct walk *w, const struct pruned_graph *d)
{
	size_t names = strings_count(d->strings), i;

	*w = (struct walk){.d = d, .t = d->graph->tree};
	w->shown = malloc((names + 1) * sizeof(*w->shown));
	w->above = malloc((tree_height(w->t) + 2) * sizeof(*w->above));
	if (!w->shown || !w->above)
		return -1;
	memset(w->shown, 0xff, (names + 1) * sizeof(*w->shown));
	for (i = 0; i < d->n_nodes; i++) {
		uint32_t function = d->nodes[i].function;

		w->shown[d->graph->functions[function].name] = function;
	}
	return 0;
}

static void walk_end(struct walk *w)
{
	free(w->shown);
	free(w->above);
	pair_table_clear(&w->pairs);
}

static int add(struct passages *p, struct walk *w, uint32_t caller, uint32_t callee, double share)
{
	uint32_t number = pair_table_number(&w->pairs, caller, callee);

	if (number == PAIR_TABLE_NONE ||
	    !array_reserve(&p->list, &p->size, (size_t)number + 1, sizeof(*p->list)))
		return -1;
	if (number == p->n)
		p->list[p->n++] = (struct passage){caller, callee, 0};
	p->list[number].total += share;
	return 0;
}

/* above[depth + 1] is the nearest shown function on the path up to the node at this depth. */
static int follow(struct passages *p, struct walk *w)
{
	const struct tree *t = w->t;

	w->above[0] = NOT_SHOWN;
	for (size_t i = 1; i < t->n_nodes; i++) {
		const struct tree_node *n = &t->nodes[i];
		uint32_t own = w->shown[n->name], from = w->above[n->depth];
		bool is_direct = n->parent && w->shown[t->nodes[n->parent].name] != NOT_SHOWN;

		w->above[n->depth + 1] = own == NOT_SHOWN ? from : own;
		if (own == NOT_SHOWN || from == NOT_SHOWN || is_direct || from == own || !t->total)
			continue;
		if (add(p, w, from, own, (double)n->total / (double)t->total))
			return -1;
	}
	return 0;
}

static int compare(const void *a, const void *b)
{
	const struct passage *x = a, *y = b;

	if (x->caller != y->caller)
		return x->caller < y->caller ? -1 : 1;
	return (x->callee > y->callee) - (x->callee < y->callee);
}

int passages_find(struct passages *p, const struct pruned_graph *d)
{
	struct walk w;
	size_t i, n = 0;
	int status;

	*p = (struct passages){0};
	if (!d->graph->tree || d->n_nodes == d->graph->n_functions)
		return 0;
	status = walk_begin(&w, d);
	if (!status)
		status = follow(p, &w);
	walk_end(&w);
	for (i = 0; !status && i < p->n; i++)
		if (p->list[i].total * 100 >= d->edge_threshold)
			p->list[n++] = p->list[i];
	p->n = n;
	for (i = 0; i < n; i++)
		p->list[i].total = p->list[i].total > 1 ? 1 : p->list[i].total;
	if (n)
		qsort(p->list, n, sizeof(*p->list), compare);
	return status;
}

void passages_free(struct passages *p)
{
	free(p->list);
	*p = (struct passages){0};
}
