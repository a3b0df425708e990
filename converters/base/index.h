/* SPDX-License-Identifier: MIT */
/*
 * index.h - finds the number of a key by the key's hash value.
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
#ifndef INDEX_H
#define INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

#endif
