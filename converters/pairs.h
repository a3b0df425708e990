/* SPDX-License-Identifier: MIT */
/*
 * pairs.h - distinct pairs of numbers, numbered 0, 1, 2, ... in order of arrival.
 *
 * Base room. In: (parent, name) of a tree, (caller, callee) of a graph. Out: their numbers.
 */
#ifndef PAIRS_H
#define PAIRS_H

#include <stddef.h>
#include <stdint.h>

#define PAIRS_NONE UINT32_MAX

struct pairs_slot {
	uint32_t a, b, number; /* number PAIRS_NONE: the slot is free */
};

struct pairs {
	struct pairs_slot *slots;
	size_t n_slots; /* a power of two, or 0 before the first pair */
	uint32_t count;
};

/* The number of (a, b); a new pair gets the number `count`. PAIRS_NONE: out of memory, or 2^32 - 1
 * pairs. A struct pairs begins as all zero. */
uint32_t pairs_number(struct pairs *t, uint32_t a, uint32_t b);
/* Frees what t holds; t is then empty. */
void pairs_clear(struct pairs *t);

#endif
