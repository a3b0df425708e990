/* SPDX-License-Identifier: MIT */
/*
 * decode_frames.c - decodes the frames of samples in columns.
 *
 * In: codes, and the numbers that belong to them. Out: frames on the stack. Addresses, and which
 * addresses followed them, are kept from record to record.
 */
#include "read/decode_columns.h"

#define OUTSIDE	 CPS_COLUMN_IDS /* the place before the outermost frame */
#define TOO_DEEP "a stack is too deep"

void decode_frames_forget(struct decode_columns *c)
{
	c->n_ids = 0;
	c->latest_address = 0;
	c->latest_module = EVENT_NO_MODULE;
	c->known[OUTSIDE].n_successors = 0;
}

static int64_t unzigzag(uint64_t value)
{
	return (int64_t)(value >> 1 ^ (0 - (value & 1)));
}

static inline void frame_push(struct decode_columns *c, uint32_t id)
{
	struct event_frame *f = &c->frames[c->depth];

	c->ids[c->depth++] = (uint16_t)id;
	f->module = c->known[id].module;
	f->id = id + 1;
	f->address = c->known[id].address;
}

/* The frame that the next frame follows. */
static inline struct known *innermost(struct decode_columns *c)
{
	return &c->known[c->depth ? c->ids[c->depth - 1] : OUTSIDE];
}

static bool id_new(struct decode_columns *c, uint32_t module, uint64_t address, bool is_leaf,
		   uint32_t *id)
{
	struct known *k = &c->known[c->n_ids];

	if (c->n_ids == CPS_COLUMN_IDS)
		return columns_wrong(c, "too many addresses");
	*id = (uint32_t)c->n_ids++;
	k->address = c->latest_address = address;
	k->module = c->latest_module = module;
	k->is_leaf = is_leaf;
	k->n_successors = 0;
	return true;
}

/* Add a new address near that of the first successor. */
static bool id_near(struct decode_columns *c, const struct known *before, bool is_leaf,
		    uint32_t *id)
{
	const struct known *beside;
	uint32_t value;

	if (!columns_bytes(c, CPS_COLUMN_NEAR, 2, &value))
		return false;
	if (!before->n_successors)
		return columns_wrong(c, "a new address is near none");
	beside = &c->known[before->successor[0]];
	return id_new(c, beside->module, beside->address + (uint64_t)unzigzag(value), is_leaf, id);
}

static bool id_far(struct decode_columns *c, bool is_leaf, uint32_t *id)
{
	uint64_t number_plus_1, rest, address;
	uint32_t low, module;

	if (!columns_bytes(c, CPS_COLUMN_FAR, 3, &low) ||
	    !columns_number(c, CPS_COLUMN_FAR_REST, &number_plus_1) ||
	    !columns_number(c, CPS_COLUMN_FAR_REST, &rest))
		return false;
	if (number_plus_1 > CPS_MODULES_MAX)
		return columns_wrong(c, "a frame's module number is too large");
	if (rest >> 40)
		return columns_wrong(c, "an address does not fit 64 bits");
	address = (uint64_t)unzigzag(rest << 24 | low);
	module = number_plus_1 ? (uint32_t)number_plus_1 - 1 : EVENT_NO_MODULE;
	if (module == c->latest_module)
		address += c->latest_address;
	return id_new(c, module, address, is_leaf, id);
}

/* The id that a code stands for, other than a successor's, a run's or a flip's. */
static bool id_read(struct decode_columns *c, struct known *before, unsigned code, uint32_t *id)
{
	switch (code) {
	case CPS_CODE_KNOWN:
		if (!columns_bytes(c, CPS_COLUMN_KNOWN, 2, id))
			return false;
		return *id < c->n_ids || columns_wrong(c, "a frame's address is unknown");
	case CPS_CODE_NEAR:
	case CPS_CODE_NEAR_LEAF:
		return id_near(c, before, code == CPS_CODE_NEAR_LEAF, id);
	case CPS_CODE_FAR:
	case CPS_CODE_FAR_LEAF:
		return id_far(c, code == CPS_CODE_FAR_LEAF, id);
	default:
		return columns_wrong(c, "a frame has no such successor");
	}
}

static inline void move(uint16_t *list, uint32_t place, uint32_t to, uint32_t id)
{
	for (; place > to; place--)
		list[place] = list[place - 1];
	list[to] = (uint16_t)id;
}

/* Add an address to the successors. It is put behind three quarters of them, so that it does not
 * displace those that came often. */
static void successor_add(struct known *k, uint32_t id)
{
	uint32_t n = k->n_successors;

	n -= n == CPS_COLUMN_SUCCESSORS; /* the last one falls off */
	k->n_successors = (uint8_t)(n + 1);
	move(k->successor, n, n * 3 / 4, id);
}

/* Read a run: frames that are each the first successor of the one before. *is_over: the last one is
 * a leaf. */
static bool run_read(struct decode_columns *c, bool *is_over)
{
	uint64_t n;

	if (!columns_number(c, CPS_COLUMN_EXTRA, &n))
		return false;
	if (n > CPS_DEPTH_MAX - c->depth)
		return columns_wrong(c, TOO_DEEP);
	for (const struct known *k = innermost(c); n--; k = innermost(c)) {
		if (!k->n_successors)
			return columns_wrong(c, "a frame has no such successor");
		frame_push(c, k->successor[0]);
		*is_over = c->known[k->successor[0]].is_leaf;
		if (*is_over && n)
			return columns_wrong(c, "a run of frames has a wrong length");
	}
	return true;
}

/* Read a frame that is not among the successors, or is new. */
static bool stranger_read(struct decode_columns *c, struct known *before, unsigned code,
			  uint32_t *id)
{
	if (!id_read(c, before, code, id))
		return false;
	successor_add(before, *id);
	return true;
}

bool decode_frames_read(struct decode_columns *c)
{
	struct cursor *codes = &c->column[CPS_COLUMN_CODE];
	struct known *before = innermost(c);
	bool is_over = false, is_flipped = false;

	while (!is_over) {
		unsigned code;
		uint32_t id;

		if (codes->at == codes->end)
			return columns_wrong(c, CURSOR_SHORT);
		code = *codes->at++;
		if (code < before->n_successors) {
			/* The successor moves half of the way to the front. */
			id = before->successor[code];
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
			return columns_wrong(c, TOO_DEEP);
		frame_push(c, id);
		before = &c->known[id];
		before->is_leaf ^= is_flipped;
		is_flipped = false;
		is_over = before->is_leaf;
	}
	return true;
}
