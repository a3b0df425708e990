/* SPDX-License-Identifier: MIT */
/*
 * strings.c - numbers distinct byte strings in order of arrival.
 *
 * In: bytes. Out: numbers, and the bytes of a number.
 *
 * The bytes are in blocks of memory that never move, so a pointer to a string stays valid.
 */
#include "base/strings.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/hash.h"
#include "base/index.h"

#define BLOCK_BYTES 65536u

struct block {
	struct block *next;
	size_t used, size;
	char bytes[];
};

struct entry {
	const char *bytes;
	size_t length;
};

struct strings {
	struct hash_secret secret;
	struct block *blocks; /* new strings go into the first one */
	struct entry *entries;
	size_t n, size;
	struct index numbers;
	uint32_t *others; /* by number: what the string is shown as, STRINGS_NONE: itself */
	size_t n_others, others_size;
};

struct strings *strings_new(void)
{
	struct strings *s = calloc(1, sizeof(*s));

	if (s)
		s->secret = hash_secret();
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
	free(s->others);
	index_clear(&s->numbers);
	free(s);
}

static bool is_equal(const void *keys, uint32_t number, const void *key)
{
	const struct entry *e = (const struct entry *)keys + number, *searched = key;

	return e->length == searched->length &&
	       (!e->length || !memcmp(e->bytes, searched->bytes, e->length));
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

/* Copy the bytes, with a NUL after them, to memory that never moves. */
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
	uint64_t tag = hash_bytes(&s->secret, bytes, length);
	const struct entry entry = {bytes, length};
	struct index_slot *slot;
	const char *copy;

	if (index_reserve(&s->numbers, 1))
		return STRINGS_NONE;
	slot = index_slot(&s->numbers, tag, is_equal, s->entries, &entry);
	if (slot->number != INDEX_NONE)
		return slot->number;
	if (s->n >= STRINGS_NONE - 1 ||
	    !array_reserve(&s->entries, &s->size, s->n + 1, sizeof(*s->entries)))
		return STRINGS_NONE;
	copy = strings_keep(s, bytes, length);
	if (!copy)
		return STRINGS_NONE;
	s->entries[s->n] = (struct entry){copy, length};
	index_fill(&s->numbers, slot, tag, (uint32_t)s->n);
	return (uint32_t)s->n++;
}

uint32_t strings_find(const struct strings *s, const char *bytes, size_t length)
{
	const struct entry entry = {bytes, length};

	return index_find(&s->numbers, hash_bytes(&s->secret, bytes, length), is_equal, s->entries,
			  &entry);
}

const char *strings_get(const struct strings *s, uint32_t number, size_t *length)
{
	const struct entry *e = &s->entries[number];

	if (length)
		*length = e->length;
	return e->bytes;
}

int strings_show_as(struct strings *s, uint32_t number, uint32_t other)
{
	if (!array_reserve(&s->others, &s->others_size, (size_t)number + 1, sizeof(*s->others)))
		return -1;
	while (s->n_others <= number)
		s->others[s->n_others++] = STRINGS_NONE;
	s->others[number] = other;
	return 0;
}

uint32_t strings_other(const struct strings *s, uint32_t number)
{
	uint32_t other = number < s->n_others ? s->others[number] : STRINGS_NONE;

	return other == STRINGS_NONE ? number : other;
}

const char *strings_shown(const struct strings *s, uint32_t number, size_t *length)
{
	return strings_get(s, strings_other(s, number), length);
}

void strings_show_all(struct strings *s)
{
	s->n_others = 0;
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
