/* SPDX-License-Identifier: MIT */
/*
 * columns.c - writes samples in columns, which deflate better than whole samples.
 *
 * In: samples whose frames are ids. Out: a column of bytes for each kind of number. The addresses,
 * and the frames that followed each of them, are remembered from record to record. So most frames
 * are a small number, and most new addresses are a small difference from an address that followed
 * the same caller (doc/decisions/0019).
 */
#include <string.h>

#include "base/arena.h"
#include "stream/atoms.h"
#include "stream/columns.h"
#include "base/poison.h"

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

void cps_columns_set_grain(uint32_t units, uint32_t step_us)
{
	grain = units;
	step = step_us;
}

uint32_t cps_columns_step(void)
{
	return step;
}

uint32_t cps_columns_grain(void)
{
	return grain;
}

void cps_columns_forget(void)
{
	n_ids = 0;
}

const uint8_t *cps_columns_bytes(enum cps_column column, size_t *n)
{
	*n = (size_t)(writers[column].p - d->bytes[column]);
	return d->bytes[column];
}

bool cps_columns_begin(uint64_t time_us, uint32_t addresses, bool *begins_anew)
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
static void put_extra(const struct cps_column_item *item, uint64_t rest)
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

static uint32_t atom_of(const struct cps_column_item *item)
{
	return item->thread & ((1u << cps_atoms_bits()) - 1);
}

static uint32_t grain_of(const struct cps_column_item *item)
{
	uint32_t own = cps_atoms_grain(atom_of(item));

	return own ? own : grain;
}

static void put_amounts(const struct cps_column_item *item)
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

void cps_columns_item(const struct cps_column_item *item, struct cps_stack_key key)
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

bool cps_columns_again(const struct cps_column_item *item, struct cps_stack_key key)
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

uint32_t cps_columns_id(uint32_t module, uint64_t address, bool *is_new)
{
	uint32_t i = (uint32_t)((address ^ (uint64_t)module << 40) * UINT64_C(0x9e3779b97f4a7c15) >>
				(64 - HASH_BITS));
	uint32_t id;

	for (; d->hash[i]; i = (i + 1) % HASH) {
		id = d->hash[i] - 1u;
		if (d->address[id] == address && d->module[id] == module)
			return id;
	}
	if (n_ids == CPS_COLUMN_IDS) /* more than `addresses` of cps_columns_begin */
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

void cps_columns_frame(uint32_t from, uint32_t id, bool is_new, bool is_innermost)
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

bool cps_columns_end(void)
{
	bool is_full = false;

	for (int i = 0; i < CPS_COLUMNS; i++)
		is_full = is_full || writers[i].full;
	if (is_full)
		cps_columns_forget();
	return !is_full;
}
