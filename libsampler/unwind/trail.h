/* SPDX-License-Identifier: MIT */
/*
 * trail.h - keeps the stack of the previous sample, and finds out how much of it is unchanged.
 *
 * Beside its address each frame keeps the registers with which the unwinder's quick steps arrived
 * at it. A walk that arrives at a frame with the same registers would continue the same way for as
 * long as the words that the quick steps read are the same. So these words are compared, and the
 * steps are not taken. No frame is taken for unchanged unless its words were compared
 * (doc/decisions/0005).
 *
 * The frames lie in a ring, and inner frames are put before the others: outer frames that stay are
 * not moved. A walk writes to an array of its own, because it may fail. The two arrays take 32
 * bytes a frame each, which is 4 MiB of addresses for each of the sixteen buffers that is used. A
 * program of one thread uses one buffer. That is half of what glibc sets aside for the stack of one
 * thread, and only the pages of frames that exist are ever touched.
 */
#ifndef CPS_TRAIL_H
#define CPS_TRAIL_H

#include <stdint.h>

#include "format.h"
#include "unwind/peek.h"

/* Stands for fp_at if the step to a frame was not a quick one. It cannot be read as an address. */
#define CPS_TRAIL_OTHER UINT64_C(1)

struct cps_frame {
	uint64_t pc;	 /* the address that is recorded */
	uint64_t sp, fp; /* as they are while the frame runs */
	uint64_t fp_at;	 /* where the step to it loaded fp from; 0: fp stayed the same; or OTHER */
};

struct cps_trail {
	struct cps_frame *ring; /* CPS_DEPTH_MAX */
	uint32_t begin;		/* index of the innermost frame */
	uint32_t depth;
	uint32_t generation; /* of the module table, at the time of the walk */
};

struct cps_stack {
	struct cps_frame *frames; /* the innermost `fresh` ones, innermost first */
	uint32_t room;		  /* frames that fit; if there are more, the middle is left out */
	uint32_t fresh;
	uint32_t depth; /* `fresh` plus the frames that are the trail's outermost ones */
	uint32_t mark;	/* enum cps_mark */
	uint32_t generation;
	uint64_t join;		       /* fp_at of the first frame that is the trail's */
	const struct cps_trail *trail; /* NULL: there is no stack to compare with */
};

/* [signal] Frame i of the trail; 0 is the innermost. */
static inline struct cps_frame *cps_trail_frame(const struct cps_trail *t, uint32_t i)
{
	return &t->ring[(t->begin + i) % CPS_DEPTH_MAX];
}

/* [signal] */
static inline const struct cps_frame *cps_stack_frame(const struct cps_stack *s, uint32_t i)
{
	return i < s->fresh ? &s->frames[i]
			    : cps_trail_frame(s->trail, s->trail->depth - s->depth + i);
}

/* [signal] How far the quick steps lead from frame i of the trail, as the stack is now: returns the
 * number of the last frame that is unchanged. */
uint32_t cps_trail_follow(const struct cps_trail *t, uint32_t i, struct cps_peek *peek);

/* [signal] Cut a stack that is too deep down to 2 * `each` + 1 frames: both its ends, and a frame
 * that stands for the middle. */
void cps_trail_stack_cut(struct cps_stack *s, uint32_t each);

/* [signal] Make the stack, which was walked with this trail, the new trail. *frames, the array that
 * the walk has written to, becomes the array for the next walk. */
void cps_trail_take(struct cps_trail *t, const struct cps_stack *s, struct cps_frame **frames);

#endif
