/* SPDX-License-Identifier: MIT */
/*
 * registered.c - keeps the places of all functions whose unwind information was registered.
 *
 * In: sections of .eh_frame, addresses. Out: the description of an address. There is one writer at a time,
 * outside of handlers. Readers take no lock: a slot has a number that is odd while it is changed, and
 * another one afterwards. Its block may be given to another slot meanwhile, but is never given back.
 *
 * Order: the slot's number has changed before its block is given away, and a fence keeps all that is written
 * into a block that was given behind that. A reader has a fence between what it reads of a block and its second
 * look at the number: if anything was written for another slot, the number has changed. A new block is
 * complete before the slot's number is even again. The next word of a list, and `key`, are the writer's alone.
 */
#include <elf.h>
#include <stddef.h>
#include <string.h>

#include "base/memory.h"
#include "base/sys.h"
#include "unwind/fde.h"
#include "unwind/module.h"
#include "unwind/registered.h"
#include "base/poison.h"

#define CHUNK	   64u
#define CHUNKS	   64u
#define PLACES_MAX (1u << 20) /* of all sections together, 16 MiB */
#define ROOM_BITS  21

#define BYTES_MAX    (64u << 20) /* of a section */
#define BYTES_BEFORE (1u << 20)	 /* where the CIE of a single FDE may lie */

struct place {
	uintptr_t start;
	uint32_t bytes, offset; /* of the code; of its description, from the block's `low` on */
};

/* The same where readers may be. */
struct shared_place {
	_Atomic uintptr_t start;
	_Atomic uint32_t bytes, offset;
};

/* The functions of a section, sorted by address. */
struct block {
	uint32_t room, bits; /* 1 << bits */
	_Atomic uint32_t n;
	struct block *next;	     /* in a list of spare ones */
	_Atomic uintptr_t low, end;  /* descriptions, and what they refer to, lie there */
	struct shared_place place[]; /* `room` of them */
};

#define GET(word)	 atomic_load_explicit(&(word), memory_order_relaxed)
#define SET(word, value) atomic_store_explicit(&(word), value, memory_order_relaxed)

struct slot {
	_Atomic uint32_t sequence; /* odd: it is being changed */
	atomic_bool is_used;	   /* something was found in it */
	uintptr_t key;
	_Atomic(struct block *) block; /* NULL: the slot is free */
};

/* The ranges, which are looked through, stand together. */
struct chunk {
	struct {
		_Atomic uintptr_t start, end;
	} range[CHUNK];
	struct slot slot[CHUNK];
};

static struct chunk *chunks[CHUNKS];
static _Atomic uint32_t n_slots; /* that were ever used */
static _Atomic uint32_t n_added;
static atomic_flag writing = ATOMIC_FLAG_INIT;
static atomic_bool is_lost; /* a change could not be made, so that nothing is believed */

/* The writer's. */
static struct block *spare[ROOM_BITS];
static uint32_t n_places; /* room of all blocks */
static struct cps_fde_window window[2];

/* ---- readers ------------------------------------------------------------------------------------- */

static void describe(struct cps_registered *r, uintptr_t low, uintptr_t end, uintptr_t fde)
{
	r->segment = (struct cps_segment){.vaddr = low, .memory_bytes = end - low, .flags = PF_R};
	r->module = (struct cps_module){.start = low,
					.end = end,
					.bytes = end - low,
					.path = "",
					.n_segments = 1,
					.segments = &r->segment,
					.fde = fde};
}

static struct place get(const struct block *b, uint32_t i)
{
	const struct shared_place *p = &b->place[i];

	return (struct place){GET(p->start), GET(p->bytes), GET(p->offset)};
}

static void set(struct block *b, uint32_t i, struct place place)
{
	struct shared_place *p = &b->place[i];

	SET(p->start, place.start);
	SET(p->bytes, place.bytes);
	SET(p->offset, place.offset);
}

static bool search(const struct block *b, uintptr_t pc, struct place *found)
{
	uint32_t low = 0, high = GET(b->n);

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (GET(b->place[middle].start) <= pc)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low)
		return false;
	*found = get(b, low - 1);
	return pc - found->start < found->bytes;
}

/* Who drops the slot looks at `is_used` after its number has changed. */
static bool look_into(struct slot *s, uintptr_t pc, struct cps_registered *found)
{
	uint32_t before = atomic_load(&s->sequence);
	const struct block *b = atomic_load(&s->block);
	struct place place;
	uintptr_t low;

	if (before & 1 || !b || !search(b, pc, &place))
		return false;
	low = GET(b->low);
	describe(found, low, GET(b->end), low + place.offset);
	atomic_store(&s->is_used, true);
	atomic_thread_fence(memory_order_seq_cst);
	return atomic_load(&s->sequence) == before;
}

static struct slot *slot_at(uint32_t i)
{
	return &chunks[i / CHUNK]->slot[i % CHUNK];
}

static bool find(uintptr_t pc, struct cps_registered *found)
{
	uint32_t n = atomic_load_explicit(&n_slots, memory_order_acquire);

	for (uint32_t i = 0; i < n; i++) {
		struct chunk *c = chunks[i / CHUNK];

		if (pc >= atomic_load_explicit(&c->range[i % CHUNK].start, memory_order_relaxed) &&
		    pc < atomic_load_explicit(&c->range[i % CHUNK].end, memory_order_relaxed) &&
		    look_into(slot_at(i), pc, found))
			return !atomic_load_explicit(&is_lost, memory_order_relaxed);
	}
	return false;
}

const struct cps_module *cps_registered_module(uint32_t number, uintptr_t *pc,
					       struct cps_registered *registered)
{
	const struct cps_module *m = cps_module_listed(number, pc);

	if (m ? m->eh_frame_hdr != NULL : number != CPS_MODULE_NONE)
		return m;
	return find(*pc, registered) ? &registered->module : m;
}

uint32_t cps_registered_count(void)
{
	return atomic_load_explicit(&n_added, memory_order_relaxed);
}

/* ---- blocks -------------------------------------------------------------------------------------- */

static void give(struct block *b)
{
	b->next = spare[b->bits];
	spare[b->bits] = b;
}

static struct block *take(uint32_t bits)
{
	struct block *b = bits < ROOM_BITS ? spare[bits] : NULL;
	uint32_t room = 1u << bits;

	if (b) {
		spare[bits] = b->next;
	} else {
		b = room <= PLACES_MAX - n_places
			    ? cps_arena_take(sizeof(*b) + room * sizeof(b->place[0]))
			    : NULL;
		if (!b)
			return NULL;
		n_places += room;
		b->room = room;
		b->bits = bits;
	}
	atomic_thread_fence(memory_order_release);
	SET(b->n, 0);
	return b;
}

/* The block, or a larger one instead if it is full. NULL: there is no room. */
static struct block *grow(struct block *b)
{
	struct block *larger;

	if (b && GET(b->n) < b->room)
		return b;
	larger = take(b ? b->bits + 1 : 0);
	if (b && larger) {
		for (uint32_t i = 0; i < GET(b->n); i++)
			set(larger, i, get(b, i));
		SET(larger->n, GET(b->n));
	}
	if (b)
		give(b);
	return larger;
}

/* Most sections are in order already. */
static void sort(struct block *b)
{
	uint32_t gap = 1, n = GET(b->n);

	while (gap < n / 3)
		gap = gap * 3 + 1;
	for (; gap; gap /= 3) {
		for (uint32_t i = gap; i < n; i++) {
			struct place moved = get(b, i);
			uint32_t k = i;

			for (; k >= gap && GET(b->place[k - gap].start) > moved.start; k -= gap)
				set(b, k, get(b, k - gap));
			set(b, k, moved);
		}
	}
}

/* Notes the functions of a section, or the only one if it begins with an FDE: LLVM's libunwind has each of
 * them registered by itself. NULL: there are none, or too many. */
static struct block *parse(uintptr_t begin)
{
	uintptr_t low = begin > BYTES_BEFORE ? begin - BYTES_BEFORE : 0, where = begin;
	struct cps_registered whole;
	struct block *b = NULL;
	struct cps_fde fde = {.where = 0};

	describe(&whole, low, begin + BYTES_MAX, 0);
	window[0].n = window[1].n = 0;
	while (fde.where != begin && cps_fde_next(&whole.module, &where, window, &fde)) {
		uint64_t bytes = fde.end - fde.start;

		if (!fde.start || !bytes)
			continue;
		b = grow(b);
		if (!b)
			return NULL;
		set(b, GET(b->n),
		    (struct place){fde.start, bytes < UINT32_MAX ? (uint32_t)bytes : UINT32_MAX,
				   (uint32_t)(fde.where - low)});
		SET(b->n, GET(b->n) + 1);
	}
	if (!b)
		return NULL;
	SET(b->low, low);
	SET(b->end, where);
	sort(b);
	return b;
}

/* ---- slots --------------------------------------------------------------------------------------- */

static bool acquire(uint64_t *mask)
{
	uint64_t until = 0;

	*mask = cps_sys_block_signals();
	while (!atomic_load(&is_lost)) {
		if (!atomic_flag_test_and_set(&writing))
			return true;
		if (!cps_sys_patience(&until))
			atomic_store(&is_lost, true);
	}
	cps_sys_set_mask(*mask);
	return false;
}

static void release(uint64_t mask)
{
	atomic_flag_clear(&writing);
	cps_sys_set_mask(mask);
}

/* Puts the block into the slot, or frees the slot if there is none. */
static void change(uint32_t i, uintptr_t key, struct block *b)
{
	uintptr_t start = b ? GET(b->place[0].start) : 0, end = 0;
	struct chunk *c = chunks[i / CHUNK];
	struct slot *s = slot_at(i);
	struct block *before = atomic_load(&s->block);

	for (uint32_t k = 0; b && k < GET(b->n); k++) {
		struct place place = get(b, k);

		if (place.start + place.bytes > end)
			end = place.start + place.bytes;
	}
	atomic_fetch_add(&s->sequence, 1);
	if (before && atomic_load(&s->is_used))
		cps_module_table_renew();
	if (before)
		give(before);
	s->key = key;
	atomic_store(&s->is_used, false);
	atomic_store(&s->block, b);
	atomic_store(&c->range[i % CHUNK].start, start);
	atomic_store(&c->range[i % CHUNK].end, end);
	atomic_fetch_add(&s->sequence, 1);
}

static uint32_t free_slot(void)
{
	uint32_t i = 0, n = atomic_load(&n_slots);

	while (i < n && atomic_load(&slot_at(i)->block))
		i++;
	if (i == CHUNK * CHUNKS)
		return UINT32_MAX;
	if (!chunks[i / CHUNK])
		chunks[i / CHUNK] = cps_arena_take(sizeof(struct chunk));
	return chunks[i / CHUNK] ? i : UINT32_MAX;
}

/* Code that was given up without a word has been replaced. */
static void bury(uintptr_t pc)
{
	struct place place;

	for (uint32_t i = 0; i < atomic_load(&n_slots); i++) {
		const struct block *b = atomic_load(&slot_at(i)->block);

		if (b && search(b, pc, &place))
			change(i, 0, NULL);
	}
}

static void enter(uintptr_t key, struct block *b)
{
	uint32_t i;

	bury(GET(b->place[0].start));
	i = free_slot();
	if (i == UINT32_MAX) {
		give(b);
		return;
	}
	change(i, key, b);
	if (i == atomic_load(&n_slots))
		atomic_store_explicit(&n_slots, i + 1, memory_order_release);
	atomic_fetch_add(&n_added, 1);
}

void cps_registered_add(uintptr_t key, uintptr_t begin)
{
	struct block *b;
	uint64_t mask;

	if (!acquire(&mask))
		return;
	b = parse(begin);
	if (b)
		enter(key, b);
	release(mask);
}

void cps_registered_drop(uintptr_t key)
{
	uint64_t mask;

	if (!atomic_load(&n_slots) || !acquire(&mask))
		return;
	for (uint32_t i = 0; i < atomic_load(&n_slots); i++)
		if (slot_at(i)->key == key)
			change(i, 0, NULL);
	release(mask);
}

/* Another thread of the parent may have been about to change something. It is not here. */
void cps_registered_reset(void)
{
	if (atomic_flag_test_and_set(&writing))
		atomic_store(&is_lost, true);
	atomic_flag_clear(&writing);
}
