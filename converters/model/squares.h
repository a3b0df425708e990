/* SPDX-License-Identifier: MIT */
/*
 * squares.h - sums of the squared weights of samples, by node of a tree.
 *
 * In: weights. Out: sums, from which follows how far chance alone may have moved a weight.
 *
 * The sums are whole numbers, so that they do not depend on the order in which they are made. One that
 * does not fit stays at the largest number.
 */
#ifndef SQUARES_H
#define SQUARES_H

#include <stddef.h>
#include <stdint.h>

struct squares {
	unsigned __int128 *of; /* by node, n of them; nodes beyond these have 0 */
	size_t n, size;
};

/* The square of the weight that `hits` samples had together, if it is divided among them evenly. */
static inline unsigned __int128 squares_of(uint64_t weight, uint64_t hits)
{
	return (unsigned __int128)weight * weight / (hits ? hits : 1);
}

static inline unsigned __int128 squares_sum(unsigned __int128 a, unsigned __int128 b)
{
	unsigned __int128 sum;

	return __builtin_add_overflow(a, b, &sum) ? ~(unsigned __int128)0 : sum;
}

static inline unsigned __int128 squares_get(const struct squares *s, size_t node)
{
	return node < s->n ? s->of[node] : 0;
}

/* Add to the sum of a node. -1: memory. */
int squares_add(struct squares *s, size_t node, unsigned __int128 value);

void squares_free(struct squares *s);

#endif
