/* SPDX-License-Identifier: MIT */
/*
 * decode_batch.c - decodes a batch of samples.
 *
 * In: the payload of a record of samples. Out: sample events. The stack is kept from one item to
 * the next, so that an item costs only the frames that differ.
 */
#include <stdlib.h>

#include "read/decode_stream.h"

/* Ids of addresses; one stands for the place before the outermost frame. */
#define ID_OUTSIDE CPS_DICTIONARY_MAX
#define ID_NONE	   UINT16_MAX

struct address {
	uint64_t address;
	uint32_t module;
	uint16_t next[CPS_FRAME_SUCCESSORS]; /* most recent first, ID_NONE for none */
};

struct decode_batch {
	struct cursor c;
	uint64_t start_us; /* the time that the items' times are relative to */
	uint64_t time_us;  /* the time of the previous item, relative to that */
	uint64_t weight;   /* of the previous item */
	uint32_t thread;   /* likewise */
	unsigned atom;	   /* likewise */
	bool has_thread;
	size_t depth;
	size_t keep; /* frames that the previous sample event had too */
	size_t n_addresses;
	struct address addresses[CPS_DICTIONARY_MAX + 1];
	uint16_t ids[CPS_DEPTH_MAX]; /* of the frames */
	struct event_frame frames[CPS_DEPTH_MAX];
};

struct decode_batch *decode_batch_new(void)
{
	/* The structure is large, but memory that is not touched costs nothing. */
	return malloc(sizeof(struct decode_batch));
}

void decode_batch_free(struct decode_batch *b)
{
	free(b);
}

static void address_set(struct address *a, uint32_t module, uint64_t address)
{
	a->address = address;
	a->module = module;
	for (unsigned i = 0; i < CPS_FRAME_SUCCESSORS; i++)
		a->next[i] = ID_NONE;
}

/* ---- frames ---------------------------------------------------------------------------------- */

/* Add a new address, of a module. Returns its id, or ID_NONE with c.wrong. */
static uint16_t address_read(struct decode_batch *b)
{
	uint64_t module, address;

	if (!cursor_varint(&b->c, &module) || !cursor_varint(&b->c, &address))
		return ID_NONE;
	if (module > CPS_MODULES_MAX) {
		cursor_fail(&b->c, "a frame's module number is too large");
		return ID_NONE;
	}
	if (b->n_addresses == CPS_DICTIONARY_MAX) {
		cursor_fail(&b->c, "too many addresses in a batch");
		return ID_NONE;
	}
	address_set(&b->addresses[b->n_addresses], module ? (uint32_t)module - 1 : EVENT_NO_MODULE,
		    address);
	return (uint16_t)b->n_addresses++;
}

/* Move the id to the front of the list. The ids that were before it move back by one place, or all
 * ids if it is new. */
static inline void successor_note(uint16_t *next, uint16_t id)
{
	uint16_t carried = id;

	for (unsigned i = 0; i < CPS_FRAME_SUCCESSORS; i++) {
		uint16_t here = next[i];
		next[i] = carried;
		if (here == id)
			return;
		carried = here;
	}
}

static inline void frame_push(struct decode_batch *b, uint16_t id)
{
	const struct address *a = &b->addresses[id];

	b->ids[b->depth] = id;
	b->frames[b->depth] = (struct event_frame){a->module, 0, a->address, {NULL, 0}};
	b->depth++;
}

static inline uint16_t batch_innermost(const struct decode_batch *b)
{
	return b->depth ? b->ids[b->depth - 1] : ID_OUTSIDE;
}

/* Read a run: frames that are each the first successor of the one before, `left` at most. Returns
 * how many there are, or 0 if the run is malformed. */
static uint64_t run_read(struct decode_batch *b, uint64_t left)
{
	uint64_t n;

	if (!cursor_varint(&b->c, &n))
		return 0;
	if (!n || n > left) {
		cursor_fail(&b->c, "a run of frames has a wrong length");
		return 0;
	}
	uint16_t id = batch_innermost(b);
	for (uint64_t i = 0; i < n; i++) {
		id = b->addresses[id].next[0];
		if (id == ID_NONE) {
			cursor_fail(&b->c, "a frame has no such successor");
			return 0;
		}
		frame_push(b, id);
	}
	return n;
}

/* Read a frame code that is no run. */
static bool frame_read(struct decode_batch *b, uint64_t code)
{
	struct address *before = &b->addresses[batch_innermost(b)];
	uint16_t id;

	if (code < CPS_FRAME_SUCCESSORS) {
		id = before->next[code];
		if (id == ID_NONE)
			return cursor_fail(&b->c, "a frame has no such successor");
	} else if (code == CPS_FRAME_NEW) {
		id = address_read(b);
		if (id == ID_NONE)
			return false;
	} else {
		if (code - CPS_FRAME_KNOWN >= b->n_addresses)
			return cursor_fail(&b->c, "a frame's address is unknown");
		id = (uint16_t)(code - CPS_FRAME_KNOWN);
	}
	successor_note(before->next, id);
	frame_push(b, id);
	return true;
}

/* Remove `pop` frames from the stack and add `push` ones. */
static bool stack_read(struct decode_batch *b, uint64_t pop)
{
	uint64_t push, code;

	if (!cursor_varint(&b->c, &push))
		return false;
	if (pop > b->depth)
		return cursor_fail(&b->c, "more frames leave the stack than it has");
	b->depth -= pop;
	if (b->depth < b->keep)
		b->keep = b->depth;
	if (push > CPS_DEPTH_MAX - b->depth)
		return cursor_fail(&b->c, "a stack is too deep");
	while (push) {
		uint64_t n = 1;
		if (!cursor_varint(&b->c, &code))
			return false;
		if (code == CPS_FRAME_RUN)
			n = run_read(b, push);
		else if (!frame_read(b, code))
			return false;
		if (!n)
			return false;
		push -= n;
	}
	return true;
}

/* ---- items ----------------------------------------------------------------------------------- */

static bool weight_read(struct decode_batch *b)
{
	int64_t delta, weight;

	if (!cursor_zigzag(&b->c, &delta))
		return false;
	if (__builtin_add_overflow((int64_t)b->weight, delta, &weight) || weight < 0 ||
	    (uint64_t)weight > CPS_WEIGHT_MAX)
		return cursor_fail(&b->c, "a sample's weight is out of range");
	b->weight = (uint64_t)weight;
	return true;
}

/* Read a time. It is coded as the difference from the expected time: a sample stands for the time
 * since the one before. */
static bool time_read(struct decode_batch *b)
{
	int64_t delta, step;

	if (!cursor_zigzag(&b->c, &delta))
		return false;
	if (__builtin_add_overflow((int64_t)b->weight, delta, &step) || step < 0 ||
	    __builtin_add_overflow(b->time_us, (uint64_t)step, &b->time_us))
		return cursor_fail(&b->c, "a sample's time is out of range");
	return true;
}

/* Read a thread, below which there may be an atom. */
static bool thread_read(struct decode_batch *b, const struct decode_resources *r)
{
	uint64_t thread;

	if (!cursor_varint(&b->c, &thread))
		return false;
	if (r) {
		b->atom = (unsigned)(thread & ((1u << r->atom_bits) - 1));
		thread >>= r->atom_bits;
		if (b->atom && !r->atoms[b->atom].is_known)
			return cursor_fail(&b->c, "a sample is of an unknown atom");
	}
	if (thread > UINT32_MAX)
		return cursor_fail(&b->c, "a number does not fit 32 bits");
	b->thread = (uint32_t)thread;
	b->has_thread = true;
	return true;
}

/* Read an item into b and *e. False with c.wrong. */
static bool item_read(struct decode_batch *b, const struct decode_resources *r,
		      struct event_sample *e)
{
	uint64_t head, mark = CPS_MARK_COMPLETE;

	if (!cursor_varint(&b->c, &head))
		return false;
	if (head & CPS_ITEM_THREAD && !thread_read(b, r))
		return false;
	if (!b->has_thread)
		return cursor_fail(&b->c, "a sample has no thread");
	e->block = 0;
	if (head & CPS_ITEM_MARK && !decode_mark_read(&b->c, r, &mark, &e->block))
		return false;
	if (!weight_read(b) || !time_read(b) || !stack_read(b, head >> CPS_ITEM_POP_SHIFT))
		return false;
	e->mark = (uint32_t)mark;
	e->hits = !(head & CPS_ITEM_TAIL);
	return true;
}

static int item_push(struct decode_stream *s, struct event_sample *e)
{
	struct decode_batch *b = s->batch;
	uint64_t scale = s->resources ? s->resources->atoms[b->atom].scale : s->scale;

	if (__builtin_mul_overflow(b->weight, scale, &e->weight) ||
	    __builtin_add_overflow(b->start_us, b->time_us, &e->time_us)) {
		s->wrong = "overflow: a sample's weight or time does not fit 64 bits";
		return -1;
	}
	e->thread = b->thread;
	e->depth = b->depth;
	e->keep = b->keep;
	e->frames = b->frames;
	b->keep = b->depth;
	decode_sample_count(s, e);
	if (s->resources)
		return decode_resources_sample(s, e, b->atom);
	return s->sink->sample ? s->sink->sample(s->sink->context, e, s->err) : 0;
}

static void batch_begin(struct decode_batch *b, const unsigned char *payload, size_t n)
{
	b->c = (struct cursor){payload, payload + n, NULL};
	b->start_us = b->time_us = b->weight = 0;
	b->thread = b->atom = 0;
	b->has_thread = false;
	b->depth = b->keep = b->n_addresses = 0;
	address_set(&b->addresses[ID_OUTSIDE], EVENT_NO_MODULE, 0);
}

bool decode_batch_identify(const unsigned char *payload, size_t n, struct decode_batch_id *id)
{
	struct cursor c = {payload, payload + n, NULL};

	return cursor_varint(&c, &id->buffer) && cursor_varint(&c, &id->sequence);
}

int decode_batch(struct decode_stream *s, const unsigned char *payload, size_t n, bool *torn)
{
	struct decode_batch *b = s->batch;
	struct event_sample e = {0};
	uint64_t id;

	*torn = false;
	batch_begin(b, payload, n);
	if (cursor_varint(&b->c, &id) && cursor_varint(&b->c, &id))
		cursor_varint(&b->c, &b->start_us);
	while (!b->c.wrong && b->c.at != b->c.end)
		if (item_read(b, s->resources, &e) && item_push(s, &e))
			return -1;
	if (b->c.wrong == CURSOR_SHORT)
		*torn = true;
	else if (b->c.wrong)
		s->wrong = b->c.wrong;
	return s->wrong ? -1 : 0;
}
