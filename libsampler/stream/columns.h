/* SPDX-License-Identifier: MIT */
/*
 * columns.h - codes samples in columns, against all that the stream has said before.
 *
 * The format is in doc/format.md, "Samples in columns". Locks: all functions need the lock of
 * pack.h, because there is one stream with one coding state.
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
	uint32_t thread; /* with the atom (atoms.h) */
	uint32_t mark;
	bool is_tail, has_thread; /* the thread is another one than before */
	uint64_t weight, time_us;
	uint64_t number; /* of a block of memory; 0: none */
	uint64_t pop; /* frames to remove from the stack of the previous sample that had a head */
	bool has_frames;
};

/* [signal] The n bytes of a column of the record that was ended last; valid until the next one
 * begins. */
const uint8_t *cps_columns_bytes(enum cps_column column, size_t *n);

/*
 * [signal] Begin a record with at most `addresses` new addresses, of samples after time_us. False:
 * there is no memory for it. *begins_anew: the record does not build on earlier ones.
 */
bool cps_columns_begin(uint64_t time_us, uint32_t addresses, bool *begins_anew);

/* [signal] Add a sample. Its frames must follow, outermost first, if it has any. */
void cps_columns_item(const struct cps_column_item *item, struct cps_stack_key key);

/* [signal] Add a sample whose stack, thread and mark, which make its key, have occurred before.
 * False: they have not, or the sample has more to say; nothing was added. */
bool cps_columns_again(const struct cps_column_item *item, struct cps_stack_key key);

/* [signal] The id of an address. `module` is its module's number + 1 (0: none). *is_new: it had no
 * id before. */
uint32_t cps_columns_id(uint32_t module, uint64_t address, bool *is_new);

/* [signal] Add a frame by its id. `from` is the id of the frame before it, CPS_NO_ID if there is
 * none. */
void cps_columns_frame(uint32_t from, uint32_t id, bool is_new, bool is_innermost);

/* [signal] End the record. False: a column was too small, and the record is void. */
bool cps_columns_end(void);

/* [signal] Make the next record begin anew, because its reader does not have the earlier ones. */
void cps_columns_forget(void);

/* [signal] Set the grain: weights of ticks are multiples of so many units. And the step, a multiple
 * of the grain: times are rounded down to so many microseconds. */
void cps_columns_set_grain(uint32_t units, uint32_t step_us);
/* [signal] */
uint32_t cps_columns_grain(void);
/* [signal] */
uint32_t cps_columns_step(void);

#endif
