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

/* An address: what follows it is looked at together with it. */
struct known {
	uint64_t address;
	uint32_t module;
	bool is_leaf;
	uint8_t n_successors;
	uint16_t successor[CPS_COLUMN_SUCCESSORS];
};

struct columns {
	struct cursor column[CPS_COLUMNS];
	uint64_t grain, step;
	uint64_t time, weight; /* of the previous item, in steps and in grains */
	uint32_t thread;
	bool has_thread;
	size_t depth, keep;
	size_t deepest; /* frames whose name is set: to none */
	size_t n_ids;
	uint32_t generation;			/* of ids */
	uint64_t latest_address;		/* that was new */
	uint32_t latest_module;			/* likewise */
	struct known known[CPS_COLUMN_IDS + 1]; /* by id */
	uint16_t ids[CPS_DEPTH_MAX];
	struct event_frame frames[CPS_DEPTH_MAX];
};

/* Megabytes, of which a short recording uses little: nothing is read before it is set. */
static struct columns *columns_new(void)
{
	struct columns *c = malloc(sizeof(*c));

	if (c)
		memset(c, 0, offsetof(struct columns, known));
	return c;
}

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
	struct event_frame *f = &c->frames[c->depth];

	c->ids[c->depth++] = (uint16_t)id;
	f->module = c->known[id].module;
	f->id = id + 1;
	f->address = c->known[id].address;
}

/* The frame before the next one. */
static inline struct known *innermost(struct columns *c)
{
	return &c->known[c->depth ? c->ids[c->depth - 1] : OUTSIDE];
}

static bool id_new(struct columns *c, uint32_t module, uint64_t address, bool is_leaf, uint32_t *id)
{
	struct known *k = &c->known[c->n_ids];

	if (c->n_ids == CPS_COLUMN_IDS)
		return wrong(c, "too many addresses");
	*id = (uint32_t)c->n_ids++;
	k->address = c->latest_address = address;
	k->module = c->latest_module = module;
	k->is_leaf = is_leaf;
	k->n_successors = 0;
	return true;
}

/* A new address near that of the first successor. */
static bool id_near(struct columns *c, const struct known *before, bool is_leaf, uint32_t *id)
{
	const struct known *beside;
	uint32_t value;

	if (!number_bytes(c, CPS_COLUMN_NEAR, 2, &value))
		return false;
	if (!before->n_successors)
		return wrong(c, "a new address is near none");
	beside = &c->known[before->successor[0]];
	return id_new(c, beside->module, beside->address + (uint64_t)unzigzag(value), is_leaf, id);
}

static bool id_far(struct columns *c, bool is_leaf, uint32_t *id)
{
	uint64_t number_plus_1, rest, address;
	uint32_t low, module;

	if (!number_bytes(c, CPS_COLUMN_FAR, 3, &low) ||
	    !number(c, CPS_COLUMN_FAR_REST, &number_plus_1) ||
	    !number(c, CPS_COLUMN_FAR_REST, &rest))
		return false;
	if (number_plus_1 > CPS_MODULES_MAX)
		return wrong(c, "a frame's module number is too large");
	if (rest >> 40)
		return wrong(c, "an address does not fit 64 bits");
	address = (uint64_t)unzigzag(rest << 24 | low);
	module = number_plus_1 ? (uint32_t)number_plus_1 - 1 : EVENT_NO_MODULE;
	if (module == c->latest_module)
		address += c->latest_address;
	return id_new(c, module, address, is_leaf, id);
}

/* The id that a code stands for, other than a successor's, a run's or a flip's. */
static bool id_read(struct columns *c, struct known *before, unsigned code, uint32_t *id)
{
	switch (code) {
	case CPS_CODE_KNOWN:
		if (!number_bytes(c, CPS_COLUMN_KNOWN, 2, id))
			return false;
		return *id < c->n_ids || wrong(c, "a frame's address is unknown");
	case CPS_CODE_NEAR:
	case CPS_CODE_NEAR_LEAF:
		return id_near(c, before, code == CPS_CODE_NEAR_LEAF, id);
	case CPS_CODE_FAR:
	case CPS_CODE_FAR_LEAF:
		return id_far(c, code == CPS_CODE_FAR_LEAF, id);
	default:
		return wrong(c, "a frame has no such successor");
	}
}

static inline void move(uint16_t *list, uint32_t place, uint32_t to, uint32_t id)
{
	for (; place > to; place--)
		list[place] = list[place - 1];
	list[to] = (uint16_t)id;
}

/* A frame that was not among the successors comes in behind three quarters of them. */
static void successor_add(struct known *k, uint32_t id)
{
	uint32_t n = k->n_successors;

	n -= n == CPS_COLUMN_SUCCESSORS; /* the last one falls off */
	k->n_successors = (uint8_t)(n + 1);
	move(k->successor, n, n * 3 / 4, id);
}

/* Frames that are each the first successor of the one before. *is_over: the last one is a leaf. */
static bool run_read(struct columns *c, bool *is_over)
{
	uint64_t n;

	if (!number(c, CPS_COLUMN_EXTRA, &n))
		return false;
	if (n > CPS_DEPTH_MAX - c->depth)
		return wrong(c, TOO_DEEP);
	for (const struct known *k = innermost(c); n--; k = innermost(c)) {
		if (!k->n_successors)
			return wrong(c, "a frame has no such successor");
		frame_push(c, k->successor[0]);
		*is_over = c->known[k->successor[0]].is_leaf;
		if (*is_over && n)
			return wrong(c, "a run of frames has a wrong length");
	}
	return true;
}

/* A frame that is no successor, or its address is new. */
static bool stranger_read(struct columns *c, struct known *before, unsigned code, uint32_t *id)
{
	if (!id_read(c, before, code, id))
		return false;
	successor_add(before, *id);
	return true;
}

/* Frames up to a leaf. */
static bool frames_read(struct columns *c)
{
	struct cursor *codes = &c->column[CPS_COLUMN_CODE];
	struct known *before = innermost(c);
	bool is_over = false, is_flipped = false;

	while (!is_over) {
		unsigned code;
		uint32_t id;

		if (codes->at == codes->end)
			return wrong(c, CURSOR_SHORT);
		code = *codes->at++;
		if (code < before->n_successors) {
			id = before->successor[code]; /* which moves half of the way to the front */
			move(before->successor, code, code / 2, id);
		} else if (code == CPS_CODE_FLIP) {
			is_flipped = !is_flipped;
			continue;
		} else if (code == CPS_CODE_RUN) {
			if (!run_read(c, &is_over))
				return false;
			before = innermost(c);
			continue;
		} else if (!stranger_read(c, before, code, &id)) {
			return false;
		}
		if (c->depth == CPS_DEPTH_MAX)
			return wrong(c, TOO_DEEP);
		frame_push(c, id);
		before = &c->known[id];
		before->is_leaf ^= is_flipped;
		is_flipped = false;
		is_over = before->is_leaf;
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

/* Weight and time, in grains and steps; times are predicted: a sample stands for the time since the
 * one before. */
static bool amounts_read(struct columns *c)
{
	int64_t more, weight, early, expected, step;

	if (!number_signed(c, CPS_COLUMN_WEIGHT, &more) ||
	    !number_signed(c, CPS_COLUMN_TIME, &early))
		return false;
	if (__builtin_add_overflow((int64_t)c->weight, more, &weight) || weight < 0 ||
	    (uint64_t)weight > CPS_WEIGHT_MAX / c->grain)
		return wrong(c, "a sample's weight is out of range");
	c->weight = (uint64_t)weight;
	expected = (int64_t)((c->weight * c->grain + c->step / 2) / c->step);
	if (__builtin_add_overflow(expected, early, &step) || step < 0 ||
	    __builtin_add_overflow(c->time, (uint64_t)step, &c->time))
		return wrong(c, "a sample's time is out of range");
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
	    __builtin_mul_overflow(c->time, c->step, &e->time_us)) {
		s->wrong = rest >= c->grain
				   ? "a sample's weight is out of range"
				   : "overflow: a sample's weight or time does not fit 64 bits";
		return -1;
	}
	for (; c->deepest < c->depth; c->deepest++)
		c->frames[c->deepest].name = (struct event_text){NULL, 0};
	e->thread = c->thread;
	e->depth = c->depth;
	e->keep = c->keep;
	e->frames = c->frames;
	e->generation = c->generation;
	c->keep = c->depth;
	return s->sink->sample ? s->sink->sample(s->sink->context, e, s->err) : 0;
}

/* ---- the record ------------------------------------------------------------------------------ */

static void begin_anew(struct columns *c)
{
	c->n_ids = 0;
	c->generation++;
	c->latest_address = 0;
	c->latest_module = EVENT_NO_MODULE;
	c->known[OUTSIDE].n_successors = 0;
}

/* The numbers before the columns, and where each of these is. */
static const char *head_read(struct stream *s, struct cursor *from, struct batch_id *id)
{
	struct columns *c = s->columns;
	uint64_t anew, length[CPS_COLUMNS];

	if (!cursor_varint(from, &id->buffer) || !cursor_varint(from, &id->sequence) ||
	    !cursor_varint(from, &c->time) || !cursor_varint(from, &c->grain) ||
	    !cursor_varint(from, &c->step) || !cursor_varint(from, &anew))
		return from->wrong;
	if (!c->grain || c->grain > UINT32_MAX || !c->step || c->step > UINT32_MAX)
		return "its grain or step is out of range";
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
		s->columns = columns_new();
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
