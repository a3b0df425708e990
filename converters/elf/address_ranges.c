/* SPDX-License-Identifier: MIT */
/*
 * address_ranges.c - cuts address ranges into disjoint pieces.
 *
 * In: sorted ranges, which may nest, overlap or be forged. Out: pieces in which a lookup is one
 * binary search.
 */
#include "elf/address_ranges.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Fewer pieces than this need no index of stretches. */
#define FEW 32u

struct cut {
	struct address_ranges *pieces;
	const unsigned char *ranges;
	size_t stride;
	uint32_t *open; /* ranges that have not been closed; the last one is the innermost */
	size_t depth;
};

static uint64_t start_of(const struct cut *c, size_t range)
{
	uint64_t start;

	memcpy(&start, c->ranges + range * c->stride, sizeof(start));
	return start;
}

static uint64_t end_of(const struct cut *c, size_t range)
{
	uint64_t end;

	memcpy(&end, c->ranges + range * c->stride + sizeof(end), sizeof(end));
	return end;
}

static void add_piece(struct cut *c, uint64_t start, uint32_t owner)
{
	struct address_ranges *p = c->pieces;

	if (p->n > 0 && p->list[p->n - 1].start == start)
		p->n--;
	p->list[p->n++] = (struct address_range){start, owner};
}

/* Closes the ranges that end at or before this address. */
static void close_until(struct cut *c, uint64_t address)
{
	while (c->depth > 0 && end_of(c, c->open[c->depth - 1]) <= address) {
		uint64_t end = end_of(c, c->open[--c->depth]);

		add_piece(c, end, c->depth > 0 ? c->open[c->depth - 1] : ADDRESS_RANGES_NONE);
	}
}

/* Opens a range. Open ranges that end no later than the new one are dropped, because the new one
 * covers the rest of them. */
static void open_range(struct cut *c, uint32_t range)
{
	uint64_t end = end_of(c, range);

	while (c->depth > 0 && end_of(c, c->open[c->depth - 1]) <= end)
		c->depth--;
	c->open[c->depth++] = range;
	add_piece(c, start_of(c, range), range);
}

/* Divides the addresses into about as many stretches as there are pieces, so that a lookup searches
 * only the few pieces of one stretch. If memory is out, there is no index, and a lookup searches
 * all pieces. */
static void index_stretches(struct address_ranges *p)
{
	uint64_t base = p->list[0].start, span = p->list[p->n - 1].start - base;
	size_t stretch, i = 0;

	if (p->n < FEW || p->n >= UINT32_MAX)
		return;
	while (span >> p->shift >= p->n)
		p->shift++;
	p->n_stretches = (size_t)(span >> p->shift) + 1;
	p->before = reallocarray(NULL, p->n_stretches + 1, sizeof(*p->before));
	for (stretch = 0; p->before && stretch <= p->n_stretches; stretch++) {
		while (i < p->n && (p->list[i].start - base) >> p->shift < stretch)
			i++;
		p->before[stretch] = (uint32_t)i;
	}
}

int address_ranges_cut(struct address_ranges *p, const void *ranges, size_t stride, size_t n)
{
	struct cut c = {.pieces = p, .ranges = ranges, .stride = stride};

	*p = (struct address_ranges){0};
	if (n == 0)
		return 0;
	if (n >= ADDRESS_RANGES_NONE)
		return -ENOMEM;
	/* Each range adds at most two pieces: one at its start and one at its end. */
	p->list = reallocarray(NULL, 2 * n, sizeof(*p->list));
	c.open = reallocarray(NULL, n, sizeof(*c.open));
	if (!p->list || !c.open) {
		free(c.open);
		address_ranges_clear(p);
		return -ENOMEM;
	}
	for (size_t i = 0; i < n; i++) {
		close_until(&c, start_of(&c, i));
		open_range(&c, (uint32_t)i);
	}
	close_until(&c, UINT64_MAX);
	free(c.open);
	index_stretches(p);
	return 0;
}

uint32_t address_ranges_find(const struct address_ranges *p, uint64_t address)
{
	size_t low = 0, high = p->n;
	uint64_t stretch;

	if (p->before) {
		if (address < p->list[0].start)
			return ADDRESS_RANGES_NONE;
		stretch = (address - p->list[0].start) >> p->shift;
		low = p->before[stretch < p->n_stretches ? stretch : p->n_stretches];
		high = p->before[stretch < p->n_stretches ? stretch + 1 : p->n_stretches];
	}
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (p->list[middle].start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low > 0 ? p->list[low - 1].owner : ADDRESS_RANGES_NONE;
}

void address_ranges_clear(struct address_ranges *p)
{
	free(p->list);
	free(p->before);
	*p = (struct address_ranges){0};
}
