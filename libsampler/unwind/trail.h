/* SPDX-License-Identifier: MIT */
/*
 * trail.h - the stack of the sample before, and how far it stands as it was.
 *
 * Beside its address each frame keeps the registers with which the quick steps of the unwinder come
 * to it. Who arrives at a frame with the same ones goes on the same way for as long as the words
 * that the quick steps would read are the same: the words are compared, the steps not taken. Nothing
 * is taken for unchanged that was not looked at.
 *
 * The frames lie in a ring that inner frames are put before: outer frames that stay are not
 * moved. A walk writes to an array of its own, since it may come to nothing. 32 bytes a frame, twice,
 * are 4 MiB of addresses for each of the sixteen buffers that is used, one in a program of one
 * thread; half of what glibc sets aside for the stack of a single thread, and only as much of it
 * is ever touched as stacks are deep.
 */
#ifndef CPS_TRAIL_H
#define CPS_TRAIL_H

#include <stdint.h>

#include "format.h"
#include "unwind/peek.h"

/* The way to a frame was not a quick step. As an address it cannot be read. */
#define CPS_TRAIL_OTHER UINT64_C(1)

struct cps_frame {
	uint64_t pc;	 /* as it is recorded */
	uint64_t sp, fp; /* while the frame is the innermost one */
	uint64_t fp_at;	 /* from where the step to it loaded fp; 0: fp was left; or OTHER */
};

struct cps_trail {
	struct cps_frame *ring; /* CPS_DEPTH_MAX */
	uint32_t begin;		/* where the innermost frame is */
	uint32_t depth;
	uint32_t generation; /* of the module table, when it was walked */
};

struct cps_stack {
	struct cps_frame *frames; /* the innermost `fresh`, innermost first */
	uint32_t room;		  /* frames that fit; more than that and the middle is left out */
	uint32_t fresh;
	uint32_t depth; /* fresh, and the outermost (depth - fresh) of the trail */
	uint32_t mark;	/* enum cps_mark */
	uint32_t generation;
	uint64_t join;		       /* fp_at of the first that is the trail's */
	const struct cps_trail *trail; /* NULL: there is none to be followed */
};

/* [signal] Frame i, 0 the innermost. */
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

/* [signal] Who stands at frame i of the trail gets how far by the quick steps? */
uint32_t cps_trail_follow(const struct cps_trail *t, uint32_t i, struct cps_peek *peek);

/* [signal] A stack too deep is to have 2 * `each` + 1 frames: its ends, and a cut. */
void cps_trail_stack_cut(struct cps_stack *s, uint32_t each);

/* [signal] The stack, walked beside this trail, becomes the trail; *frames, where it was written,
 * is memory for the next one. */
void cps_trail_take(struct cps_trail *t, const struct cps_stack *s, struct cps_frame **frames);

#endif
