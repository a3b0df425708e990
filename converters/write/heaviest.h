/* SPDX-License-Identifier: MIT */
/*
 * heaviest.h - which rows are among the N heaviest.
 *
 * In: the weights of all rows, twice. Out: yes or no for each row.
 */
#ifndef HEAVIEST_H
#define HEAVIEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Begins as {.n = N}; N = 0: no limit, every row is taken. The first time every weight is added,
 * the second time each row is taken or not. Of rows of the same weight the first ones win. */
struct heaviest {
	uint64_t n;
	uint64_t *heap; /* the heaviest so far, the least of them first */
	size_t count, size;
	uint64_t ties; /* rows of the least weight that still may be taken */
};

/* -1: memory is out. */
int heaviest_add(struct heaviest *t, uint64_t weight);
/* Would this row be too light already? Then so is every lighter one. */
bool heaviest_is_passed(const struct heaviest *t, uint64_t weight);
/* All weights are added. */
void heaviest_close(struct heaviest *t);
bool heaviest_take(struct heaviest *t, uint64_t weight);
void heaviest_free(struct heaviest *t);

#endif
