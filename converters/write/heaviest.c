/* SPDX-License-Identifier: MIT */
/*
 * heaviest.c - finds the weight that a row must have to be among the N heaviest.
 *
 * In: weights. Out: whether a row is among the N heaviest.
 *
 * The N heaviest weights are kept in a binary heap.
 */
#include "write/heaviest.h"

#include <stdlib.h>

#include "base/array.h"

bool heaviest_is_passed(const struct heaviest *t, uint64_t weight)
{
	return t->n > 0 && t->count == t->n && weight <= t->heap[0];
}

/* Put a heavier weight in the place of the lightest one. */
static void replace_least(struct heaviest *t, uint64_t weight)
{
	size_t i = 0, child;

	while ((child = 2 * i + 1) < t->count) {
		if (child + 1 < t->count && t->heap[child + 1] < t->heap[child])
			child++;
		if (t->heap[child] >= weight)
			break;
		t->heap[i] = t->heap[child];
		i = child;
	}
	t->heap[i] = weight;
}

int heaviest_add(struct heaviest *t, uint64_t weight)
{
	size_t i;

	if (t->n == 0 || heaviest_is_passed(t, weight))
		return 0;
	if (t->count == t->n) {
		replace_least(t, weight);
		return 0;
	}
	if (!array_reserve(&t->heap, &t->size, t->count + 1, sizeof(*t->heap)))
		return -1;
	for (i = t->count++; i > 0 && t->heap[(i - 1) / 2] > weight; i = (i - 1) / 2)
		t->heap[i] = t->heap[(i - 1) / 2];
	t->heap[i] = weight;
	return 0;
}

void heaviest_close(struct heaviest *t)
{
	size_t i;

	for (i = 0; i < t->count; i++)
		t->ties += t->heap[i] == t->heap[0];
}

bool heaviest_take(struct heaviest *t, uint64_t weight)
{
	if (t->n == 0)
		return true;
	if (t->count == 0 || weight < t->heap[0])
		return false;
	if (weight > t->heap[0])
		return true;
	return t->ties > 0 && t->ties--;
}

void heaviest_free(struct heaviest *t)
{
	free(t->heap);
	*t = (struct heaviest){0};
}
