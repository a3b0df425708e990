/* SPDX-License-Identifier: MIT */
/*
 * recode.c - reads a batch as batch.c has written it, and writes it again by columns.c.
 *
 * In: the payload of a batch. Out: the pieces of a record. The journal is a file that others may
 * write to, so everything is checked, and a batch that makes no sense is left as it is.
 */
#include <stdatomic.h>
#include <string.h>
#include <zlib.h>

#include "base/arena.h"
#include "stream/batch.h"
#include "stream/columns.h"
#include "stream/recode.h"
#include "base/poison.h"

#define OUTSIDE		CPS_BATCH_IDS
#define FRAMES_AT_FIRST 256u

/* A frame of the stack. */
struct level {
	struct cps_stack_key key; /* of the frames up to this one */
	uint16_t id;		  /* the batch's */
	bool is_new;		  /* its address was new when it was pushed */
};

struct tables {
	uint16_t ids[CPS_BATCH_IDS]; /* the columns' id for each of the batch's */
	uint16_t successor[CPS_BATCH_IDS + 1][CPS_FRAME_SUCCESSORS];
};

static struct {
	const uint8_t *p, *end;
	bool is_wrong;
	struct cps_column_item item; /* its time and weight are the previous item's */
	const struct cps_latest *latest;
	uint32_t n_items;
	uint32_t n_ids;
	struct tables *tables;
	uint32_t depth, kept; /* of the stack; its frames that are on the columns' stack, too */
	uint32_t columns_depth;
	bool has_new; /* the item has a new address */
	struct level *stack;
	uint32_t room; /* of the stack, in frames */
} in;

#define NUMBERS	      6 /* that stand before the lengths of the columns */
#define VARINT_BYTES  10
#define PAYLOAD_BYTES ((NUMBERS + CPS_COLUMNS) * VARINT_BYTES)

static uint8_t head[2 * VARINT_BYTES + PAYLOAD_BYTES], checksum[4];

/* Makes room for a stack of so many frames. A child that another thread forks meanwhile goes on with
 * what it finds, so the old memory goes last. */
static bool reach(uint32_t depth)
{
	uint32_t room = in.room ? in.room : FRAMES_AT_FIRST, old_room = in.room;
	struct level *fresh, *old = in.stack;

	if (depth <= in.room)
		return true;
	while (room < depth)
		room *= 2;
	fresh = cps_arena_pages(room * sizeof(*fresh));
	if (!fresh)
		return false;
	if (old)
		memcpy(fresh, old, in.depth * sizeof(*fresh));
	in.stack = fresh;
	atomic_signal_fence(memory_order_seq_cst);
	in.room = room;
	atomic_signal_fence(memory_order_seq_cst);
	cps_arena_unmap(old, old_room * sizeof(*fresh));
	return true;
}

static bool prepare(void)
{
	if (!in.tables)
		in.tables = cps_arena_pages(sizeof(*in.tables));
	return in.tables && reach(1);
}

static uint64_t wrong(void)
{
	in.is_wrong = true;
	return 0;
}

static uint64_t get(void)
{
	uint64_t v = 0;

	for (unsigned shift = 0; shift < 64 && in.p < in.end; shift += 7) {
		uint8_t byte = *in.p++;

		v |= (uint64_t)(byte & 0x7f) << shift;
		if (byte < 0x80)
			return v;
	}
	return wrong();
}

static uint64_t get_signed(void)
{
	uint64_t v = get();

	return v >> 1 ^ (0 - (v & 1));
}

/* Reads a new address of the batch. Returns its id in the batch. */
static uint32_t get_address(bool *is_new)
{
	uint64_t module = get(), address = get();
	uint32_t id;

	if (in.is_wrong || in.n_ids == CPS_BATCH_IDS || module > CPS_MODULES_MAX)
		return (uint32_t)wrong();
	id = cps_columns_id((uint32_t)module, address, is_new);
	if (id == CPS_NO_ID)
		return (uint32_t)wrong();
	in.tables->ids[in.n_ids] = (uint16_t)id;
	memset(in.tables->successor[in.n_ids], 0xff, sizeof(in.tables->successor[0]));
	return in.n_ids++;
}

static void prefer(uint16_t list[CPS_FRAME_SUCCESSORS], uint32_t id)
{
	uint16_t carried = (uint16_t)id;

	for (unsigned i = 0; i < CPS_FRAME_SUCCESSORS; i++) {
		uint16_t here = list[i];

		list[i] = carried;
		if (here == id)
			return;
		carried = here;
	}
}

static struct cps_stack_key key_of_stack(void)
{
	return in.depth ? in.stack[in.depth - 1].key : CPS_STACK_KEY_EMPTY;
}

static void push(uint32_t id, bool is_new)
{
	struct cps_stack_key key = cps_stack_key_with(key_of_stack(), in.tables->ids[id]);

	in.stack[in.depth++] = (struct level){key, (uint16_t)id, is_new};
	in.has_new |= is_new;
}

/* Reads up to `left` frames. Returns how many. */
static uint64_t frames(uint64_t left)
{
	uint32_t from = in.depth ? in.stack[in.depth - 1].id : OUTSIDE;
	uint64_t code = get(), n = 1;
	bool is_new = false;
	uint64_t id = 0;

	if (code == CPS_FRAME_RUN) {
		n = get();
		if (!n || n > left)
			return wrong();
		for (uint64_t i = 0; i < n; i++) {
			id = in.tables->successor[from][0];
			if (id >= in.n_ids)
				return wrong();
			push((uint32_t)id, false);
			from = (uint32_t)id;
		}
		return n;
	}
	if (code < CPS_FRAME_SUCCESSORS)
		id = in.tables->successor[from][code];
	else if (code == CPS_FRAME_NEW)
		id = get_address(&is_new);
	else
		id = code - CPS_FRAME_KNOWN;
	if (in.is_wrong || id >= in.n_ids)
		return wrong();
	prefer(in.tables->successor[from], (uint32_t)id);
	push((uint32_t)id, is_new);
	return n;
}

/* The key of a sample: its stack, thread and mark. */
static struct cps_stack_key key_of_item(void)
{
	return cps_stack_key_with(key_of_stack(), (uint64_t)in.item.mark << 32 | in.item.thread);
}

/* Writes the item in full, with its stack from the frame on where it differs from the columns'
 * stack. */
static void put_item(struct cps_column_item *item)
{
	item->pop = in.columns_depth - in.kept;
	item->has_frames = in.kept < in.depth;
	cps_columns_item(item, key_of_item());
	for (uint32_t i = in.kept; i < in.depth; i++)
		cps_columns_frame(i ? in.tables->ids[in.stack[i - 1].id] : CPS_NO_ID,
				  in.tables->ids[in.stack[i].id], in.stack[i].is_new,
				  i + 1 == in.depth);
	in.columns_depth = in.kept = in.depth;
}

/* Removes frames from the stack and adds others. */
static void change_stack(uint64_t pop)
{
	uint64_t left = get();

	if (in.is_wrong || pop > in.depth || left > CPS_DEPTH_MAX - (in.depth - pop)) {
		wrong();
		return;
	}
	in.depth -= (uint32_t)pop;
	if (!reach(in.depth + (uint32_t)left)) {
		wrong();
		return;
	}
	if (in.depth < in.kept)
		in.kept = in.depth;
	in.has_new = false;
	while (left && !in.is_wrong)
		left -= frames(left);
}

static void item(void)
{
	struct cps_column_item *i = &in.item, settled;
	uint64_t flags = get(), taken = cps_latest_taken(in.latest, in.n_items++);

	i->has_thread = flags & CPS_ITEM_THREAD;
	if (i->has_thread)
		i->thread = (uint32_t)get();
	i->is_tail = flags & CPS_ITEM_TAIL;
	i->mark = flags & CPS_ITEM_MARK ? (uint32_t)get() : 0;
	i->number = i->mark >= CPS_MARK_NUMBERED ? get() : 0;
	i->mark &= CPS_MARK_NUMBERED - 1;
	i->weight += get_signed();
	i->time_us += i->weight + get_signed();
	change_stack(flags >> CPS_ITEM_POP_SHIFT);
	settled = *i;
	settled.weight -= taken < i->weight ? taken : i->weight;
	if (!in.is_wrong && (in.has_new || !cps_columns_again(&settled, key_of_item())))
		put_item(&settled);
}

static bool items(void)
{
	while (in.p < in.end && !in.is_wrong)
		item();
	if (in.is_wrong)
		cps_columns_forget();
	return cps_columns_end() && !in.is_wrong;
}

/* Writes what stands before the columns: the tag and length of the record, and the numbers. */
static struct cps_piece heading(const uint64_t numbers[NUMBERS], const struct cps_piece *columns)
{
	uint8_t payload[PAYLOAD_BYTES];
	struct cps_writer p = {payload, payload + sizeof(payload), false};
	struct cps_writer w = {head, head + sizeof(head), false};
	size_t sum = 0;

	for (int i = 0; i < NUMBERS; i++)
		cps_put(&p, numbers[i]);
	for (int i = 0; i < CPS_COLUMNS; i++) {
		cps_put(&p, columns[i].n);
		sum += columns[i].n;
	}
	cps_put(&w, CPS_TAG_COLUMNS);
	cps_put(&w, (uint64_t)(p.p - payload) + sum);
	cps_put_bytes(&w, payload, (size_t)(p.p - payload));
	return (struct cps_piece){head, (size_t)(w.p - head)};
}

static size_t pieces_of(const uint64_t numbers[NUMBERS], struct cps_piece *pieces)
{
	size_t n = 1;
	uint32_t crc = 0;

	for (int i = 0; i < CPS_COLUMNS; i++, n++)
		pieces[n].bytes = cps_columns_bytes((enum cps_column)i, &pieces[n].n);
	pieces[0] = heading(numbers, pieces + 1);
	for (size_t i = 0; i < n; i++)
		crc = (uint32_t)crc32(crc, pieces[i].bytes, (uInt)pieces[i].n);
	memcpy(checksum, &crc, sizeof(checksum));
	pieces[n++] = (struct cps_piece){checksum, sizeof(checksum)};
	return n;
}

size_t cps_recode(const uint8_t *payload, size_t n, const struct cps_latest *latest,
		  struct cps_piece pieces[CPS_RECODE_PIECES])
{
	uint64_t buffer, sequence, time_us;
	bool begins_anew;

	in.p = payload;
	in.end = payload + n;
	in.is_wrong = false;
	in.latest = latest;
	in.n_items = 0;
	buffer = get();
	sequence = get();
	time_us = get();
	if (in.is_wrong || !prepare() || !cps_columns_begin(time_us, CPS_BATCH_IDS, &begins_anew))
		return 0;
	in.item = (struct cps_column_item){.time_us = time_us};
	in.n_ids = in.depth = in.kept = in.columns_depth = 0;
	memset(in.tables->successor[OUTSIDE], 0xff, sizeof(in.tables->successor[0]));
	if (!items())
		return 0;
	return pieces_of((uint64_t[]){buffer, sequence, time_us / cps_columns_step(),
				      cps_columns_grain(), cps_columns_step(), begins_anew},
			 pieces);
}
