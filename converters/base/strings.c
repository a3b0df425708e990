/* SPDX-License-Identifier: MIT */
/*
 * strings.c - numbers distinct byte strings in order of arrival.
 *
 * In: bytes. Out: numbers, and the bytes again. An open hash table of numbers; the
 * bytes lie in blocks that never move.
 */
#include "base/strings.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/hash.h"

#define BLOCK_BYTES 65536u

struct block {
	struct block *next;
	size_t used, size;
	char bytes[];
};

struct entry {
	const char *bytes;
	size_t length;
	uint32_t hash;
};

struct strings {
	struct hash_secret secret;
	struct block *blocks; /* the first one is being filled */
	struct entry *entries;
	size_t n, size;
	uint32_t *slots; /* number + 1, 0: free; a power of two of them */
	size_t n_slots;
};

struct strings *strings_new(void)
{
	struct strings *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->secret = hash_secret();
	s->n_slots = 64;
	s->slots = calloc(s->n_slots, sizeof(*s->slots));
	if (!s->slots) {
		free(s);
		return NULL;
	}
	return s;
}

void strings_free(struct strings *s)
{
	if (!s)
		return;
	for (struct block *b = s->blocks, *next; b; b = next) {
		next = b->next;
		free(b);
	}
	free(s->entries);
	free(s->slots);
	free(s);
}

/* The slot that holds the string, or the free one where it belongs. */
static size_t strings_slot(const struct strings *s, const char *bytes, size_t length, uint32_t hash)
{
	size_t mask = s->n_slots - 1;
	size_t i = hash & mask;

	for (; s->slots[i]; i = (i + 1) & mask) {
		const struct entry *e = &s->entries[s->slots[i] - 1];
		if (e->hash == hash && e->length == length &&
		    (!length || !memcmp(e->bytes, bytes, length)))
			break;
	}
	return i;
}

static int strings_rehash(struct strings *s)
{
	size_t n_slots = s->n_slots * 2;
	uint32_t *slots = calloc(n_slots, sizeof(*slots));

	if (!slots)
		return -1;
	for (size_t number = 0; number < s->n; number++) {
		size_t i = s->entries[number].hash & (n_slots - 1);
		while (slots[i])
			i = (i + 1) & (n_slots - 1);
		slots[i] = (uint32_t)number + 1;
	}
	free(s->slots);
	s->slots = slots;
	s->n_slots = n_slots;
	return 0;
}

static struct block *strings_block(struct strings *s, size_t bytes)
{
	size_t size = bytes > BLOCK_BYTES ? bytes : BLOCK_BYTES;
	size_t total;

	if (__builtin_add_overflow(size, sizeof(struct block), &total))
		return NULL;
	struct block *b = malloc(total);
	if (!b)
		return NULL;
	b->used = 0;
	b->size = size;
	b->next = s->blocks;
	s->blocks = b;
	return b;
}

/* A copy of the bytes with a NUL after them, where it can stay. */
static const char *strings_keep(struct strings *s, const char *bytes, size_t length)
{
	struct block *b = s->blocks;
	size_t needed;

	if (__builtin_add_overflow(length, 1, &needed))
		return NULL;
	if (!b || b->size - b->used < needed)
		b = strings_block(s, needed);
	if (!b)
		return NULL;
	char *copy = b->bytes + b->used;
	if (length)
		memcpy(copy, bytes, length);
	copy[length] = '\0';
	b->used += needed;
	return copy;
}

uint32_t strings_add(struct strings *s, const char *bytes, size_t length)
{
	uint32_t hash = (uint32_t)hash_bytes(&s->secret, bytes, length);
	size_t slot = strings_slot(s, bytes, length, hash);

	if (s->slots[slot])
		return s->slots[slot] - 1;
	if (s->n >= STRINGS_NONE - 1)
		return STRINGS_NONE;
	if (s->n >= s->n_slots / 2) {
		if (strings_rehash(s))
			return STRINGS_NONE;
		slot = strings_slot(s, bytes, length, hash);
	}
	if (!array_reserve(&s->entries, &s->size, s->n + 1, sizeof(*s->entries)))
		return STRINGS_NONE;
	const char *copy = strings_keep(s, bytes, length);
	if (!copy)
		return STRINGS_NONE;
	s->entries[s->n] = (struct entry){copy, length, hash};
	s->slots[slot] = (uint32_t)++s->n;
	return (uint32_t)s->n - 1;
}

uint32_t strings_find(const struct strings *s, const char *bytes, size_t length)
{
	uint32_t hash = (uint32_t)hash_bytes(&s->secret, bytes, length);
	size_t slot = strings_slot(s, bytes, length, hash);

	return s->slots[slot] ? s->slots[slot] - 1 : STRINGS_NONE;
}

const char *strings_get(const struct strings *s, uint32_t number, size_t *length)
{
	const struct entry *e = &s->entries[number];

	if (length)
		*length = e->length;
	return e->bytes;
}

size_t strings_count(const struct strings *s)
{
	return s->n;
}

int strings_compare(const struct strings *s, uint32_t a, uint32_t b)
{
	const struct entry *x = &s->entries[a], *y = &s->entries[b];
	size_t common = x->length < y->length ? x->length : y->length;
	int order = common ? memcmp(x->bytes, y->bytes, common) : 0;

	return order ? order : (x->length > y->length) - (x->length < y->length);
}
