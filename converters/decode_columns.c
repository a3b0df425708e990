/* SPDX-License-Identifier: MIT */
/*
 * decode_columns.c - decodes a batch of samples in columns.
 *
 * Room: read. In: the payload of such a record. Out: sample events. Addresses and what followed
 * them stay from record to record.
 */
#include <stdlib.h>
#include <string.h>

#include "decode_stream.h"

#define OUTSIDE	 CPS_COLUMN_IDS /* the place before the outermost frame */
#define TOO_DEEP "a stack is too deep"

struct columns {
	struct cursor column[CPS_COLUMNS];
	uint64_t grain;
	uint64_t time, weight; /* of the previous item, in grains */
	uint32_t thread;
	bool has_thread;
	size_t depth, keep;
	size_t n_ids;
	uint64_t latest_address; /* that was new */
	uint32_t latest_module;	 /* likewise; its number + 1 */
	bool is_leaf[CPS_COLUMN_IDS];
	struct event_frame frame[CPS_COLUMN_IDS]; /* of each id */
	uint8_t n_successors[CPS_COLUMN_IDS + 1];
	uint16_t successor[CPS_COLUMN_IDS + 1][CPS_COLUMN_SUCCESSORS];
	uint16_t ids[CPS_DEPTH_MAX];
	struct event_frame frames[CPS_DEPTH_MAX];
};

void columns_free(struct columns *c)
{
	free(c);
}

/* Whatever is wrong is said of the first column. */
static bool wrong(struct columns *c, const char *why)
{
	c->column[0].wrong = why;
	return false;
}

static bool number(struct columns *c, enum cps_column column, uint64_t *value)
{
	return cursor_varint(&c->column[column], value) || wrong(c, c->column[column].wrong);
}

static bool number_signed(struct columns *c, enum cps_column column, int64_t *value)
{
	return cursor_zigzag(&c->column[column], value) || wrong(c, c->column[column].wrong);
}

/* The low bytes of a number, one a column. */
static bool number_bytes(struct columns *c, enum cps_column first, int n, uint32_t *value)
{
	*value = 0;
	for (int i = 0; i < n; i++) {
		struct cursor *from = &c->column[(int)first + i];

		if (from->at == from->end)
			return wrong(c, CURSOR_SHORT);
		*value |= (uint32_t)*from->at++ << 8 * i;
	}
	return true;
}

static int64_t unzigzag(uint64_t value)
{
	return (int64_t)(value >> 1 ^ (0 - (value & 1)));
}

/* ---- frames ---------------------------------------------------------------------------------- */

static inline void frame_push(struct columns *c, uint32_t id)
{
	c->ids[c->depth] = (uint16_t)id;
	c->frames[c->depth] = c->frame[id];
	c->depth++;
}

/* The row of the innermost frame's successors. */
static inline uint32_t row_now(const struct columns *c)
{
	return c->depth ? c->ids[c->depth - 1] : OUTSIDE;
}

static bool id_new(struct columns *c, uint32_t module, uint64_t address, bool is_leaf, uint32_t *id)
{
	if (c->n_ids == CPS_COLUMN_IDS)
		return wrong(c, "too many addresses");
	*id = (uint32_t)c->n_ids++;
	c->frame[*id] =
		(struct event_frame){module ? module - 1 : EVENT_NO_MODULE, address, {NULL, 0}};
	c->is_leaf[*id] = is_leaf;
	c->n_successors[*id] = 0;
	c->latest_module = module;
	c->latest_address = address;
	return true;
}

/* A new address near that of the first successor. */
static bool id_near(struct columns *c, uint32_t row, bool is_leaf, uint32_t *id)
{
	const struct event_frame *f;
	uint32_t value;

	if (!number_bytes(c, CPS_COLUMN_NEAR, 2, &value))
		return false;
	if (!c->n_successors[row])
		return wrong(c, "a new address is near none");
	f = &c->frame[c->successor[row][0]];
	return id_new(c, f->module == EVENT_NO_MODULE ? 0 : f->module + 1,
		      f->address + (uint64_t)unzigzag(value), is_leaf, id);
}

static bool id_far(struct columns *c, bool is_leaf, uint32_t *id)
{
	uint64_t module, rest, address;
	uint32_t low;

	if (!number_bytes(c, CPS_COLUMN_FAR, 3, &low) || !number(c, CPS_COLUMN_FAR_REST, &module) ||
	    !number(c, CPS_COLUMN_FAR_REST, &rest))
		return false;
	if (module > CPS_MODULES_MAX)
		return wrong(c, "a frame's module number is too large");
	if (rest >> 40)
		return wrong(c, "an address does not fit 64 bits");
	address = (uint64_t)unzigzag(rest << 24 | low);
	if (module == c->latest_module)
		address += c->latest_address;
	return id_new(c, (uint32_t)module, address, is_leaf, id);
}

/* The id that a code stands for, other than a run's or a flip's; *place: where it is among the
 * successors, or how many these are. */
static bool id_read(struct columns *c, uint32_t row, unsigned code, uint32_t *id, uint32_t *place)
{
	*place = c->n_successors[row];
	switch (code) {
	case CPS_CODE_KNOWN:
		if (!number_bytes(c, CPS_COLUMN_KNOWN, 2, id))
			return false;
		return *id < c->n_ids || wrong(c, "a frame's address is unknown");
	case CPS_CODE_NEAR:
	case CPS_CODE_NEAR_LEAF:
		return id_near(c, row, code == CPS_CODE_NEAR_LEAF, id);
	case CPS_CODE_FAR:
	case CPS_CODE_FAR_LEAF:
		return id_far(c, code == CPS_CODE_FAR_LEAF, id);
	default:
		if (code >= *place)
			return wrong(c, "a frame has no such successor");
		*place = code;
		*id = c->successor[row][code];
		return true;
	}
}

/* As the writer does it: half of the way to the front; new ones behind three quarters. */
static inline void prefer(struct columns *c, uint32_t row, uint32_t place, uint32_t id)
{
	uint16_t *list = c->successor[row];
	uint32_t to = place / 2;

	if (place == c->n_successors[row]) {
		place -= place == CPS_COLUMN_SUCCESSORS;
		c->n_successors[row] = (uint8_t)(place + 1);
		to = place * 3 / 4;
	}
	for (; place > to; place--)
		list[place] = list[place - 1];
	list[to] = (uint16_t)id;
}

/* Frames that are each the first successor of the one before. *is_over: the last one is a leaf. */
static bool run_read(struct columns *c, bool *is_over)
{
	uint64_t n;

	if (!number(c, CPS_COLUMN_EXTRA, &n))
		return false;
	if (n > CPS_DEPTH_MAX - c->depth)
		return wrong(c, TOO_DEEP);
	while (n--) {
		uint32_t row = row_now(c), id = c->successor[row][0];

		if (!c->n_successors[row])
			return wrong(c, "a frame has no such successor");
		frame_push(c, id);
		*is_over = c->is_leaf[id];
		if (*is_over && n)
			return wrong(c, "a run of frames has a wrong length");
	}
	return true;
}

/* Frames up to a leaf. */
static bool frames_read(struct columns *c)
{
	struct cursor *codes = &c->column[CPS_COLUMN_CODE];
	bool is_over = false, is_flipped = false;

	while (!is_over) {
		uint32_t row = row_now(c), id, place;
		unsigned code;

		if (codes->at == codes->end)
			return wrong(c, CURSOR_SHORT);
		code = *codes->at++;
		if (code == CPS_CODE_FLIP) {
			is_flipped = !is_flipped;
			continue;
		}
		if (code == CPS_CODE_RUN) {
			if (!run_read(c, &is_over))
				return false;
			continue;
		}
		if (c->depth == CPS_DEPTH_MAX)
			return wrong(c, TOO_DEEP);
		if (!id_read(c, row, code, &id, &place))
			return false;
		c->is_leaf[id] ^= is_flipped;
		is_flipped = false;
		if (place)
			prefer(c, row, place, id);
		else if (!c->n_successors[row])
			prefer(c, row, 0, id);
		frame_push(c, id);
		is_over = c->is_leaf[id];
	}
	return true;
}

/* ---- items ----------------------------------------------------------------------------------- */

/* What most samples have not: into *e, and what the weight is more than its grains. */
static bool extra_read(struct columns *c, struct event_sample *e, uint64_t *rest)
{
	uint64_t flags, thread, mark = CPS_MARK_COMPLETE;

	if (!number(c, CPS_COLUMN_EXTRA, &flags))
		return false;
	if (flags & CPS_ITEM_THREAD) {
		if (!number(c, CPS_COLUMN_EXTRA, &thread))
			return false;
		if (thread > UINT32_MAX)
			return wrong(c, "a number does not fit 32 bits");
		c->thread = (uint32_t)thread;
		c->has_thread = true;
	}
	if (flags & CPS_ITEM_MARK && !number(c, CPS_COLUMN_EXTRA, &mark))
		return false;
	if (mark >= CPS_MARK_COUNT)
		return wrong(c, "a sample has an unknown mark");
	if (flags & CPS_ITEM_REST && !number(c, CPS_COLUMN_EXTRA, rest))
		return false;
	e->mark = (uint32_t)mark;
	e->hits = !(flags & CPS_ITEM_TAIL);
	return true;
}

/* Weight and time, in grains; times are predicted: a sample stands for the time since the one
 * before. */
static bool amounts_read(struct columns *c)
{
	int64_t more, weight, early, step;

	if (!number_signed(c, CPS_COLUMN_WEIGHT, &more) ||
	    !number_signed(c, CPS_COLUMN_TIME, &early))
		return false;
	if (__builtin_add_overflow((int64_t)c->weight, more, &weight) || weight < 0 ||
	    (uint64_t)weight > CPS_WEIGHT_MAX / c->grain)
		return wrong(c, "a sample's weight is out of range");
	if (__builtin_add_overflow(weight, early, &step) || step < 0 ||
	    __builtin_add_overflow(c->time, (uint64_t)step, &c->time))
		return wrong(c, "a sample's time is out of range");
	c->weight = (uint64_t)weight;
	return true;
}

/* One item, into c and *e. */
static bool item_read(struct columns *c, struct event_sample *e, uint64_t *rest)
{
	uint64_t head, pop;

	if (!number(c, CPS_COLUMN_HEAD, &head))
		return false;
	*rest = e->mark = 0;
	e->hits = 1;
	if (head & CPS_HEAD_EXTRA && !extra_read(c, e, rest))
		return false;
	if (!c->has_thread)
		return wrong(c, "a sample has no thread");
	if (!amounts_read(c))
		return false;
	pop = head >> CPS_HEAD_POP_SHIFT;
	if (pop > c->depth)
		return wrong(c, "more frames leave the stack than it has");
	c->depth -= pop;
	if (c->depth < c->keep)
		c->keep = c->depth;
	return head & CPS_HEAD_NO_FRAMES || frames_read(c);
}

static int item_push(struct stream *s, struct event_sample *e, uint64_t rest)
{
	struct columns *c = s->columns;
	uint64_t units = c->weight * c->grain; /* at most CPS_WEIGHT_MAX */

	if (rest >= c->grain || __builtin_mul_overflow(units + rest, s->scale, &e->weight) ||
	    __builtin_mul_overflow(c->time, c->grain, &e->time_us)) {
		s->wrong = rest >= c->grain
				   ? "a sample's weight is out of range"
				   : "overflow: a sample's weight or time does not fit 64 bits";
		return -1;
	}
	e->thread = c->thread;
	e->depth = c->depth;
	e->keep = c->keep;
	e->frames = c->frames;
	c->keep = c->depth;
	return s->sink->sample ? s->sink->sample(s->sink->context, e, s->err) : 0;
}

/* ---- the record ------------------------------------------------------------------------------ */

static void begin_anew(struct columns *c)
{
	c->n_ids = 0;
	c->latest_address = c->latest_module = 0;
	c->n_successors[OUTSIDE] = 0;
}

/* The numbers before the columns, and where each of these is. */
static const char *head_read(struct stream *s, struct cursor *from, struct batch_id *id)
{
	struct columns *c = s->columns;
	uint64_t anew, length[CPS_COLUMNS];

	if (!cursor_varint(from, &id->buffer) || !cursor_varint(from, &id->sequence) ||
	    !cursor_varint(from, &c->time) || !cursor_varint(from, &c->grain) ||
	    !cursor_varint(from, &anew))
		return from->wrong;
	if (!c->grain || c->grain > UINT32_MAX)
		return "its grain is out of range";
	if (!anew && !s->has_columns)
		return "it builds on a record that is not there";
	for (int i = 0; i < CPS_COLUMNS; i++)
		if (!cursor_varint(from, &length[i]))
			return from->wrong;
	for (int i = 0; i < CPS_COLUMNS; i++) {
		if (length[i] > (size_t)(from->end - from->at))
			return CURSOR_SHORT;
		c->column[i] = (struct cursor){from->at, from->at + length[i], NULL};
		from->at += length[i];
	}
	if (from->at != from->end)
		return "it has bytes behind its columns";
	if (anew)
		begin_anew(c);
	s->has_columns = true;
	return NULL;
}

static int items_decode(struct stream *s)
{
	struct columns *c = s->columns;
	struct event_sample e = {0};
	uint64_t rest;

	c->weight = 0;
	c->has_thread = false;
	c->depth = c->keep = 0;
	while (c->column[CPS_COLUMN_HEAD].at != c->column[CPS_COLUMN_HEAD].end) {
		if (!item_read(c, &e, &rest)) {
			s->wrong = c->column[0].wrong;
			return -1;
		}
		if (item_push(s, &e, rest))
			return -1;
	}
	for (int i = 0; i < CPS_COLUMNS; i++)
		if (c->column[i].at != c->column[i].end)
			s->wrong = "a column has too many bytes";
	return s->wrong ? -1 : 0;
}

int columns_decode(struct stream *s, const unsigned char *payload, size_t n, struct batch_id *id)
{
	struct cursor c = {payload, payload + n, NULL};

	if (!s->columns)
		s->columns = malloc(sizeof(*s->columns)); /* what is not touched costs nothing */
	if (!s->columns)
		return error_memory(s->err);
	s->wrong = head_read(s, &c, id);
	if (s->wrong || items_decode(s)) {
		if (s->wrong == CURSOR_SHORT)
			s->wrong = "a column ends too early";
		return -1;
	}
	return 0;
}
