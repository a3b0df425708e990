/* SPDX-License-Identifier: MIT */
/*
 * address_ranges.h - cuts address ranges that nest and overlap, so that each address has one owner.
 *
 * In: sorted ranges. Out: the range that an address belongs to.
 */
#ifndef ADDRESS_RANGES_H
#define ADDRESS_RANGES_H

#include <stddef.h>
#include <stdint.h>

#define ADDRESS_RANGES_NONE UINT32_MAX

/* A piece, which reaches from its start to the start of the next piece. */
struct address_range {
	uint64_t start;
	uint32_t owner; /* index of a range, or ADDRESS_RANGES_NONE */
};

struct address_ranges {
	struct address_range *list; /* disjoint, by start */
	size_t n;
	/* An index: the addresses from the start of the first piece are divided into stretches of
	 * 2^shift addresses. before[i] is the number of pieces that start before stretch i, and
	 * before[n_stretches] the number of all pieces. NULL: there is no index. */
	uint32_t *before;
	size_t n_stretches;
	unsigned shift;
};

/*
 * Cut `n` ranges into pieces. Each range takes `stride` bytes, which begin with two uint64_t: its
 * start and its end (exclusive, above the start). The caller has sorted the ranges by start, longer
 * ranges before shorter ones, and equal ranges so that the preferred one is the last. An address
 * belongs to the last range in this order that covers it, which is the innermost one if the ranges
 * nest. *p is overwritten. Returns 0 or -ENOMEM.
 */
int address_ranges_cut(struct address_ranges *p, const void *ranges, size_t stride, size_t n);

/* The range that the address belongs to, or ADDRESS_RANGES_NONE. */
uint32_t address_ranges_find(const struct address_ranges *p, uint64_t address);

/* Free what p holds; p is then empty. */
void address_ranges_clear(struct address_ranges *p);

#endif
