/* SPDX-License-Identifier: MIT */
/*
 * bodies.c - weighs the instructions of functions.
 *
 * In: the places of functions. Out: struct bodies.
 *
 * Two places may be in one instruction: a call that was about to run, and the same call while it runs.
 * So the stacks are counted by instruction, and not by place.
 */
#include "annotate/bodies.h"

#include <stdlib.h>
#include <string.h>

static int compare(const void *a, const void *b)
{
	const struct body *x = a, *y = b;

	if (x->module != y->module)
		return x->module < y->module ? -1 : 1;
	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return (x->end > y->end) - (x->end < y->end);
}

static int list_bodies(struct bodies *b, const struct code_places *p, struct error *err)
{
	size_t i, n = 0;

	b->list = calloc(p->n_names + 1, sizeof(*b->list));
	if (!b->list)
		return error_memory(err);
	for (i = 0; i < p->n_names; i++) {
		const struct code_place *at = &p->by_name[i];

		if (at->is_ours && at->is.has_start && at->is.end)
			b->list[n++] = (struct body){.function = at->is.function,
						     .module = at->module,
						     .start = at->is.start,
						     .end = at->is.end};
	}
	qsort(b->list, n, sizeof(*b->list), compare);
	for (i = 0; i < n; i++)
		if (!b->n || compare(&b->list[b->n - 1], &b->list[i]))
			b->list[b->n++] = b->list[i];
	return 0;
}

static int read_body(struct body *to, struct symbols *symbols, struct error *err)
{
	struct error why;

	if (instructions_read(&to->is, symbols, to->module, to->start, to->end, &why)) {
		instructions_free(&to->is);
		to->why = strdup(why.text);
		return to->why ? 0 : error_memory(err);
	}
	to->weights = calloc(to->is.n + 1, sizeof(*to->weights));
	return to->weights ? 0 : error_memory(err);
}

static struct instruction_weight *weight_of(const struct bodies *b, const struct code_place *at)
{
	struct body wanted = {.module = at->module, .start = at->is.start, .end = at->is.end};
	struct body *body = bsearch(&wanted, b->list, b->n, sizeof(*b->list), compare);
	size_t i = body ? instructions_find(&body->is, at->address) : 0;

	return body && i < body->is.n ? &body->weights[i] : NULL;
}

static void weigh(struct bodies *b, const struct code_places *p, const struct tree *t)
{
	for (size_t i = 1; i < t->n_nodes; i++) {
		const struct tree_node *node = &t->nodes[i];
		const struct code_place *at = &p->by_name[node->name];
		struct instruction_weight *to = at->is_ours ? weight_of(b, at) : NULL;

		if (!to)
			continue;
		to->self += node->self;
		b->self += node->self;
		if (i < to->until)
			continue;
		to->total += node->total;
		to->hits += node->hits;
		to->until = node->end;
	}
}

int bodies_find(struct bodies *b, const struct code_places *p, struct symbols *symbols,
		const struct tree *tree, struct error *err)
{
	*b = (struct bodies){0};
	if (list_bodies(b, p, err))
		return -1;
	for (size_t i = 0; i < b->n; i++)
		if (read_body(&b->list[i], symbols, err))
			return -1;
	weigh(b, p, tree);
	return 0;
}

void bodies_free(struct bodies *b)
{
	for (size_t i = 0; b->list && i < b->n; i++) {
		instructions_free(&b->list[i].is);
		free(b->list[i].weights);
		free(b->list[i].why);
	}
	free(b->list);
	*b = (struct bodies){0};
}
