/* SPDX-License-Identifier: MIT */
/*
 * squares.c - adds up squared weights by node.
 */
#include "model/squares.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

int squares_add(struct squares *s, size_t node, unsigned __int128 value)
{
	if (!value)
		return 0;
	if (node >= s->n) {
		if (!array_reserve(&s->of, &s->size, node + 1, sizeof(*s->of)))
			return -1;
		memset(s->of + s->n, 0, (node + 1 - s->n) * sizeof(*s->of));
		s->n = node + 1;
	}
	s->of[node] = squares_sum(s->of[node], value);
	return 0;
}

void squares_free(struct squares *s)
{
	free(s->of);
	*s = (struct squares){0};
}
