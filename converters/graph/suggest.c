/* SPDX-License-Identifier: MIT */
/*
 * suggest.c - finds names of functions that resemble a given one.
 *
 * In: struct tree and a name. Out: text for an error message.
 */
#include "graph/suggest.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SHOWN	   3u
#define LENGTH_MAX 64u /* for a longer name, only whether it contains the given one is looked at */

struct candidate {
	uint32_t distance;
	uint64_t total;
	uint32_t name;
};

static uint32_t least(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

/* Count the edits that turn one text into the other: insert, delete or replace a byte, or swap two
 * neighbours. This is the optimal string alignment distance; only three rows of its matrix are
 * held. */
static uint32_t edits(const char *a, size_t n_a, const char *b, size_t n_b)
{
	uint32_t rows[3][LENGTH_MAX + 1], *before = rows[0], *last = rows[1], *row = rows[2];
	size_t i, k;

	for (k = 0; k <= n_b; k++)
		last[k] = (uint32_t)k;
	for (i = 1; i <= n_a; i++) {
		uint32_t *oldest = before;

		row[0] = (uint32_t)i;
		for (k = 1; k <= n_b; k++) {
			row[k] = least(least(last[k], row[k - 1]) + 1,
				       last[k - 1] + (a[i - 1] != b[k - 1]));
			if (i > 1 && k > 1 && a[i - 1] == b[k - 2] && a[i - 2] == b[k - 1])
				row[k] = least(row[k], before[k - 2] + 1);
		}
		before = last;
		last = row;
		row = oldest;
	}
	return last[n_b];
}

/* Names that differ only in case come first, then those that are a few edits away, then those that
 * contain the wanted text. */
uint32_t suggest_distance(const char *wanted, const char *name)
{
	size_t n_wanted = strlen(wanted), n = strlen(name);
	uint32_t d = SUGGEST_FAR;

	if (strcasecmp(wanted, name) == 0)
		return 0;
	if (n <= LENGTH_MAX && n_wanted <= LENGTH_MAX)
		d = edits(wanted, n_wanted, name, n);
	if (d <= 1 + n_wanted / 4)
		return d;
	return n_wanted > 0 && strcasestr(name, wanted) ? LENGTH_MAX + 1 : SUGGEST_FAR;
}

static int compare(const void *a, const void *b, void *context)
{
	const struct candidate *x = a, *y = b;

	if (x->distance != y->distance)
		return x->distance < y->distance ? -1 : 1;
	if (x->total != y->total)
		return x->total < y->total ? 1 : -1;
	return strings_compare(context, x->name, y->name);
}

/* List all functions, the nearest first. */
static struct candidate *rank(const struct strings *strings, const struct tree_function *functions,
			      size_t n, const char *wanted)
{
	struct candidate *ranked = calloc(n + 1, sizeof(*ranked));
	size_t i;

	for (i = 0; ranked && i < n; i++) {
		const char *name = strings_shown(strings, functions[i].name, NULL);

		ranked[i] = (struct candidate){suggest_distance(wanted, name), functions[i].total,
					       functions[i].name};
	}
	if (ranked)
		qsort_r(ranked, n, sizeof(*ranked), compare, (void *)(uintptr_t)strings);
	return ranked;
}

int suggest_of(const struct strings *strings, const struct tree_function *functions, size_t n,
	       const char *name, struct error *err)
{
	char similar[512] = "";
	size_t i, used = 0;
	struct candidate *found = rank(strings, functions, n, name);

	if (!found)
		return error_memory(err);
	for (i = 0; i < n && i < SHOWN && found[i].distance != SUGGEST_FAR; i++)
		if (used < sizeof(similar))
			used += (size_t)snprintf(similar + used, sizeof(similar) - used, "%s%s",
						 i ? ", " : "; similar: ",
						 strings_shown(strings, found[i].name, NULL));
	free(found);
	return error_set(err, "no function \"%s\" in the profile%s", name,
			 *similar ? similar
			 : n	  ? "; the view functions lists all"
				  : "");
}

int suggest_functions(const struct tree *t, const char *name, struct error *err)
{
	size_t n;
	struct tree_function *functions = tree_functions(t, &n, err);

	if (functions)
		suggest_of(t->strings, functions, n, name, err);
	free(functions);
	return -1;
}

int suggest_of_graph(const struct graph *g, const char *name, struct error *err)
{
	return suggest_of(g->strings, g->functions, g->n_functions, name, err);
}

int suggest_focus(const struct filter *f, const struct profile *p, struct symbols *s,
		  struct error *err)
{
	const struct patterns *focus = &f->of[FILTER_FOCUS];
	struct error similar;
	struct tree *all;

	if (!focus->n_values || patterns_matched(focus))
		return 0;
	all = tree_build(p, s, &(struct tree_options){0}, err);
	if (!all)
		return -1;
	suggest_functions(all, patterns_unmatched(focus, 0), &similar);
	tree_free(all);
	return error_set(err, "--focus: %s", similar.text);
}
