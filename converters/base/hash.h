/* SPDX-License-Identifier: MIT */
/*
 * hash.h - hash values of bytes and numbers.
 *
 * In: bytes or numbers, and a secret. Out: hash values.
 *
 * Hash values depend on a secret that differs from run to run, so that nobody can write an input
 * whose keys all collide. Nothing that is shown may depend on a hash value; therefore tables number
 * their entries in order of arrival.
 */
#ifndef HASH_H
#define HASH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/auxv.h>

struct hash_secret {
	uint64_t a, b;
};

/* The secret is sixteen random bytes that the kernel gives every process at its start. */
static inline struct hash_secret hash_secret(void)
{
	struct hash_secret s = {UINT64_C(0x9e3779b97f4a7c15), UINT64_C(0xd1b54a32d192ed03)};
	const void *random = (const void *)getauxval(AT_RANDOM);

	if (random)
		memcpy(&s, random, sizeof(s));
	return s;
}

/* Returns the exclusive or of the two halves of the product, so that each bit of the result depends
 * on all bits of a and b. */
static inline uint64_t hash_fold(uint64_t a, uint64_t b)
{
	unsigned __int128 product = (unsigned __int128)a * b;

	return (uint64_t)product ^ (uint64_t)(product >> 64);
}

static inline uint64_t hash_pair(const struct hash_secret *s, uint64_t x, uint64_t y)
{
	return hash_fold(x ^ s->a, y ^ s->b);
}

/* Distinct numbers have distinct hash values, because each step can be undone. */
static inline uint64_t hash_distinct(const struct hash_secret *s, uint64_t x)
{
	x = (x ^ s->a) * (s->b | 1);
	x = (x ^ x >> 32) * UINT64_C(0xd6e8feb86659fd93);
	return x ^ x >> 32;
}

static inline uint64_t hash_word(const char *bytes, size_t n)
{
	uint64_t word = 0;

	memcpy(&word, bytes, n);
	return word;
}

static inline uint64_t hash_bytes(const struct hash_secret *s, const char *bytes, size_t n)
{
	uint64_t h = n ^ s->b;

	for (; n > 16; bytes += 16, n -= 16)
		h = hash_fold(hash_word(bytes, 8) ^ s->a, hash_word(bytes + 8, 8) ^ h);
	if (n > 8)
		return hash_fold(hash_word(bytes, 8) ^ s->a, hash_word(bytes + 8, n - 8) ^ h);
	return hash_fold(n ? hash_word(bytes, n) ^ s->a : s->a, h);
}

#endif
