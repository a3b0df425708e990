/* SPDX-License-Identifier: MIT */
/*
 * address_ranges.h - address ranges that nest and overlap, cut so that each address has one owner.
 */
#ifndef ADDRESS_RANGES_H
#define ADDRESS_RANGES_H

#include <stddef.h>
#include <stdint.h>

#define ADDRESS_RANGES_NONE UINT32_MAX

/* From here to the next piece's start. */
struct address_range {
	uint64_t start;
	uint32_t owner; /* index of a range, or ADDRESS_RANGES_NONE */
};

struct address_ranges {
	struct address_range *list; /* disjoint, by start */
	size_t n;
	/* Stretches of 2^shift addresses, from that of the first piece on: the number of pieces before
	 * each, and behind the last. NULL: none. */
	uint32_t *before;
	size_t n_stretches;
	unsigned shift;
};

/*
 * Cut `n` ranges, each `stride` bytes that begin with two uint64_t, its start and its end
 * (exclusive, above the start). They are sorted: by start; the longer before the shorter; the worse
 * before the better. An address belongs to the last one in this order that covers it: to the
 * innermost, if they nest. 0 or -ENOMEM. *p is overwritten.
 */
int address_ranges_cut(struct address_ranges *p, const void *ranges, size_t stride, size_t n);

/* The range that the address belongs to, or ADDRESS_RANGES_NONE. */
uint32_t address_ranges_find(const struct address_ranges *p, uint64_t address);

/* Frees what p holds; p is then empty. */
void address_ranges_clear(struct address_ranges *p);

#endif
