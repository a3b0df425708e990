/* SPDX-License-Identifier: MIT */
/*
 * differences.c - what stacks have before and after, as signed numbers whose sum is the difference.
 *
 * In: the nodes of a profile with a base. Out: what each contributes.
 */
#include "export/differences.h"

#include <stdlib.h>

/* What all nodes so far have, before anything is rounded. */
struct sums {
	uint64_t hits, weight;
};

struct differences {
	const struct profile *profile;
	bool normalizes;
	struct sums sums[]; /* by column */
};

struct differences *differences_new(const struct profile *p, bool normalizes)
{
	struct differences *d = calloc(1, sizeof(*d) + (p->n_columns + 1) * sizeof(d->sums[0]));

	if (d) {
		d->profile = p;
		d->normalizes = normalizes;
	}
	return d;
}

/* value * part / whole, rounded. */
static uint64_t scaled(uint64_t value, uint64_t part, unsigned __int128 whole)
{
	unsigned __int128 product = (unsigned __int128)value * part;
	unsigned __int128 quotient = whole ? product / whole : 0,
			  rest = whole ? product % whole : 0;

	quotient += whole && rest >= whole - rest;
	return quotient < INT64_MAX ? (uint64_t)quotient : INT64_MAX;
}

/* What a run has used, as --base counts it: the sums of all runs if there are as many on both sides and they are not
 * scaled, else means. */
static uint64_t mean(const struct differences *d, size_t column, uint64_t value)
{
	const struct profile *p = d->profile;
	size_t n_after = p->n_columns - p->n_base, n = column < p->n_base ? p->n_base : n_after;
	uint64_t before = 0;

	for (size_t i = 0; i < p->n_base; i++)
		before += p->columns[i].weight; /* a part of the sum of all, which fits */
	if (d->normalizes)
		value = scaled(value, before,
			       (unsigned __int128)p->columns[column].weight * n * p->n_base);
	else if (p->n_base != n_after)
		value = scaled(value, 1, n);
	return value;
}

/* Add a value to the sum of its column, and return by how much the mean has grown: so the parts add up, however small they
 * are. Those of the runs before are negative. */
static uint64_t grow(const struct differences *d, size_t column, uint64_t *sum, uint64_t value)
{
	uint64_t before = mean(d, column, *sum), grown;

	*sum += value;
	grown = mean(d, column, *sum) - before;
	return column < d->profile->n_base ? -grown : grown;
}

struct difference differences_add(struct differences *d, size_t column,
				  const struct profile_node *node)
{
	struct sums *s = &d->sums[column];

	return (struct difference){grow(d, column, &s->hits, node->self_hits),
				   grow(d, column, &s->weight, node->self_weight)};
}
