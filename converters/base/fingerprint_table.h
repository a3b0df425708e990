/* SPDX-License-Identifier: MIT */
/*
 * prints.h - distinct fingerprints of 128 bits, numbered 0, 1, 2, ... in order of arrival.
 *
 * Shape room. In: fingerprints of things that are too large to be a key. Out: their numbers.
 *
 * Two things with the same fingerprint are taken for one. That any two of ten million things have
 * the same has a probability below 2^-80; and as fingerprints depend on a secret that differs from
 * run to run (hash.h), no input can aim for it.
 */
#ifndef PRINTS_H
#define PRINTS_H

#include <stddef.h>
#include <stdint.h>

#include "base/hash.h"

#define PRINTS_NONE UINT32_MAX

/* Two independent halves. Fingerprints add up, half by half: that of a set is the sum of those of
 * its members, in any order, and a member leaves it by subtraction. */
struct print {
	uint64_t a, b;
};

/* What fingerprints depend on, the same all through a run. */
struct print_secret {
	struct hash_secret a, b;
};

struct print_secret print_secret(void);

/* One half. A mere product would leave something of its structure in the sums, hence the second
 * round. */
static inline uint64_t print_half(const struct hash_secret *s, uint64_t x, uint64_t y)
{
	return hash_fold(hash_pair(s, x, y) ^ s->b, s->a);
}

/* The fingerprint of a pair of numbers. */
static inline struct print print_of(const struct print_secret *s, uint64_t x, uint64_t y)
{
	return (struct print){print_half(&s->a, x, y), print_half(&s->b, x, y)};
}

static inline struct print print_plus(struct print p, struct print q)
{
	return (struct print){p.a + q.a, p.b + q.b};
}

static inline struct print print_minus(struct print p, struct print q)
{
	return (struct print){p.a - q.a, p.b - q.b};
}

struct prints_slot {
	uint32_t tag, number; /* number PRINTS_NONE: the slot is free */
};

/* Begins as all zero. */
struct prints {
	struct print *prints; /* by number */
	size_t room;
	struct prints_slot *slots;
	size_t n_slots; /* a power of two, or 0 before the first one */
	uint32_t count;
};

/* The number of p; a new one gets the number `count`. PRINTS_NONE: out of memory, or 2^32 - 1 of
 * them. */
uint32_t prints_number(struct prints *t, struct print p);
/* Frees what t holds; t is then empty. */
void prints_clear(struct prints *t);

#endif
