/* SPDX-License-Identifier: MIT */
/*
 * hash.c - hash values, and tables that are found by them.
 */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/hash.h"

/* ---- index ----------------------------------------------------------------------------------- */
/*
 * At most three quarters of the slots are used, because a search in a fuller table probes many
 * slots.
 */

#define FIRST_SLOTS 16u

void index_empty(struct index *x)
{
	/* All bits are set, so that every number is INDEX_NONE. */
	if (x->n_slots)
		memset(x->slots, 0xff, x->n_slots * sizeof(*x->slots));
	x->used = 0;
}

void index_clear(struct index *x)
{
	free(x->slots);
	*x = (struct index){0};
}

/* Copy all keys. They are known to be distinct, so each key goes to the first free slot. */
static void move_keys(struct index *to, const struct index *from)
{
	size_t mask = to->n_slots - 1;

	for (size_t i = 0; i < from->n_slots; i++) {
		size_t k = (size_t)from->slots[i].tag & mask;

		if (from->slots[i].number == INDEX_NONE)
			continue;
		while (to->slots[k].number != INDEX_NONE)
			k = (k + 1) & mask;
		to->slots[k] = from->slots[i];
	}
	to->used = from->used;
}

int index_reserve(struct index *x, size_t n)
{
	struct index larger = {.n_slots = x->n_slots ? x->n_slots : FIRST_SLOTS};

	if (x->n_slots && x->used + n <= x->n_slots / 4 * 3)
		return 0;
	while (x->used + n > larger.n_slots / 4 * 3)
		if (__builtin_mul_overflow(larger.n_slots, 2, &larger.n_slots))
			return -1;
	larger.slots = reallocarray(NULL, larger.n_slots, sizeof(*larger.slots));
	if (!larger.slots)
		return -1;
	index_empty(&larger);
	move_keys(&larger, x);
	free(x->slots);
	*x = larger;
	return 0;
}

/* ---- fingerprint ----------------------------------------------------------------------------- */
/*
 * One half of a fingerprint is its tag in the index, so a new fingerprint hardly ever has to be
 * compared with another one.
 */

struct fingerprint_secret fingerprint_secret(void)
{
	struct hash_secret s = hash_secret();

	/* The secret of the second half is derived from that of the first half with arbitrary odd
	 * constants. */
	return (struct fingerprint_secret){
		.a = s,
		.b = {hash_fold(s.a, UINT64_C(0xe7037ed1a0b428db)),
		      hash_fold(s.b, UINT64_C(0x8ebc6af09c88c6e3))},
	};
}

static bool is_equal(const void *keys, uint32_t number, const void *key)
{
	const struct fingerprint *prints = keys, *print = key;

	return prints[number].a == print->a && prints[number].b == print->b;
}

uint32_t fingerprint_table_number(struct fingerprint_table *t, struct fingerprint p)
{
	struct index_slot *slot;

	if (index_reserve(&t->numbers, 1))
		return FINGERPRINT_TABLE_NONE;
	slot = index_slot(&t->numbers, p.a, is_equal, t->all, &p);
	if (slot->number != INDEX_NONE)
		return slot->number;
	if (t->count == FINGERPRINT_TABLE_NONE ||
	    !array_reserve(&t->all, &t->room, t->count + 1u, sizeof(*t->all)))
		return FINGERPRINT_TABLE_NONE;
	t->all[t->count] = p;
	index_fill(&t->numbers, slot, p.a, t->count);
	return t->count++;
}

void fingerprint_table_clear(struct fingerprint_table *t)
{
	free(t->all);
	index_clear(&t->numbers);
	*t = (struct fingerprint_table){0};
}

/* ---- pair table ------------------------------------------------------------------------------ */
/*
 * The pairs themselves are not kept, because a pair fits into a tag of the index. If the pairs are
 * the nodes of a tree, the index holds only the nodes that have siblings.
 */

static uint64_t tag_of(const struct pair_table *t, uint32_t a, uint32_t b)
{
	return hash_distinct(&t->secret, (uint64_t)a << 32 | b);
}

/* Make room for n more pairs. */
static int reserve(struct pair_table *t, size_t n)
{
	if (!t->numbers.n_slots)
		t->secret = hash_secret();
	return index_reserve(&t->numbers, n);
}

/* Returns the slot of the pair. If the pair is new, it is added with the number `number`. */
static const struct index_slot *slot_of(struct pair_table *t, uint32_t a, uint32_t b,
					uint32_t number)
{
	uint64_t tag = tag_of(t, a, b);
	struct index_slot *slot = index_tag_slot(&t->numbers, tag);

	if (slot->number == INDEX_NONE)
		index_fill(&t->numbers, slot, tag, number);
	return slot;
}

uint32_t pair_table_number(struct pair_table *t, uint32_t a, uint32_t b)
{
	uint32_t number;

	if (t->count == PAIR_TABLE_NONE)
		return index_tag_find(&t->numbers, tag_of(t, a, b));
	if (reserve(t, 1))
		return PAIR_TABLE_NONE;
	number = slot_of(t, a, b, t->count)->number;
	t->count += number == t->count;
	return number;
}

/* Returns the entry of a parent, which is added if the parent has no child yet; NULL if memory is
 * out. */
static struct pair_table_latest *latest_of(struct pair_table *t, uint32_t parent)
{
	if (!array_reserve(&t->latest, &t->latest_size, (size_t)parent + 1, sizeof(*t->latest)))
		return NULL;
	for (; t->n_latest <= parent; t->n_latest++)
		t->latest[t->n_latest].number = PAIR_TABLE_NONE;
	return &t->latest[parent];
}

/* Add a child that is not in the table. An only child is not in the index; it is added to the index
 * together with its first sibling. */
static uint32_t add_child(struct pair_table *t, uint32_t parent, uint32_t b)
{
	struct pair_table_latest *latest = latest_of(t, parent);

	if (!latest || t->count == PAIR_TABLE_NONE)
		return PAIR_TABLE_NONE;
	if (latest->number != PAIR_TABLE_NONE) {
		if (reserve(t, 2))
			return PAIR_TABLE_NONE;
		slot_of(t, parent, latest->b, latest->number);
		slot_of(t, parent, b, t->count);
	}
	*latest = (struct pair_table_latest){b, t->count};
	return t->count++;
}

/* Find or add a child that is not its parent's latest one. */
uint32_t pair_table_child_other(struct pair_table *t, uint32_t parent, uint32_t b)
{
	uint32_t number = index_tag_find(&t->numbers, tag_of(t, parent, b));

	if (number == INDEX_NONE)
		return add_child(t, parent, b);
	t->latest[parent] = (struct pair_table_latest){b, number};
	return number;
}

uint32_t pair_table_skip(struct pair_table *t)
{
	return t->count == PAIR_TABLE_NONE ? PAIR_TABLE_NONE : t->count++;
}

void pair_table_clear(struct pair_table *t)
{
	free(t->latest);
	index_clear(&t->numbers);
	*t = (struct pair_table){0};
}

/* ---- strings --------------------------------------------------------------------------------- */
/*
 * The bytes are in blocks of memory that never move, so a pointer to a string stays valid.
 */

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

static bool is_same_string(const void *keys, uint32_t number, const void *key)
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
	slot = index_slot(&s->numbers, tag, is_same_string, s->entries, &entry);
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

	return index_find(&s->numbers, hash_bytes(&s->secret, bytes, length), is_same_string,
			  s->entries, &entry);
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
