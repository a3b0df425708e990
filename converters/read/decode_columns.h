/* SPDX-License-Identifier: MIT */
/*
 * decode_columns.h - decodes a batch of samples in columns.
 */
#ifndef READ_DECODE_COLUMNS_H
#define READ_DECODE_COLUMNS_H

#include "read/decode_stream.h"

/* An address, with the addresses that have followed it on stacks, most likely first. */
struct known {
	uint64_t address;
	uint32_t module;
	bool is_leaf;
	uint8_t n_successors;
	uint16_t successor[CPS_COLUMN_SUCCESSORS];
};

/* What samples that repeat a stack have in common beside the stack. */
struct stack {
	uint32_t thread;
	uint8_t mark, atom;
};

/* How samples of an atom are coded in the current record. Before version 4 there is one. */
struct column_atom {
	uint64_t weight;     /* of the previous item of this atom, in grains */
	uint64_t weight_max; /* in grains */
	uint64_t grain, scale;
	bool is_known;
	bool is_time; /* weights predict times */
};

struct decode_columns {
	struct cursor column[CPS_COLUMNS];
	uint64_t grain, step;
	unsigned step_shift; /* the step's logarithm if it is a power of two, else 64 */
	uint64_t time;	     /* of the previous item, in steps */
	unsigned atom_bits;
	bool has_numbers;	 /* samples may have numbers of blocks */
	struct column_atom *now; /* the atom of the current item */
	uint32_t thread;
	bool has_thread;
	size_t depth, keep;
	size_t deepest; /* how many frames have had their name set to none */
	size_t n_ids;
	uint32_t generation;	 /* of ids */
	uint64_t latest_address; /* that was new */
	uint32_t latest_module;	 /* likewise */
	size_t n_stacks;	 /* that have a number */
	uint32_t next_stack;	 /* number */
	uint32_t n_recent;
	struct column_atom atoms[DECODE_ATOMS];
	uint16_t recent[CPS_RECENT];		/* numbers of stacks, the latest first */
	struct known known[CPS_COLUMN_IDS + 1]; /* by id */
	struct stack stacks[CPS_STACKS];	/* by number */
	uint16_t ids[CPS_DEPTH_MAX];
	struct event_frame frames[CPS_DEPTH_MAX];
};

/* ---- numbers; false: there is none, and why --------------------------------------------------- */

/* What is wrong is kept at the first column, whichever column it is in. */
static inline bool columns_wrong(struct decode_columns *c, const char *why)
{
	c->column[0].wrong = why;
	return false;
}

static inline bool columns_number(struct decode_columns *c, enum cps_column column, uint64_t *value)
{
	return cursor_varint(&c->column[column], value) ||
	       columns_wrong(c, c->column[column].wrong);
}

static inline bool columns_signed(struct decode_columns *c, enum cps_column column, int64_t *value)
{
	return cursor_zigzag(&c->column[column], value) ||
	       columns_wrong(c, c->column[column].wrong);
}

/* Read a number of n bytes, the lowest first, each from a column of its own. */
static inline bool columns_bytes(struct decode_columns *c, enum cps_column first, int n,
				 uint32_t *value)
{
	*value = 0;
	for (int i = 0; i < n; i++) {
		struct cursor *from = &c->column[(int)first + i];

		if (from->at == from->end)
			return columns_wrong(c, CURSOR_SHORT);
		*value |= (uint32_t)*from->at++ << 8 * i;
	}
	return true;
}

/* decode_columns.c: forget all addresses. */
void decode_frames_forget(struct decode_columns *c);

/* Read the frames that a sample pushes, up to a leaf. False: something is wrong. */
bool decode_frames_read(struct decode_columns *c);

#endif
