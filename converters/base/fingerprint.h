/* SPDX-License-Identifier: MIT */
/*
 * fingerprint.h - distinct fingerprints of 128 bits, numbered 0, 1, 2, ... in order of arrival.
 *
 * In: fingerprints of things that are too large to be keys themselves. Out: their numbers.
 *
 * Two things with the same fingerprint count as one. The probability that any two of ten million
 * things have the same fingerprint is below 2^-80. Fingerprints depend on a secret that differs
 * from run to run (hash.h), so that nobody can write an input with two things of the same
 * fingerprint.
 */
#ifndef FINGERPRINT_H
#define FINGERPRINT_H

#include <stddef.h>
#include <stdint.h>

#include "base/hash.h"
#include "base/index.h"

#define FINGERPRINT_TABLE_NONE UINT32_MAX

/* A fingerprint has two independent halves. Fingerprints are added half by half: the fingerprint of
 * a set is the sum of its members' fingerprints, in any order, and a member is removed by
 * subtraction. */
struct fingerprint {
	uint64_t a, b;
};

/* The secrets that fingerprints depend on. They are the same all through a run. */
struct fingerprint_secret {
	struct hash_secret a, b;
};

struct fingerprint_secret fingerprint_secret(void);

/* One half of a fingerprint. A second round of hashing is needed because sums of plain products
 * would still show some of the products' structure. */
static inline uint64_t fingerprint_half(const struct hash_secret *s, uint64_t x, uint64_t y)
{
	return hash_fold(hash_pair(s, x, y) ^ s->b, s->a);
}

/* The fingerprint of a pair of numbers. */
static inline struct fingerprint fingerprint_of(const struct fingerprint_secret *s, uint64_t x,
						uint64_t y)
{
	return (struct fingerprint){fingerprint_half(&s->a, x, y), fingerprint_half(&s->b, x, y)};
}

static inline struct fingerprint fingerprint_plus(struct fingerprint p, struct fingerprint q)
{
	return (struct fingerprint){p.a + q.a, p.b + q.b};
}

static inline struct fingerprint fingerprint_minus(struct fingerprint p, struct fingerprint q)
{
	return (struct fingerprint){p.a - q.a, p.b - q.b};
}

/* A table that is all zero is empty. */
struct fingerprint_table {
	struct fingerprint *all; /* by number */
	size_t room;
	struct index numbers;
	uint32_t count;
};

/* Returns the number of p; a new fingerprint gets the number `count`. Returns
 * FINGERPRINT_TABLE_NONE if memory is out or the table has 2^32 - 1 fingerprints. */
uint32_t fingerprint_table_number(struct fingerprint_table *t, struct fingerprint p);
/* Free what t holds; t is then empty. */
void fingerprint_table_clear(struct fingerprint_table *t);

#endif
