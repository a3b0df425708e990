/* SPDX-License-Identifier: MIT */
/*
 * callpath.c - orders, reads and frees a call path profile.
 *
 * Paths are sorted length by length. Two paths of the same length compare as pairs of numbers: the
 * rank of the parent among the paths that are shorter by one name, and the rank of the name among
 * all names. The number that stands for the outermost names is compared first; this is the parent
 * in a downward profile and the name in an upward one. So no comparison walks along a path,
 * however long it is.
 */
#include "tree/callpath.h"

#include <stdlib.h>

struct key {
	uint64_t value;
	uint32_t path;
};

struct sorting {
	const struct callpaths *paths;
	size_t n;	      /* number of paths without the empty one */
	uint32_t longest;     /* the largest number of names in a path */
	uint32_t *name_place; /* by name: its rank among all names */
	uint32_t *place;      /* by path: its rank among the paths of its length */
	size_t *start;	      /* by length: the index in `keys` of the first such path */
	struct key *keys;
};

static int compare_names(const void *a, const void *b, void *context)
{
	return strings_compare(context, *(const uint32_t *)a, *(const uint32_t *)b);
}

/* Rank all names of the string table that are in some path. */
static int sort_names(struct sorting *s)
{
	const struct callpaths *c = s->paths;
	size_t i, n = 0, n_names = strings_count(c->tree->strings);
	uint32_t *names = malloc((n_names + 1) * sizeof(*names));

	s->name_place = calloc(n_names + 1, sizeof(*s->name_place));
	if (!names || !s->name_place) {
		free(names);
		return -1;
	}
	for (i = 1; i <= s->n; i++)
		s->name_place[c->paths[i].name] = 1;
	for (i = 0; i < n_names; i++)
		if (s->name_place[i])
			names[n++] = (uint32_t)i;
	/* The comparison only reads; qsort_r has no const context. */
	qsort_r(names, n, sizeof(*names), compare_names, (void *)(uintptr_t)c->tree->strings);
	for (i = 0; i < n; i++)
		s->name_place[names[i]] = (uint32_t)i;
	free(names);
	return 0;
}

/* Sort the paths by length, with a counting sort. */
static int sort_lengths(struct sorting *s)
{
	const struct callpath *paths = s->paths->paths;
	size_t i;

	for (i = 1; i <= s->n; i++)
		if (paths[i].length > s->longest)
			s->longest = paths[i].length;
	s->start = calloc((size_t)s->longest + 3, sizeof(*s->start));
	if (!s->start)
		return -1;
	/* The counts are stored two elements ahead, because filling in moves each start forward to
	 * its final place. */
	for (i = 1; i <= s->n; i++)
		s->start[paths[i].length + 2]++;
	for (i = 2; i < (size_t)s->longest + 3; i++)
		s->start[i] += s->start[i - 1];
	for (i = 1; i <= s->n; i++)
		s->keys[s->start[paths[i].length + 1]++].path = (uint32_t)i;
	return 0;
}

static int compare_keys(const void *a, const void *b)
{
	const struct key *x = a, *y = b;

	return (x->value > y->value) - (x->value < y->value);
}

static void sort_length(struct sorting *s, uint32_t length)
{
	size_t i, from = s->start[length], end = s->start[length + 1];

	for (i = from; i < end; i++) {
		const struct callpath *p = &s->paths->paths[s->keys[i].path];
		uint64_t parent = s->place[p->parent], name = s->name_place[p->name];

		s->keys[i].value = s->paths->up ? name << 32 | parent : parent << 32 | name;
	}
	if (end - from > 1)
		qsort(s->keys + from, end - from, sizeof(*s->keys), compare_keys);
	for (i = from; i < end; i++)
		s->place[s->keys[i].path] = (uint32_t)(i - from);
}

struct ranked {
	uint64_t weight;
	uint32_t place; /* rank by length, then by names */
};

/* Sort by weight descending, then by rank. */
static int compare_ranked(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	if (x->weight != y->weight)
		return x->weight < y->weight ? 1 : -1;
	return (x->place > y->place) - (x->place < y->place);
}

static int sort_weights(const struct sorting *s, uint32_t *order)
{
	struct ranked *ranked = malloc((s->n + 1) * sizeof(*ranked));
	size_t i;

	if (!ranked)
		return -1;
	for (i = 0; i < s->n; i++)
		ranked[i] = (struct ranked){s->paths->paths[s->keys[i].path].weight, (uint32_t)i};
	qsort(ranked, s->n, sizeof(*ranked), compare_ranked);
	for (i = 0; i < s->n; i++)
		order[i] = s->keys[ranked[i].place].path;
	free(ranked);
	return 0;
}

static int sort(struct sorting *s, uint32_t *order)
{
	uint32_t length;

	s->place = calloc(s->n + 1, sizeof(*s->place));
	s->keys = malloc((s->n + 1) * sizeof(*s->keys));
	if (!s->place || !s->keys || sort_names(s) || sort_lengths(s))
		return -1;
	for (length = 1; length <= s->longest; length++)
		sort_length(s, length);
	free(s->place);
	s->place = NULL;
	return sort_weights(s, order);
}

int callpath_order(struct callpaths *c, struct error *err)
{
	struct sorting s = {.paths = c, .n = c->n_paths - 1};
	int status;

	c->order = malloc(c->n_paths * sizeof(*c->order));
	status = c->order ? sort(&s, c->order) : -1;
	free(s.name_place);
	free(s.place);
	free(s.start);
	free(s.keys);
	return status ? error_memory(err) : 0;
}

void callpath_free(struct callpaths *c)
{
	if (!c)
		return;
	free(c->paths);
	free(c->order);
	free(c);
}

void callpath_names(const struct callpaths *c, uint32_t path, uint32_t *names)
{
	uint32_t length = c->paths[path].length;

	for (; path != 0; path = c->paths[path].parent) {
		uint32_t left = c->paths[path].length; /* names of this part */

		names[c->up ? length - left : left - 1] = c->paths[path].name;
	}
}
