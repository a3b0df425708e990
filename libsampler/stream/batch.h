/* SPDX-License-Identifier: MIT */
/*
 * batch.h - writes a sample as its difference from the previous one.
 */
#ifndef CPS_BATCH_H
#define CPS_BATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "python/python.h"
#include "unwind/trail.h"
#include "format.h"

/* ---- latest ---------------------------------------------------------------------------------- */
/*
 * Remembers what the latest samples of a batch weigh, and takes a part of it back.
 *
 * A clock may credit a sample ahead, with what its thread is going to use. A thread that ends
 * sooner has been credited too much. That is taken back from its latest samples, as long as their
 * batch is in memory. A copy in the journal keeps the weight that they had.
 *
 * Locks: the caller holds the lock of the buffer that the batch is in. cps_latest_take_back takes
 * it.
 */

#define CPS_LATEST     64u
#define CPS_LATEST_ANY UINT32_MAX /* instead of a thread: all of them */

struct cps_latest_item {
	uint32_t thread;
	uint64_t weight, taken; /* what it still weighs; and what was taken back of it */
};

struct cps_latest {
	uint32_t n; /* items of the batch so far */
	struct cps_latest_item item[CPS_LATEST];
};

/* [signal] The batch begins. */
void cps_latest_begin(struct cps_latest *l);

/* [signal] The batch has one more item, of which so much may be taken back. */
void cps_latest_add(struct cps_latest *l, uint32_t thread, uint64_t weight);

/* [signal] What was taken back of item i of the batch. 0 for l NULL. */
uint64_t cps_latest_taken(const struct cps_latest *l, uint32_t i);

/* [signal] Take back so much, or as much as there is, of the batch's items of that thread, from the last one
 * on. Returns how much that was. */
uint64_t cps_latest_take(struct cps_latest *l, uint32_t thread, uint64_t weight);

/* [signal] The same, of all batches that are in memory and that nobody uses now. */
uint64_t cps_latest_take_back(uint32_t thread, uint64_t weight);

/* ---- batch ----------------------------------------------------------------------------------- */
/*
 * Codes samples as differences from each other (doc/format.md, "Batch of samples").
 *
 * Locks: the caller holds the lock of the buffer that the batch is in; nothing here is shared.
 */

/* The most addresses that one batch introduces. With so many it is full. */
#define CPS_BATCH_IDS  8192u
#define CPS_BATCH_HASH (2 * CPS_BATCH_IDS)

struct cps_item {
	uint32_t thread; /* with the atom (atoms.h) */
	bool is_tail;
	uint64_t time_us, weight;
	uint64_t number;		    /* of a block of memory; 0: none */
	const struct cps_stack *stack;	    /* filled from what cps_batch_stack returns */
	const struct cps_python_path *path; /* what is recorded instead: the batch's; or NULL */
};

/* An address of the batch and its successors, side by side since they are read together. */
struct cps_batch_id {
	uint64_t address;
	uint16_t successor[CPS_FRAME_SUCCESSORS];
};

struct cps_batch {
	uint8_t *bytes;
	size_t used, room;
	struct cps_trail trail;		    /* the previous item's stack, even of another batch */
	struct cps_frame *frames;	    /* for the next item's stack; the trail's room */
	struct cps_python_path path;	    /* for the next item, if it is to be recorded by one */
	struct cps_python_path path_before; /* of the previous item, if had_path */
	bool had_path;
	uint32_t previous_depth; /* of the previous item of this batch */
	uint32_t generation;	 /* of the module table */
	bool has_thread;
	bool is_full; /* an item did not fit, so that the coding state is not a reader's */
	uint32_t thread;
	uint64_t time_us, weight;
	uint32_t n_ids;
	uint32_t n_ticks; /* samples of the batch that are ticks */
	struct cps_latest latest;
	struct cps_batch_id id[CPS_BATCH_IDS + 1]; /* the last: what outermost frames follow */
	uint16_t hash[CPS_BATCH_HASH];		   /* id + 1 */
};

/* [signal] Whether any batch has had an address outside of all modules, which is generated code. */
bool cps_batch_saw_generated(void);
/* [signal] Forget that, for a child, which begins anew. */
void cps_batch_forget_generated(void);

/* [signal] Get memory for the batch's frames, if it has none yet. False if there is none. */
bool cps_batch_prepare(struct cps_batch *b);

/* [signal] A stack of so many frames did not fit. True: now it does, or as much of it as is ever
 * kept, and it is to be walked again into a new cps_batch_stack. False: it has to stay cut. */
bool cps_batch_make_room(struct cps_batch *b, uint64_t frames);

/* [signal] Begin a new batch in these bytes. */
void cps_batch_begin(struct cps_batch *b, uint8_t *bytes, size_t room, uint32_t buffer,
		     uint32_t sequence, uint64_t time_us);

/* [signal] A stack to be filled with the next sample's frames, with the trail that it may share
 * frames with. */
static inline struct cps_stack cps_batch_stack(const struct cps_batch *b)
{
	return (struct cps_stack){.frames = b->frames, .room = b->trail.room, .trail = &b->trail};
}

/* [signal] For a child made by fork: forget the trail, which another thread may have been
 * changing. */
void cps_batch_forget_trail(struct cps_batch *b);

/*
 * [signal] Append an item. False: it does not fit; b->used is as before, and the batch accepts no
 * more items. Modules that the batch mentions for the first time are marked as used.
 */
bool cps_batch_add(struct cps_batch *b, const struct cps_item *item);

/* ---- shown ----------------------------------------------------------------------------------- */
/*
 * Decides what of a stack is recorded, where that is not the stack itself.
 */

/* [signal] The stack with Python functions instead of what runs them, for cps_batch_add; it is the
 * batch's. NULL: the stack is recorded as it is. `bounds` are those that it was unwound with; NULL: it
 * was not unwound. */
const struct cps_python_path *cps_shown_path(struct cps_batch *b, const struct cps_stack *stack,
					     const struct cps_peek *bounds);

#endif
