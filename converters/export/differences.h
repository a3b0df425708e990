/* SPDX-License-Identifier: MIT */
/*
 * differences.h - what stacks have before and after, as signed numbers whose sum is the difference.
 *
 * In: the nodes of a profile with a base, in any order. Out: what each contributes.
 *
 * As --base counts it: sums of all runs if there are as many on both sides and they are not scaled, else means.
 */
#ifndef DIFFERENCES_H
#define DIFFERENCES_H

#include <stdbool.h>

#include "model/profile.h"

struct differences;

/* Of two's complement: those of the runs before are negative. */
struct difference {
	uint64_t hits, weight;
};

/* NULL: out of memory. The caller frees it with free(). */
struct differences *differences_new(const struct profile *p, bool normalizes);
/* A node of that column. What is rounded goes to the nodes that come later, so that all together are the whole. */
struct difference differences_add(struct differences *d, size_t column,
				  const struct profile_node *node);

#endif
