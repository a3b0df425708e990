/* SPDX-License-Identifier: MIT */
/*
 * recode.c - writes a batch again as a columnar one, which deflates better.
 */
#include <stdatomic.h>
#include <string.h>
#include <zlib.h>

#include "base/memory.h"
#include "stream/atoms.h"
#include "stream/batch.h"
#include "stream/recode.h"
#include "base/poison.h"

/* ---- stacks ---------------------------------------------------------------------------------- */
/*
 * Recognises stacks that come again.
 *
 * In: keys of stacks. Out: their numbers, and how recently each was used (doc/decisions/0020).
 *
 * Locks: all functions need the lock of deflate_out.h, as all coding of the stream does.
 */

/* A hash of a sequence of numbers, of 128 bits: any two sequences that a program could have differ
 * in it. */
struct cps_stack_key {
	uint64_t a, b;
};

/* The key of the empty sequence. It is not 0, because then a 0 in the sequence would not change
 * it. */
#define CPS_STACK_KEY_EMPTY                                                                        \
	((struct cps_stack_key){UINT64_C(0x243f6a8885a308d3), UINT64_C(0x13198a2e03707344)})

/* The key of a sequence that is longer by one number. */
static struct cps_stack_key cps_stack_key_with(struct cps_stack_key key, uint64_t number)
{
	key.a = (key.a ^ number) * UINT64_C(0x9e3779b97f4a7c15);
	key.a ^= key.a >> 32;
	key.b = (key.b + number) * UINT64_C(0xd6e8feb86659fd93);
	key.b ^= key.b >> 29;
	return key;
}

#define WAYS	4u
#define BUCKETS (CPS_STACKS / 2)

_Static_assert((BUCKETS & (BUCKETS - 1)) == 0 && CPS_STACKS <= 1u << 16, "numbers fit 16 bits");

/* Pages of the arena, because most processes touch little of it. The numbers in a bucket are only
 * hints: they may be those of other keys. */
static struct {
	struct cps_stack_key key[CPS_STACKS];
	uint16_t bucket[BUCKETS][WAYS]; /* numbers, the latest first */
} * s;
static uint32_t n_stacks;	    /* stacks that have a number */
static uint32_t next;		    /* the next number */
static uint16_t recent[CPS_RECENT]; /* numbers, the latest first */
static uint32_t n_recent;

/* Get the memory. False if there is none. */
static bool cps_stacks_prepare(void)
{
	if (!s)
		s = cps_arena_pages(sizeof(*s));
	return s;
}

/* Forget all numbers. */
static void cps_stacks_forget(void)
{
	n_stacks = next = n_recent = 0;
}

static uint16_t *bucket_of(struct cps_stack_key key)
{
	return s->bucket[key.a % BUCKETS];
}

/* Puts the number first in the list. The numbers before `place` move back by one. */
static void put_first(uint16_t *list, uint32_t place, uint32_t number)
{
	memmove(list + 1, list, place * sizeof(*list));
	list[0] = (uint16_t)number;
}

/* Puts a number first that is not in the list of recent ones. */
static void put_recent(uint32_t number)
{
	n_recent += n_recent < CPS_RECENT;
	put_first(recent, n_recent - 1, number);
}

/* Give the next number to this stack. After the highest number come the lowest ones again, which are taken from
 * the stacks that have had them longest. */
static void cps_stacks_add(struct cps_stack_key key)
{
	put_first(bucket_of(key), WAYS - 1, next);
	s->key[next] = key;
	put_recent(next);
	next = (next + 1) % CPS_STACKS;
	n_stacks += n_stacks < CPS_STACKS;
}

static bool find(struct cps_stack_key key, uint32_t *number)
{
	const uint16_t *bucket = bucket_of(key);

	for (uint32_t way = 0; way < WAYS; way++) {
		const struct cps_stack_key *k = &s->key[bucket[way]];

		*number = bucket[way];
		if (*number < n_stacks && k->a == key.a && k->b == key.b)
			return true;
	}
	return false;
}

/* Find a stack that comes again. *place is how many other stacks were used since it was used last, if they are
 * fewer than CPS_RECENT. Otherwise *place is CPS_RECENT, and *number is the stack's number. False: it has no
 * number. */
static bool cps_stacks_again(struct cps_stack_key key, uint32_t *place, uint32_t *number)
{
	uint32_t i = 0;

	if (!find(key, number))
		return false;
	while (i < n_recent && recent[i] != *number)
		i++;
	*place = i < n_recent ? i : CPS_RECENT;
	if (i < n_recent)
		put_first(recent, i, *number);
	else
		put_recent(*number);
	return true;
}

/* ---- columnar -------------------------------------------------------------------------------- */
/*
 * Writes samples in columns, which deflate better than whole samples.
 *
 * In: samples whose frames are ids. Out: a column of bytes for each kind of number. The addresses,
 * and the frames that followed each of them, are remembered from record to record. So most frames
 * are a small number, and most new addresses are a small difference from an address that followed
 * the same caller (doc/decisions/0019).
 */

#define CPS_NO_ID 0xffffu

/* A sample without its stack. */
struct cps_columnar_item {
	uint32_t thread; /* with the atom (atoms.h) */
	uint32_t mark;
	bool is_tail, has_thread; /* the thread is another one than before */
	uint64_t weight, time_us;
	uint64_t number; /* of a block of memory; 0: none */
	uint64_t pop; /* frames to remove from the stack of the previous sample that had a head */
	bool has_frames;
};

#define OUTSIDE	   CPS_COLUMN_IDS /* the row of successors for outermost frames */
#define HASH_BITS  16
#define HASH	   (1u << HASH_BITS)
#define RUN_LEAST  4u
#define NEAR_RANGE INT64_C(32768)

_Static_assert(CPS_COLUMN_IDS < CPS_NO_ID && HASH >= 2 * CPS_COLUMN_IDS, "ids fit 16 bits");

/* Pages of the arena, because most processes never write a record, and few touch all of this. */
struct dictionary {
	uint64_t address[CPS_COLUMN_IDS];
	uint16_t module[CPS_COLUMN_IDS]; /* the module's number + 1 */
	bool is_leaf[CPS_COLUMN_IDS];	 /* it was innermost when it was last pushed */
	uint8_t n_successors[CPS_COLUMN_IDS + 1];
	uint16_t successor[CPS_COLUMN_IDS + 1][CPS_COLUMN_SUCCESSORS];
	uint16_t hash[HASH]; /* id + 1 */
	uint8_t bytes[CPS_COLUMNS][64u << 10];
};

static struct cps_writer writers[CPS_COLUMNS]; /* of the columns of the current record */
static struct dictionary *d;
static uint32_t n_ids;
static uint32_t grain = 1, step = 1;
static uint64_t weights[CPS_ATOMS_MAX]; /* of each atom's previous item, in grains */
static uint64_t time_steps;		/* the previous item's */
static uint64_t latest_address;		/* the new address that was written last */
static uint32_t latest_module, run;

void cps_columnar_set_grain(uint32_t units, uint32_t step_us)
{
	grain = units;
	step = step_us;
}

static uint32_t cps_columnar_step(void)
{
	return step;
}

uint32_t cps_columnar_grain(void)
{
	return grain;
}

void cps_columnar_forget(void)
{
	n_ids = 0;
}

/* The n bytes of a column of the record that was ended last; valid until the next one begins. */
static const uint8_t *cps_columnar_bytes(enum cps_column column, size_t *n)
{
	*n = (size_t)(writers[column].p - d->bytes[column]);
	return d->bytes[column];
}

/* Begin a record with at most `addresses` new addresses, of samples after time_us. False: there is no memory for
 * it. *begins_anew: the record does not build on earlier ones. */
static bool cps_columnar_begin(uint64_t time_us, uint32_t addresses, bool *begins_anew)
{
	bool is_fresh = !d; /* its pages are zero, and are not touched needlessly */

	if (is_fresh)
		d = cps_arena_pages(sizeof(*d));
	if (!d || !cps_stacks_prepare())
		return false;
	if (n_ids + addresses > CPS_COLUMN_IDS)
		n_ids = 0;
	*begins_anew = n_ids == 0;
	if (*begins_anew) {
		if (!is_fresh)
			memset(d->hash, 0, sizeof(d->hash));
		d->n_successors[OUTSIDE] = 0;
		cps_stacks_forget();
		latest_address = latest_module = 0;
	}
	for (int i = 0; i < CPS_COLUMNS; i++)
		writers[i] =
			(struct cps_writer){d->bytes[i], d->bytes[i] + sizeof(d->bytes[i]), false};
	memset(weights, 0, sizeof(weights));
	time_steps = time_us / step;
	run = 0;
	return true;
}

static struct cps_writer *column(enum cps_column which)
{
	return &writers[which];
}

static void put_byte(enum cps_column which, uint8_t byte)
{
	struct cps_writer *w = column(which);

	if (w->p == w->end)
		w->full = true;
	else
		*w->p++ = byte;
}

/* Writes the n low bytes of a number, each into a column of its own. */
static void put_bytes(enum cps_column first, int n, uint64_t value)
{
	for (int i = 0; i < n; i++)
		put_byte((enum cps_column)(first + i), (uint8_t)(value >> 8 * i));
}

/* Writes the values that most samples do not have. */
static void put_extra(const struct cps_columnar_item *item, uint64_t rest)
{
	struct cps_writer *w = column(CPS_COLUMN_EXTRA);
	uint32_t mark = item->mark + (item->number ? CPS_MARK_NUMBERED : 0);

	cps_put(w, (item->has_thread ? CPS_ITEM_THREAD : 0) | (item->is_tail ? CPS_ITEM_TAIL : 0) |
			   (mark ? CPS_ITEM_MARK : 0) | (rest ? CPS_ITEM_REST : 0));
	if (item->has_thread)
		cps_put(w, item->thread);
	if (mark)
		cps_put(w, mark);
	if (item->number)
		cps_put(w, item->number);
	if (rest)
		cps_put(w, rest);
}

static uint32_t atom_of(const struct cps_columnar_item *item)
{
	return item->thread & ((1u << cps_atoms_bits()) - 1);
}

static uint32_t grain_of(const struct cps_columnar_item *item)
{
	uint32_t own = cps_atoms_grain(atom_of(item));

	return own ? own : grain;
}

static void put_amounts(const struct cps_columnar_item *item)
{
	uint32_t atom = atom_of(item), unit = grain_of(item);
	uint64_t grains = item->weight / unit, now = item->time_us / step, expected = 0;

	if (cps_atoms_are_plain() || cps_atoms_is_time(atom))
		expected = (grains * unit + step / 2) / step;
	cps_put_signed(column(CPS_COLUMN_WEIGHT), (int64_t)(grains - weights[atom]));
	cps_put_signed(column(CPS_COLUMN_TIME), (int64_t)(now - time_steps - expected));
	weights[atom] = grains;
	time_steps = now;
}

/* Add a sample. Its frames must follow, outermost first, if it has any. */
static void cps_columnar_item(const struct cps_columnar_item *item, struct cps_stack_key key)
{
	uint64_t rest = item->weight % grain_of(item);
	bool has_extra = item->has_thread || item->is_tail || item->mark || item->number || rest;

	put_byte(CPS_COLUMN_AGAIN, CPS_AGAIN_NOT);
	cps_put(column(CPS_COLUMN_HEAD), item->pop << CPS_HEAD_POP_SHIFT |
						 (item->has_frames ? 0 : CPS_HEAD_NO_FRAMES) |
						 (has_extra ? CPS_HEAD_EXTRA : 0));
	if (has_extra)
		put_extra(item, rest);
	put_amounts(item);
	cps_stacks_add(key);
}

/* Add a sample whose stack, thread and mark, which make its key, have occurred before. False: they have not, or
 * the sample has more to say; nothing was added. */
static bool cps_columnar_again(const struct cps_columnar_item *item, struct cps_stack_key key)
{
	uint32_t place, number;

	if (item->is_tail || item->number || item->weight % grain_of(item) ||
	    !cps_stacks_again(key, &place, &number))
		return false;
	if (place < CPS_RECENT) {
		put_byte(CPS_COLUMN_AGAIN, (uint8_t)(place + 1));
	} else {
		put_byte(CPS_COLUMN_AGAIN, CPS_AGAIN_NUMBER);
		put_bytes(CPS_COLUMN_NUMBER, 2, number);
	}
	put_amounts(item);
	return true;
}

/* The id of an address. `module` is its module's number + 1 (0: none). *is_new: it had no id before. */
static uint32_t cps_columnar_id(uint32_t module, uint64_t address, bool *is_new)
{
	uint32_t i = (uint32_t)((address ^ (uint64_t)module << 40) * UINT64_C(0x9e3779b97f4a7c15) >>
				(64 - HASH_BITS));
	uint32_t id;

	for (; d->hash[i]; i = (i + 1) % HASH) {
		id = d->hash[i] - 1u;
		if (d->address[id] == address && d->module[id] == module)
			return id;
	}
	if (n_ids == CPS_COLUMN_IDS) /* more than `addresses` of cps_columnar_begin */
		return CPS_NO_ID;
	id = n_ids++;
	d->hash[i] = (uint16_t)(id + 1);
	d->address[id] = address;
	d->module[id] = (uint16_t)module;
	d->n_successors[id] = 0;
	*is_new = true;
	return id;
}

static void put_run(void)
{
	if (run >= RUN_LEAST) {
		put_byte(CPS_COLUMN_CODE, CPS_CODE_RUN);
		cps_put(column(CPS_COLUMN_EXTRA), run);
	} else {
		for (; run; run--)
			put_byte(CPS_COLUMN_CODE, 0);
	}
	run = 0;
}

static void put_far(uint32_t id)
{
	uint64_t address = d->address[id], difference;

	difference = cps_zigzag(
		(int64_t)(d->module[id] == latest_module ? address - latest_address : address));
	put_bytes(CPS_COLUMN_FAR, 3, difference);
	cps_put(column(CPS_COLUMN_FAR_REST), d->module[id]);
	cps_put(column(CPS_COLUMN_FAR_REST), difference >> 24);
}

/* Writes a new address. `beside` is an address that followed the same frame before, or
 * CPS_NO_ID. */
static void put_new(uint32_t id, uint32_t beside, bool is_innermost)
{
	int64_t difference = 0;
	bool is_near = false;

	d->is_leaf[id] = is_innermost;
	if (beside != CPS_NO_ID && d->module[beside] == d->module[id]) {
		difference = (int64_t)(d->address[id] - d->address[beside]);
		is_near = difference >= -NEAR_RANGE && difference < NEAR_RANGE;
	}
	if (is_near) {
		put_byte(CPS_COLUMN_CODE, is_innermost ? CPS_CODE_NEAR_LEAF : CPS_CODE_NEAR);
		put_bytes(CPS_COLUMN_NEAR, 2, cps_zigzag(difference));
	} else {
		put_byte(CPS_COLUMN_CODE, is_innermost ? CPS_CODE_FAR_LEAF : CPS_CODE_FAR);
		put_far(id);
	}
	latest_address = d->address[id];
	latest_module = d->module[id];
}

/* Writes a frame whose address is known. Returns its place among the n successors, or n. */
static uint32_t put_known(const uint16_t *list, uint32_t n, uint32_t id, bool is_innermost)
{
	uint32_t place = 0;

	if (d->is_leaf[id] != is_innermost) {
		put_byte(CPS_COLUMN_CODE, CPS_CODE_FLIP);
		d->is_leaf[id] = is_innermost;
	}
	while (place < n && list[place] != id)
		place++;
	if (place < n) {
		put_byte(CPS_COLUMN_CODE, (uint8_t)place);
	} else {
		put_byte(CPS_COLUMN_CODE, CPS_CODE_KNOWN);
		put_bytes(CPS_COLUMN_KNOWN, 2, id);
	}
	return place;
}

/* Moves a successor half of the way to the front, which is better than all of the way where two
 * successors alternate. A new one is put behind those that have been used repeatedly. */
static void prefer(uint16_t *list, uint8_t *n, uint32_t place, uint32_t id)
{
	uint32_t to = place / 2;

	if (place == *n) {
		place -= place == CPS_COLUMN_SUCCESSORS;
		*n = (uint8_t)(place + 1);
		to = place * 3 / 4;
	}
	for (; place > to; place--)
		list[place] = list[place - 1];
	list[to] = (uint16_t)id;
}

/* Add a frame by its id. `from` is the id of the frame before it, CPS_NO_ID if there is none. */
static void cps_columnar_frame(uint32_t from, uint32_t id, bool is_new, bool is_innermost)
{
	uint32_t row = from == CPS_NO_ID ? OUTSIDE : from;
	uint16_t *list = d->successor[row];
	uint8_t *n = &d->n_successors[row];
	uint32_t place = *n;

	if (!is_new && *n && list[0] == id && d->is_leaf[id] == is_innermost) {
		run++;
		if (is_innermost)
			put_run();
		return;
	}
	put_run();
	if (is_new)
		put_new(id, *n ? list[0] : CPS_NO_ID, is_innermost);
	else
		place = put_known(list, *n, id, is_innermost);
	prefer(list, n, place, id);
}

/* End the record. False: a column was too small, and the record is void. */
static bool cps_columnar_end(void)
{
	bool is_full = false;

	for (int i = 0; i < CPS_COLUMNS; i++)
		is_full = is_full || writers[i].full;
	if (is_full)
		cps_columnar_forget();
	return !is_full;
}

/* ---- recode ---------------------------------------------------------------------------------- */
/*
 * Reads a batch as batch.c has written it, and writes it again by recode.c.
 *
 * In: the payload of a batch. Out: the pieces of a record. The journal is a file that others may
 * write to, so everything is checked, and a batch that makes no sense is left as it is.
 */

#define OUTERMOST	CPS_BATCH_IDS
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
	struct cps_columnar_item item; /* its time and weight are the previous item's */
	const struct cps_latest *latest;
	uint32_t n_items;
	uint32_t n_ids;
	struct tables *tables;
	uint32_t depth, kept; /* of the stack; its frames that are on the columns' stack, too */
	uint32_t columnar_depth;
	bool has_new; /* the item has a new address */
	struct level *stack;
	uint32_t room; /* of the stack, in frames */
} in;

#define NUMBERS	      6 /* that stand before the lengths of the columns */
#define VARINT_BYTES  10
#define PAYLOAD_BYTES ((NUMBERS + CPS_COLUMNS) * VARINT_BYTES)

static uint8_t head[2 * VARINT_BYTES + PAYLOAD_BYTES], checksum[4];

/* Makes room for a stack of so many frames. A child that another thread forks meanwhile goes on with
 * what it finds, so the old memory goes last. Order: the array is stored before its room, as in cps_trail_move; all of `in`
 * belongs to who has the lock of the stream. */
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
	atomic_thread_fence(memory_order_release);
	in.room = room;
	atomic_thread_fence(memory_order_release);
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
	id = cps_columnar_id((uint32_t)module, address, is_new);
	if (id == CPS_NO_ID)
		return (uint32_t)wrong();
	in.tables->ids[in.n_ids] = (uint16_t)id;
	memset(in.tables->successor[in.n_ids], 0xff, sizeof(in.tables->successor[0]));
	return in.n_ids++;
}

static void prefer_successor(uint16_t list[CPS_FRAME_SUCCESSORS], uint32_t id)
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
	uint32_t from = in.depth ? in.stack[in.depth - 1].id : OUTERMOST;
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
	prefer_successor(in.tables->successor[from], (uint32_t)id);
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
static void put_item(struct cps_columnar_item *item)
{
	item->pop = in.columnar_depth - in.kept;
	item->has_frames = in.kept < in.depth;
	cps_columnar_item(item, key_of_item());
	for (uint32_t i = in.kept; i < in.depth; i++)
		cps_columnar_frame(i ? in.tables->ids[in.stack[i - 1].id] : CPS_NO_ID,
				   in.tables->ids[in.stack[i].id], in.stack[i].is_new,
				   i + 1 == in.depth);
	in.columnar_depth = in.kept = in.depth;
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
	struct cps_columnar_item *i = &in.item, settled;
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
	if (!in.is_wrong && (in.has_new || !cps_columnar_again(&settled, key_of_item())))
		put_item(&settled);
}

static bool items(void)
{
	while (in.p < in.end && !in.is_wrong)
		item();
	if (in.is_wrong)
		cps_columnar_forget();
	return cps_columnar_end() && !in.is_wrong;
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
	cps_put(&w, CPS_TAG_COLUMNAR);
	cps_put(&w, (uint64_t)(p.p - payload) + sum);
	cps_put_bytes(&w, payload, (size_t)(p.p - payload));
	return (struct cps_piece){head, (size_t)(w.p - head)};
}

static size_t pieces_of(const uint64_t numbers[NUMBERS], struct cps_piece *pieces)
{
	size_t n = 1;
	uint32_t crc = 0;

	for (int i = 0; i < CPS_COLUMNS; i++, n++)
		pieces[n].bytes = cps_columnar_bytes((enum cps_column)i, &pieces[n].n);
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
	if (in.is_wrong || !prepare() || !cps_columnar_begin(time_us, CPS_BATCH_IDS, &begins_anew))
		return 0;
	in.item = (struct cps_columnar_item){.time_us = time_us};
	in.n_ids = in.depth = in.kept = in.columnar_depth = 0;
	memset(in.tables->successor[OUTERMOST], 0xff, sizeof(in.tables->successor[0]));
	if (!items())
		return 0;
	return pieces_of((uint64_t[]){buffer, sequence, time_us / cps_columnar_step(),
				      cps_columnar_grain(), cps_columnar_step(), begins_anew},
			 pieces);
}
