/* SPDX-License-Identifier: MIT */
/*
 * heaviest.h - finds the rows that are among the N heaviest.
 *
 * In: the weights of all rows, twice. Out: yes or no for each row.
 */
#ifndef HEAVIEST_H
#define HEAVIEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* It begins as {.n = N}; if N is 0 there is no limit and every row is taken. All weights are added
 * first. Then the rows are asked for in the same order. If not all rows of the same weight can be
 * taken, the first ones are. */
struct heaviest {
	uint64_t n;
	uint64_t *heap; /* the heaviest weights so far; the lightest of them is heap[0] */
	size_t count, size;
	uint64_t ties; /* how many rows of the least weight may still be taken */
};

/* Add a weight. Returns -1 if memory is out. */
int heaviest_add(struct heaviest *t, uint64_t weight);
/* Whether a row of this weight cannot be among the heaviest any more; then no lighter one can. */
bool heaviest_is_passed(const struct heaviest *t, uint64_t weight);
/* To be called when all weights have been added. */
void heaviest_close(struct heaviest *t);
bool heaviest_take(struct heaviest *t, uint64_t weight);
void heaviest_free(struct heaviest *t);

#endif
