/* SPDX-License-Identifier: MIT */
/*
 * batch.h - codes samples against each other (doc/format.md, "Batch of samples").
 *
 * Locks: the caller holds whatever protects the batch; nothing here is shared.
 */
#ifndef CPS_BATCH_H
#define CPS_BATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format.h"
#include "unwind/trail.h"

/* Addresses that one batch introduces; at the limit it is full. */
#define CPS_BATCH_IDS  8192u
#define CPS_BATCH_HASH (2 * CPS_BATCH_IDS)

struct cps_item {
	uint32_t thread;
	bool is_tail;
	uint64_t time_us, weight;
	const struct cps_stack *stack; /* made as cps_batch_stack has it */
};

/* What is looked at together lies together. */
struct cps_batch_id {
	uint64_t address;
	uint16_t successor[CPS_FRAME_SUCCESSORS];
};

struct cps_batch {
	uint8_t *bytes;
	size_t used, room;
	struct cps_trail trail;	  /* the stack of the item before, also of one in another batch */
	struct cps_frame *frames; /* CPS_DEPTH_MAX, for the next item's */
	uint32_t previous_depth;  /* of the item before, in this batch */
	uint32_t generation;	  /* of the module table */
	bool has_thread;
	bool is_full; /* an item did not fit: the coding state is not what a reader has */
	uint32_t thread;
	uint64_t time_us, weight;
	uint32_t n_ids;
	uint32_t n_ticks;			   /* samples in it that are ticks */
	struct cps_batch_id id[CPS_BATCH_IDS + 1]; /* the last is what outermost frames follow */
	uint16_t hash[CPS_BATCH_HASH];		   /* id + 1 */
};

/* [signal] Has any batch had an address outside of all modules: code that was generated? */
bool cps_batch_saw_generated(void);
/* [signal] Forget it: a child begins anew. */
void cps_batch_forget_generated(void);

/* [signal] Memory for its frames, if it has none yet: false if there is none. */
bool cps_batch_prepare(struct cps_batch *b);

/* [signal] Start anew in these bytes. */
void cps_batch_begin(struct cps_batch *b, uint8_t *bytes, size_t room, uint32_t buffer,
		     uint32_t sequence, uint64_t time_us);

/* [signal] Where to unwind the next sample to, and what that may begin with. */
static inline struct cps_stack cps_batch_stack(const struct cps_batch *b)
{
	return (struct cps_stack){.frames = b->frames, .room = CPS_DEPTH_MAX, .trail = &b->trail};
}

/* [signal] In a child that fork has made: another thread may have been about to change it. */
void cps_batch_forget_trail(struct cps_batch *b);

/*
 * [signal] Append an item. False: it does not fit, b->used is as before, and the batch takes no
 * more. Modules that are mentioned for the first time are marked as used.
 */
bool cps_batch_add(struct cps_batch *b, const struct cps_item *item);

#endif
