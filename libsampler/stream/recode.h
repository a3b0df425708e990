/* SPDX-License-Identifier: MIT */
/*
 * recode.h - writes a batch again as a columnar one, which deflates better.
 */
#ifndef CPS_RECODE_H
#define CPS_RECODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"
#include "stream/batch.h"
#include "stream/deflate_out.h"
#include "format.h"

/* ---- stacks ---------------------------------------------------------------------------------- */
/*
 * The numbers of stacks that the stream contains (doc/format.md, "Samples in columns").
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

/* [signal] The key of a sequence that is longer by one number. */
static inline struct cps_stack_key cps_stack_key_with(struct cps_stack_key key, uint64_t number)
{
	key.a = (key.a ^ number) * UINT64_C(0x9e3779b97f4a7c15);
	key.a ^= key.a >> 32;
	key.b = (key.b + number) * UINT64_C(0xd6e8feb86659fd93);
	key.b ^= key.b >> 29;
	return key;
}

/* [signal] Get the memory. False if there is none. */
bool cps_stacks_prepare(void);

/* [signal] Forget all numbers. */
void cps_stacks_forget(void);

/* [signal] Give the next number to this stack. After the highest number come the lowest ones again,
 * which are taken from the stacks that have had them longest. */
void cps_stacks_add(struct cps_stack_key key);

/*
 * [signal] Find a stack that comes again. *place is how many other stacks were used since it was
 * used last, if they are fewer than CPS_RECENT. Otherwise *place is CPS_RECENT, and *number is the
 * stack's number. False: it has no number.
 */
bool cps_stacks_again(struct cps_stack_key key, uint32_t *place, uint32_t *number);

/* ---- columnar -------------------------------------------------------------------------------- */
/*
 * Codes columnar batches, whose samples are in columns, against all that the stream has said before.
 *
 * The format is in doc/format.md, "Samples in columns". Locks: all functions need the lock of
 * deflate_out.h, because there is one stream with one coding state.
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

/* [signal] The n bytes of a column of the record that was ended last; valid until the next one
 * begins. */
const uint8_t *cps_columnar_bytes(enum cps_column column, size_t *n);

/*
 * [signal] Begin a record with at most `addresses` new addresses, of samples after time_us. False:
 * there is no memory for it. *begins_anew: the record does not build on earlier ones.
 */
bool cps_columnar_begin(uint64_t time_us, uint32_t addresses, bool *begins_anew);

/* [signal] Add a sample. Its frames must follow, outermost first, if it has any. */
void cps_columnar_item(const struct cps_columnar_item *item, struct cps_stack_key key);

/* [signal] Add a sample whose stack, thread and mark, which make its key, have occurred before.
 * False: they have not, or the sample has more to say; nothing was added. */
bool cps_columnar_again(const struct cps_columnar_item *item, struct cps_stack_key key);

/* [signal] The id of an address. `module` is its module's number + 1 (0: none). *is_new: it had no
 * id before. */
uint32_t cps_columnar_id(uint32_t module, uint64_t address, bool *is_new);

/* [signal] Add a frame by its id. `from` is the id of the frame before it, CPS_NO_ID if there is
 * none. */
void cps_columnar_frame(uint32_t from, uint32_t id, bool is_new, bool is_innermost);

/* [signal] End the record. False: a column was too small, and the record is void. */
bool cps_columnar_end(void);

/* [signal] Make the next record begin anew, because its reader does not have the earlier ones. */
void cps_columnar_forget(void);

/* [signal] Set the grain: weights of ticks are multiples of so many units. And the step, a multiple
 * of the grain: times are rounded down to so many microseconds. */
void cps_columnar_set_grain(uint32_t units, uint32_t step_us);
/* [signal] */
uint32_t cps_columnar_grain(void);
/* [signal] */
uint32_t cps_columnar_step(void);

/* ---- recode ---------------------------------------------------------------------------------- */
/*
 * Makes a batch of the journal a record of the stream.
 */

#define CPS_RECODE_PIECES (CPS_COLUMNS + 2)

/*
 * [signal] Make a columnar batch that says the same as the payload of a batch. It
 * comes as pieces for cps_deflate_out_append_pieces, which are valid until the next call. Needs the pack's
 * lock. Returns the number of pieces; 0: the batch has to go into the stream as it is. `latest` says
 * what was taken back of its samples; NULL: nothing.
 */
size_t cps_recode(const uint8_t *payload, size_t n, const struct cps_latest *latest,
		  struct cps_piece pieces[CPS_RECODE_PIECES]);

#endif
