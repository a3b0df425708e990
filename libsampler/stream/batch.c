/* SPDX-License-Identifier: MIT */
/*
 * batch.c - writes a sample as its difference from the previous one.
 */
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "stream/atoms.h"
#include "stream/batch.h"
#include "stream/journal.h"
#include "unwind/module.h"
#include "unwind/row.h"
#include "format.h"
#include "base/poison.h"

/* ---- latest ---------------------------------------------------------------------------------- */
/*
 * In: the weights of samples, and how much of them is too much. Out: what each weighs less when its
 * batch becomes a record of the stream.
 */

void cps_latest_begin(struct cps_latest *l)
{
	l->n = 0;
}

void cps_latest_add(struct cps_latest *l, uint32_t thread, uint64_t weight)
{
	l->item[l->n++ % CPS_LATEST] = (struct cps_latest_item){thread, weight, 0};
}

uint64_t cps_latest_taken(const struct cps_latest *l, uint32_t i)
{
	return l && i < l->n && l->n - i <= CPS_LATEST ? l->item[i % CPS_LATEST].taken : 0;
}

uint64_t cps_latest_take(struct cps_latest *l, uint32_t thread, uint64_t weight)
{
	uint64_t left = weight;

	for (uint32_t k = 1; k <= l->n && k <= CPS_LATEST && left; k++) {
		struct cps_latest_item *i = &l->item[(l->n - k) % CPS_LATEST];
		uint64_t part = i->weight < left ? i->weight : left;

		if (i->thread != thread && thread != CPS_LATEST_ANY)
			continue;
		i->weight -= part;
		i->taken += part;
		left -= part;
	}
	return weight - left;
}

/* A thread's own buffer is the first that is asked (recording.c, `place`). */
uint64_t cps_latest_take_back(uint32_t thread, uint64_t weight)
{
	uint64_t left = weight;

	for (uint32_t i = 0; i < CPS_BUFFERS && left; i++) {
		uint32_t number = 1 + (thread + i) % CPS_BUFFERS;
		struct cps_buffer *b = cps_journal_acquire_number(number);

		if (!b)
			continue;
		if (b->batch && b->is_begun)
			left -= cps_latest_take(&b->batch->latest, thread, left);
		cps_journal_release(b);
	}
	return weight - left;
}

/* ---- batch ----------------------------------------------------------------------------------- */
/*
 * In: a stack, a weight, a time. Out: a few bytes. Most frames follow the same caller as last time,
 * and take one byte. An address takes its full length only once in a batch.
 */

#define NO_ID		0xffff
#define OUTERMOST	CPS_BATCH_IDS
#define FRAMES_AT_FIRST 256u

static atomic_bool saw_generated; /* Order: a flag by itself */

bool cps_batch_saw_generated(void)
{
	return atomic_load_explicit(&saw_generated, memory_order_relaxed);
}

void cps_batch_forget_generated(void)
{
	atomic_store(&saw_generated, false);
}

/* Replaces both arrays of frames by larger ones. */
static bool make_room(struct cps_batch *b, uint32_t room)
{
	const size_t before = b->trail.room * sizeof(*b->frames), bytes = room * sizeof(*b->frames);
	struct cps_frame *frames = cps_arena_pages(bytes), *kept = cps_arena_pages(bytes);
	struct cps_frame *old_frames = b->frames, *old_kept = b->trail.frames;

	if (!frames || !kept) {
		cps_arena_unmap(frames, bytes);
		cps_arena_unmap(kept, bytes);
		return false;
	}
	b->frames = frames;
	cps_trail_move(&b->trail, kept, room);
	cps_arena_unmap(old_frames, before);
	cps_arena_unmap(old_kept, before);
	return true;
}

bool cps_batch_prepare(struct cps_batch *b)
{
	if (!b->frames && !make_room(b, b->trail.room ? b->trail.room : FRAMES_AT_FIRST))
		return false;
	return cps_row_prepare();
}

bool cps_batch_make_room(struct cps_batch *b, uint64_t frames)
{
	uint32_t room = b->trail.room;

	while (room < frames && room < CPS_DEPTH_MAX)
		room *= 2;
	return room > b->trail.room && make_room(b, room);
}

void cps_batch_forget_trail(struct cps_batch *b)
{
	b->trail.depth = 0;
}

void cps_batch_begin(struct cps_batch *b, uint8_t *bytes, size_t room, uint32_t buffer,
		     uint32_t sequence, uint64_t time_us)
{
	struct cps_writer w = {bytes, bytes + room, false};

	cps_put(&w, buffer);
	cps_put(&w, sequence);
	cps_put(&w, time_us);
	b->bytes = bytes;
	b->room = room;
	b->used = (size_t)(w.p - bytes);
	b->previous_depth = 0;
	b->generation = cps_module_generation();
	b->has_thread = false;
	b->had_path = false;
	b->is_full = false;
	b->time_us = time_us;
	b->weight = 0;
	b->n_ids = 0;
	b->n_ticks = 0;
	cps_latest_begin(&b->latest);
	memset(b->hash, 0, sizeof(b->hash));
	memset(b->id[OUTERMOST].successor, 0xff, sizeof(b->id[OUTERMOST].successor));
}

/* A library was unloaded, so that an address may mean something else now. The ids stay, but they
 * stand for no address any more. */
static void forget(struct cps_batch *b)
{
	b->generation = cps_module_generation();
	memset(b->hash, 0, sizeof(b->hash));
	for (uint32_t i = 0; i < b->n_ids; i++)
		b->id[i].address = UINT64_MAX;
}

static uint32_t slot_of(const struct cps_batch *b, uint64_t address)
{
	uint32_t i = (uint32_t)(address * UINT64_C(0x9e3779b97f4a7c15) >> 50);

	_Static_assert(CPS_BATCH_HASH == 1u << 14, "the shift above gives 14 bits");
	while (b->hash[i] && b->id[b->hash[i] - 1].address != address)
		i = (i + 1) % CPS_BATCH_HASH;
	return i;
}

/* Makes the id the most recent successor of the frame before it. */
static void prefer(uint16_t list[4], uint32_t place, uint32_t id)
{
	for (; place > 0; place--)
		list[place] = list[place - 1];
	list[0] = (uint16_t)id;
}

static uint32_t module_of(uint64_t address)
{
	uint32_t number = CPS_MODULE_NONE;
	bool is_sure;

	if (cps_python_is_address(address) || address >= CPS_KERNEL_ADDRESS)
		return number;
	number = cps_module_find_now(address, &is_sure);
	if (number == CPS_MODULE_NONE &&
	    !is_sure) /* a module that is on a stack is not being unloaded */
		number = cps_module_find(address);
	if (number == CPS_MODULE_NONE && is_sure && address > CPS_NOT_SAMPLED_ADDRESS)
		atomic_store_explicit(&saw_generated, true, memory_order_relaxed);
	return number;
}

static uint32_t introduce(struct cps_batch *b, struct cps_writer *w, uint32_t slot,
			  uint64_t address)
{
	uint32_t number = module_of(address);
	uint32_t id = b->n_ids;

	if (id == CPS_BATCH_IDS) {
		w->full = true;
		return 0;
	}
	cps_put(w, CPS_FRAME_NEW);
	if (number == CPS_MODULE_NONE) {
		cps_put(w, 0);
		cps_put(w, address);
	} else {
		struct cps_module *m = cps_module_get(number);

		cps_put(w, number + 1);
		cps_put(w, address - m->bias);
		cps_module_use(m);
	}
	b->n_ids = id + 1;
	b->id[id].address = address;
	memset(b->id[id].successor, 0xff, sizeof(b->id[id].successor));
	b->hash[slot] = (uint16_t)(id + 1);
	return id;
}

static bool is_successor(const struct cps_batch *b, uint32_t from, uint32_t place, uint64_t address)
{
	uint16_t id = b->id[from].successor[place];

	return id != NO_ID && b->id[id].address == address;
}

static void put_run(struct cps_writer *w, uint32_t n)
{
	if (n > 2) {
		cps_put(w, CPS_FRAME_RUN);
		cps_put(w, n);
	} else {
		for (; n; n--)
			cps_put(w, 0);
	}
}

/* Writes a frame that is not the first successor of `from`. Returns its id. */
static uint32_t put_frame(struct cps_batch *b, struct cps_writer *w, uint32_t from,
			  uint64_t address)
{
	uint16_t *list = b->id[from].successor;
	uint32_t id, slot;

	for (uint32_t place = 1; place < CPS_FRAME_SUCCESSORS; place++) {
		if (is_successor(b, from, place, address)) {
			id = list[place];
			cps_put(w, place);
			prefer(list, place, id);
			return id;
		}
	}
	slot = slot_of(b, address);
	if (b->hash[slot]) {
		id = b->hash[slot] - 1u;
		cps_put(w, CPS_FRAME_KNOWN + id);
	} else {
		id = introduce(b, w, slot, address);
	}
	prefer(list, CPS_FRAME_SUCCESSORS - 1, id);
	return id;
}

static uint32_t depth_of(const struct cps_item *item)
{
	return item->path ? item->path->depth : item->stack->depth;
}

/* Frame i of an item, as it is recorded; 0 is the innermost. */
static uint64_t address_of(const struct cps_item *item, uint32_t i)
{
	return item->path ? item->path->addresses[i] : cps_stack_frame(item->stack, i)->pc;
}

/* The same for the previous item. */
static uint64_t address_before(const struct cps_batch *b, uint32_t i)
{
	return b->had_path ? b->path_before.addresses[i] : cps_trail_frame(&b->trail, i)->pc;
}

/* Writes all frames but the `keep` outermost ones, from the outside inward. */
static void put_frames(struct cps_batch *b, struct cps_writer *w, const struct cps_item *item,
		       uint32_t keep)
{
	uint32_t from = OUTERMOST, run = 0, depth = depth_of(item);

	if (keep)
		from = b->hash[slot_of(b, address_of(item, depth - keep))] - 1u;
	for (uint32_t i = depth - keep; i-- > 0 && !w->full;) {
		uint64_t pc = address_of(item, i);

		if (is_successor(b, from, 0, pc)) {
			from = b->id[from].successor[0];
			run++;
			continue;
		}
		put_run(w, run);
		run = 0;
		from = put_frame(b, w, from, pc);
	}
	put_run(w, run);
}

/* The number of outermost frames that the stack has in common with the previous one. Frames of the
 * trail are in common, and need not be compared. */
static uint32_t common(const struct cps_batch *b, const struct cps_item *item)
{
	uint32_t before = b->previous_depth, depth = depth_of(item), n = 0;
	uint32_t most = depth < before ? depth : before;

	if (before && !item->path && !b->had_path)
		n = item->stack->depth - item->stack->fresh;
	while (n < most && address_of(item, depth - n - 1) == address_before(b, before - n - 1))
		n++;
	return n;
}

/* What the next item is compared with. */
static void keep_path(struct cps_batch *b, const struct cps_item *item)
{
	struct cps_python_path spare = b->path_before;

	b->had_path = item->path;
	if (!item->path)
		return;
	b->path_before = b->path;
	b->path = spare;
}

/* Only a clock credits ahead (batch.h). */
static bool can_take_back(const struct cps_item *item)
{
	return !item->is_tail && cps_atoms_is_clocks(item->thread & ((1u << cps_atoms_bits()) - 1));
}

static uint32_t mark_of(const struct cps_item *item)
{
	return item->stack->mark == CPS_MARK_COMPLETE && item->path && item->path->is_cut
		       ? CPS_MARK_TOO_DEEP
		       : item->stack->mark;
}

bool cps_batch_add(struct cps_batch *b, const struct cps_item *item)
{
	struct cps_writer w = {b->bytes + b->used, b->bytes + b->room, false};
	const struct cps_stack *s = item->stack;
	uint32_t mark = mark_of(item) + (item->number ? CPS_MARK_NUMBERED : 0);
	bool same_thread = b->has_thread && b->thread == item->thread;
	uint32_t keep = 0;

	if (b->is_full)
		return false;
	if (b->generation == cps_module_generation())
		keep = common(b, item);
	else
		forget(b);
	cps_put(&w, (uint64_t)(b->previous_depth - keep) << CPS_ITEM_POP_SHIFT |
			    (same_thread ? 0 : CPS_ITEM_THREAD) |
			    (item->is_tail ? CPS_ITEM_TAIL : 0) | (mark ? CPS_ITEM_MARK : 0));
	if (!same_thread)
		cps_put(&w, item->thread);
	if (mark)
		cps_put(&w, mark);
	if (item->number)
		cps_put(&w, item->number);
	cps_put_signed(&w, (int64_t)(item->weight - b->weight));
	cps_put_signed(&w, (int64_t)(item->time_us - b->time_us - item->weight));
	cps_put(&w, depth_of(item) - keep);
	put_frames(b, &w, item, keep);
	if (w.full) {
		b->is_full = true;
		return false;
	}
	b->used = (size_t)(w.p - b->bytes);
	b->n_ticks += !item->is_tail;
	cps_latest_add(&b->latest, item->thread >> cps_atoms_bits(),
		       can_take_back(item) ? item->weight : 0);
	b->has_thread = true;
	b->thread = item->thread;
	b->weight = item->weight;
	b->time_us = item->time_us;
	b->previous_depth = depth_of(item);
	keep_path(b, item);
	cps_trail_take(&b->trail, s);
	return true;
}

/* ---- shown ----------------------------------------------------------------------------------- */
/*
 * Finds room for a stack as it is to be recorded.
 *
 * In: a stack. Out: a path of the batch's.
 */

#define ROOM_AT_FIRST 512u

/* A child that is forked meanwhile by another thread finds memory that is at least as large as its
 * room. Order: see cps_trail_move. */
static bool make_path_room(struct cps_python_path *path)
{
	uint32_t before = path->room, room = before ? 2 * before : ROOM_AT_FIRST;
	uint64_t *old = path->addresses, *fresh;

	fresh = room <= CPS_DEPTH_MAX ? cps_arena_pages(2 * room * sizeof(*fresh)) : NULL;
	if (!fresh)
		return false;
	path->addresses = fresh;
	atomic_thread_fence(memory_order_release);
	path->room = room;
	cps_arena_unmap(old, 2 * before * sizeof(*old));
	return true;
}

const struct cps_python_path *cps_shown_path(struct cps_batch *b, const struct cps_stack *stack,
					     const struct cps_peek *bounds)
{
	enum cps_python_outcome outcome;

	if (!cps_python_is_on() || !bounds)
		return NULL;
	do
		outcome = cps_python_show(stack, bounds, &b->path);
	while (outcome == CPS_PYTHON_TOO_DEEP && make_path_room(&b->path));
	if (outcome == CPS_PYTHON_TOO_DEEP)
		cps_python_leave();
	return outcome == CPS_PYTHON_SHOWN ? &b->path : NULL;
}
