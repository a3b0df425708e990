/* SPDX-License-Identifier: MIT */
/*
 * hash.h - hash values, and tables that are found by them.
 */
#ifndef BASE_HASH_H
#define BASE_HASH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/auxv.h>

/* ---- hash ------------------------------------------------------------------------------------ */
/*
 * Hash values of bytes and numbers.
 *
 * In: bytes or numbers, and a secret. Out: hash values.
 *
 * Hash values depend on a secret that differs from run to run, so that nobody can write an input
 * whose keys all collide. Nothing that is shown may depend on a hash value; therefore tables number
 * their entries in order of arrival.
 */

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

/* ---- index ----------------------------------------------------------------------------------- */
/*
 * Finds the number of a key by the key's hash value.
 *
 * In: keys and their hash values. Out: numbers.
 *
 * The tables of strings, pairs, fingerprints, ids and frames number what they hold in order of
 * arrival: 0, 1, 2, ... Each finds the number of a key in an index, which is a hash table with open
 * addressing and linear probing (Knuth, The Art of Computer Programming 3, section 6.4).
 *
 * The keys stay with the table. A slot of the index holds a tag, which is the key's hash value of
 * 64 bits, and the key's number. Where tags are equal, the table compares the keys. A table whose
 * keys have distinct tags (hash_distinct) has nothing to compare, so that a lookup costs one cache
 * miss even among ten million keys.
 */

#define INDEX_NONE UINT32_MAX

/* A slot has 12 bytes. Without the attribute it would have 16, a quarter of which is padding. */
struct index_slot {
	uint64_t tag;
	uint32_t number; /* INDEX_NONE: the slot is free */
} __attribute__((packed, aligned(4)));

/* An index that is all zero is empty. */
struct index {
	struct index_slot *slots;
	size_t n_slots; /* a power of two, or 0 before the first key */
	size_t used;
};

/* Whether `key` is the key of that number in the table `keys`. */
typedef bool index_equal(const void *keys, uint32_t number, const void *key);

/* Make room for n more keys. Returns -1 if memory is out; the index is then unchanged. */
int index_reserve(struct index *x, size_t n);

/* Returns the slot of a key, or the free slot where the key belongs. Call index_reserve before;
 * between the two calls only index_fill may change the index. */
static inline struct index_slot *index_slot(const struct index *x, uint64_t tag, index_equal *equal,
					    const void *keys, const void *key);
/* The same for tables whose distinct keys have distinct tags. */
static inline struct index_slot *index_tag_slot(const struct index *x, uint64_t tag);

/* Store the tag and number of a new key in the free slot that was found for it. */
static inline void index_fill(struct index *x, struct index_slot *slot, uint64_t tag,
			      uint32_t number);

/* Returns the number of a key, or INDEX_NONE if it is not in the index. */
static inline uint32_t index_find(const struct index *x, uint64_t tag, index_equal *equal,
				  const void *keys, const void *key);
static inline uint32_t index_tag_find(const struct index *x, uint64_t tag);

/* Remove all keys, but keep the memory for new ones. */
void index_empty(struct index *x);
/* Free what x holds; x is then all zero. */
void index_clear(struct index *x);

/* ---- inline functions ---- */

/* This is always inlined, so that `equal` is not called through a pointer. */
static inline __attribute__((always_inline)) struct index_slot *
index_slot(const struct index *x, uint64_t tag, index_equal *equal, const void *keys,
	   const void *key)
{
	size_t mask = x->n_slots - 1, i = (size_t)tag & mask;

	for (; x->slots[i].number != INDEX_NONE; i = (i + 1) & mask)
		if (x->slots[i].tag == tag && (!equal || equal(keys, x->slots[i].number, key)))
			break;
	return &x->slots[i];
}

static inline struct index_slot *index_tag_slot(const struct index *x, uint64_t tag)
{
	return index_slot(x, tag, NULL, NULL, NULL);
}

static inline void index_fill(struct index *x, struct index_slot *slot, uint64_t tag,
			      uint32_t number)
{
	*slot = (struct index_slot){tag, number};
	x->used++;
}

static inline __attribute__((always_inline)) uint32_t index_find(const struct index *x,
								 uint64_t tag, index_equal *equal,
								 const void *keys, const void *key)
{
	return x->n_slots ? index_slot(x, tag, equal, keys, key)->number : INDEX_NONE;
}

static inline uint32_t index_tag_find(const struct index *x, uint64_t tag)
{
	return index_find(x, tag, NULL, NULL, NULL);
}

/* ---- fingerprint ----------------------------------------------------------------------------- */
/*
 * Distinct fingerprints of 128 bits, numbered 0, 1, 2, ... in order of arrival.
 *
 * In: fingerprints of things that are too large to be keys themselves. Out: their numbers.
 *
 * Two things with the same fingerprint count as one. The probability that any two of ten million
 * things have the same fingerprint is below 2^-80. Fingerprints depend on a secret that differs
 * from run to run, so that nobody can write an input with two things of the same
 * fingerprint.
 */

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

/* ---- pair table ------------------------------------------------------------------------------ */
/*
 * Distinct pairs of numbers, numbered 0, 1, 2, ... in order of arrival.
 *
 * In: (parent, name) of a tree, (caller, callee) of a graph. Out: their numbers.
 */

#define PAIR_TABLE_NONE UINT32_MAX

/* The child of a node that was last asked for. */
struct pair_table_latest {
	uint32_t b, number; /* number is PAIR_TABLE_NONE if the node has no child */
};

struct pair_table {
	struct hash_secret secret;
	struct index numbers;
	uint32_t count;
	struct pair_table_latest *latest; /* by parent; only for pair_table_child */
	size_t n_latest, latest_size;
};

/* Returns the number of (a, b); a new pair gets the number `count`. Returns PAIR_TABLE_NONE if
 * memory is out or the table has 2^32 - 1 pairs. A table that is all zero is empty. */
uint32_t pair_table_number(struct pair_table *t, uint32_t a, uint32_t b);

/* The same for the nodes of a growing tree. `parent` is 0 for the root, or 1 + the number of the
 * parent's own pair. This costs less than pair_table_number for nodes with one child, as most nodes
 * of deep trees are. Use only one of the two functions on a table. */
static inline uint32_t pair_table_child(struct pair_table *t, uint32_t parent, uint32_t b);
/* Returns the child of that node that was last asked for; its number is PAIR_TABLE_NONE if the node
 * has no child. */
static inline struct pair_table_latest pair_table_latest(const struct pair_table *t,
							 uint32_t parent);

/* Returns the next number, for an entry that no pair leads to; PAIR_TABLE_NONE if none is left. */
uint32_t pair_table_skip(struct pair_table *t);

/* Free what t holds; t is then empty. */
void pair_table_clear(struct pair_table *t);

/* ---- inline functions ---- */

uint32_t pair_table_child_other(struct pair_table *t, uint32_t parent, uint32_t b);

static inline struct pair_table_latest pair_table_latest(const struct pair_table *t,
							 uint32_t parent)
{
	return parent < t->n_latest ? t->latest[parent]
				    : (struct pair_table_latest){.number = PAIR_TABLE_NONE};
}

static inline uint32_t pair_table_child(struct pair_table *t, uint32_t parent, uint32_t b)
{
	const struct pair_table_latest latest = pair_table_latest(t, parent);

	if (latest.b == b && latest.number != PAIR_TABLE_NONE)
		return latest.number;
	return pair_table_child_other(t, parent, b);
}

/* ---- strings --------------------------------------------------------------------------------- */
/*
 * A table of distinct byte strings, numbered in order of arrival.
 *
 * In: bytes. Out: numbers, and the bytes of a number.
 */

#define STRINGS_NONE UINT32_MAX

struct strings;

struct strings *strings_new(void); /* NULL: out of memory */
void strings_free(struct strings *s);

/* Returns the number of the string, which is added if it is new; STRINGS_NONE if memory is out. */
uint32_t strings_add(struct strings *s, const char *bytes, size_t length);
/* Returns the number of the string, or STRINGS_NONE if it is not in the table. */
uint32_t strings_find(const struct strings *s, const char *bytes, size_t length);

/* Returns the bytes of the string, with a NUL after them. *length becomes the number of bytes;
 * length may be NULL. The pointer is valid as long as the table exists. */
const char *strings_get(const struct strings *s, uint32_t number, size_t *length);
size_t strings_count(const struct strings *s);

/*
 * A string may be shown as another one, such as a name of C++ without its arguments. Machines get
 * what strings_get returns, people what strings_shown returns: the string itself if nothing was
 * set. strings_show_as returns -1 if memory is out.
 */
int strings_show_as(struct strings *s, uint32_t number, uint32_t other);
uint32_t strings_other(const struct strings *s, uint32_t number);
const char *strings_shown(const struct strings *s, uint32_t number, size_t *length);
void strings_show_all(struct strings *s); /* each as itself */

/* Compare two strings byte by byte; a prefix comes before a longer string. Returns <0, 0 or >0. */
int strings_compare(const struct strings *s, uint32_t a, uint32_t b);

#endif
