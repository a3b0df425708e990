/* SPDX-License-Identifier: MIT */
/*
 * pieces.h - address ranges that nest and overlap, cut so that each address has one owner.
 */
#ifndef PIECES_H
#define PIECES_H

#include <stddef.h>
#include <stdint.h>

#define PIECES_NONE UINT32_MAX

/* From here to the next piece's start. */
struct piece {
	uint64_t start;
	uint32_t owner; /* index of a range, or PIECES_NONE */
};

struct pieces {
	struct piece *list; /* disjoint, by start */
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
int pieces_cut(struct pieces *p, const void *ranges, size_t stride, size_t n);

/* The range that the address belongs to, or PIECES_NONE. */
uint32_t pieces_find(const struct pieces *p, uint64_t address);

/* Frees what p holds; p is then empty. */
void pieces_clear(struct pieces *p);

#endif
