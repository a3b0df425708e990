/* SPDX-License-Identifier: MIT */
/*
 * tree_functions.c - adds up the weights of the tree's nodes by function.
 *
 * In: struct tree. Out: an array of struct tree_function, each stack counted once.
 */
#include <stdlib.h>
#include <string.h>

#include "tree/tree.h"

#define UNSEEN UINT32_MAX

struct sums {
	const struct tree *tree;
	struct tree_function *functions;
	size_t n;
	uint32_t *index;  /* by name: the index of its function, or UNSEEN */
	uint32_t *active; /* by function: how often it is on the current path */
	uint32_t *path;	  /* by depth: the function there */
};

static int count_functions(struct sums *s)
{
	const struct tree *t = s->tree;
	size_t i, n_names = strings_count(t->strings);

	s->index = malloc((n_names + 1) * sizeof(*s->index));
	if (!s->index)
		return -1;
	memset(s->index, 0xff, (n_names + 1) * sizeof(*s->index));
	for (i = 1; i < t->n_nodes; i++)
		if (s->index[t->nodes[i].name] == UNSEEN)
			s->index[t->nodes[i].name] = (uint32_t)s->n++;
	s->functions = calloc(s->n + 1, sizeof(*s->functions));
	s->active = calloc(s->n + 1, sizeof(*s->active));
	s->path = malloc((tree_height(t) + 1) * sizeof(*s->path));
	for (i = 0; s->functions && i < s->n; i++)
		s->functions[i].is_inline = true;
	return s->functions && s->active && s->path ? 0 : -1;
}

/* No sum can overflow, because a function's total and self are parts of the tree's total. */
static void sum(struct sums *s)
{
	const struct tree *t = s->tree;
	uint32_t open = 0;
	size_t i;

	for (i = 1; i < t->n_nodes; i++) {
		const struct tree_node *n = &t->nodes[i];
		uint32_t number = s->index[n->name];
		struct tree_function *f = &s->functions[number];

		while (open > n->depth)
			s->active[s->path[--open]]--;
		f->name = n->name;
		f->is_inline = f->is_inline && tree_is_inline(t, i);
		f->self += n->self;
		f->squares.self += t->squares ? t->squares[i].self : 0;
		f->self_hits += n->self_hits;
		f->is_innermost |= n->self > 0 || n->self_hits > 0 || n->end == i + 1;
		if (s->active[number]++ == 0) {
			f->total += n->total;
			f->squares.total += t->squares ? t->squares[i].total : 0;
			f->hits += n->hits;
		}
		s->path[open++] = number;
	}
}

struct tree_function *tree_functions(const struct tree *t, size_t *n, struct error *err)
{
	struct sums s = {.tree = t};

	if (count_functions(&s)) {
		free(s.functions);
		s.functions = NULL;
		error_memory(err);
	} else {
		sum(&s);
	}
	free(s.index);
	free(s.active);
	free(s.path);
	*n = s.n;
	return s.functions;
}
