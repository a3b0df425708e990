/* SPDX-License-Identifier: MIT */
/*
 * columns.h - samples as the stream has them: in columns, coded against all that it has said
 * before (doc/format.md, "Samples in columns").
 *
 * Locks: everything here needs the pack's (pack.h): there is one stream, and one coding state.
 */
#ifndef CPS_COLUMNS_H
#define CPS_COLUMNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/writer.h"
#include "format.h"
#include "stream/stacks.h"

#define CPS_NO_ID 0xffffu

/* A sample without its stack. */
struct cps_column_item {
	uint32_t thread, mark;
	bool is_tail, has_thread; /* the thread is another than before */
	uint64_t weight, time_us;
	uint64_t pop; /* frames that leave the stack of the sample before that had a head */
	bool has_frames;
};

/* The columns of the record that is being made; valid until the next one begins. */
extern struct cps_writer cps_columns_writers[CPS_COLUMNS];
/* [signal] Where each begins. */
const uint8_t *cps_columns_start(enum cps_column column);

/*
 * [signal] Begin a record that needs ids for at most `addresses` new addresses, of samples after
 * time_us. False: there is no memory for it. *begins_anew: it does not build on records before it.
 */
bool cps_columns_begin(uint64_t time_us, uint32_t addresses, bool *begins_anew);

/* [signal] A sample; its frames follow, outermost first, if it has some. */
void cps_columns_item(const struct cps_column_item *item, struct cps_stack_key key);

/* [signal] A sample whose stack, thread and mark, its key, there were before. False: there were
 * not, or it has more to say, and nothing is done. */
bool cps_columns_again(const struct cps_column_item *item, struct cps_stack_key key);

/* [signal] The id of an address, with its module's number + 1 (0: none); *is_new: it had none. */
uint32_t cps_columns_id(uint32_t module, uint64_t address, bool *is_new);

/* [signal] A frame, by its id. `from`: the id of the frame before it, CPS_NO_ID for none. */
void cps_columns_frame(uint32_t from, uint32_t id, bool is_new, bool is_innermost);

/* [signal] The record is whole. False: a column was too small, and what it says is void. */
bool cps_columns_end(void);

/* [signal] The next record begins anew: its reader has not what was said before. */
void cps_columns_forget(void);

/* [signal] Weights of ticks are multiples of this many units, and times are rounded down to so many
 * microseconds, a multiple of it. */
void cps_columns_set_grain(uint32_t units, uint32_t step_us);
/* [signal] */
uint32_t cps_columns_grain(void);
/* [signal] */
uint32_t cps_columns_step(void);

#endif
