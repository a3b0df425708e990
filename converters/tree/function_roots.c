/* SPDX-License-Identifier: MIT */
/*
 * function_roots.c - finds the names of the tree that a function's name stands for.
 *
 * In: struct tree and a name. Out: names of the tree.
 */
#include "tree/function_roots.h"

#include <stdlib.h>
#include <string.h>

/* " FILE:LINE" or "+0xOFFSET"? */
static bool is_place(const char *text, size_t n)
{
	size_t digits = 0;

	if (n > 3 && strncmp(text, "+0x", 3) == 0)
		return strspn(text + 3, "0123456789abcdef") == n - 3;
	while (digits < n && text[n - 1 - digits] >= '0' && text[n - 1 - digits] <= '9')
		digits++;
	return *text == ' ' && digits > 0 && digits + 2 < n && text[n - 1 - digits] == ':';
}

bool function_roots_is_place(const char *name, size_t n, const char *function, size_t n_function)
{
	return n > n_function && memcmp(name, function, n_function) == 0 &&
	       is_place(name + n_function, n - n_function);
}

uint32_t *function_roots_find(const struct tree *t, const char *name, size_t *n, struct error *err)
{
	size_t i, length, n_names = strings_count(t->strings);
	bool *in_tree = calloc(n_names + 1, sizeof(*in_tree));
	uint32_t *found = malloc((n_names + 1) * sizeof(*found));
	const char *function = name ? name : "main";
	uint32_t exact;
	bool with_places;

	if (!in_tree || !found) {
		free(in_tree);
		free(found);
		error_memory(err);
		return NULL;
	}
	for (i = 1; i < t->n_nodes; i++)
		in_tree[t->nodes[i].name] = true;
	exact = strings_find(t->strings, function, strlen(function));
	with_places = t->has_places || exact == STRINGS_NONE || !in_tree[exact];
	*n = 0;
	for (i = 0; i < n_names; i++) {
		const char *bytes = strings_get(t->strings, (uint32_t)i, &length);

		if (in_tree[i] &&
		    (i == exact || (with_places && function_roots_is_place(bytes, length, function,
									   strlen(function)))))
			found[(*n)++] = (uint32_t)i;
	}
	if (*n == 0 && !name && t->n_nodes > 1)
		found[(*n)++] = t->nodes[1].name;
	free(in_tree);
	return found;
}
