/* SPDX-License-Identifier: MIT */
/*
 * roots.c - finds the names of the tree that a function's name stands for.
 *
 * Shape room. In: struct tree and a name. Out: names of the tree.
 */
#include "roots.h"

#include <stdlib.h>
#include <string.h>

bool roots_is_place(const char *name, size_t n, const char *function, size_t n_function)
{
	if (n <= n_function || memcmp(name, function, n_function) != 0)
		return false;
	return name[n_function] == ' ' || strncmp(name + n_function, "+0x", 3) == 0;
}

static bool is_function(const char *name, size_t n, const char *function, size_t n_function)
{
	return n == n_function && memcmp(name, function, n) == 0;
}

/* The names that are in the tree and match, of all numbers up to n_names. */
static size_t choose(const struct tree *t, const bool *in_tree, const char *function,
		     bool (*matches)(const char *, size_t, const char *, size_t), uint32_t *found)
{
	size_t i, length, n = 0, n_names = strings_count(t->strings);

	for (i = 0; i < n_names; i++) {
		const char *name = strings_get(t->strings, (uint32_t)i, &length);

		if (in_tree[i] && matches(name, length, function, strlen(function)))
			found[n++] = (uint32_t)i;
	}
	return n;
}

uint32_t *roots_find(const struct tree *t, const char *name, size_t *n, struct error *err)
{
	size_t i, n_names = strings_count(t->strings);
	bool *in_tree = calloc(n_names + 1, sizeof(*in_tree));
	uint32_t *found = malloc((n_names + 1) * sizeof(*found));
	const char *function = name ? name : "main";

	if (!in_tree || !found) {
		free(in_tree);
		free(found);
		error_memory(err);
		return NULL;
	}
	for (i = 1; i < t->n_nodes; i++)
		in_tree[t->nodes[i].name] = true;
	*n = choose(t, in_tree, function, is_function, found);
	if (*n == 0)
		*n = choose(t, in_tree, function, roots_is_place, found);
	if (*n == 0 && !name && t->n_nodes > 1)
		found[(*n)++] = t->nodes[1].name;
	free(in_tree);
	return found;
}
