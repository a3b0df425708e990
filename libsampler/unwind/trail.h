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
 * The outermost frame is the first, so that outer frames that stay are not moved when inner ones
 * come and go. A walk writes to an array of its own, because it may fail. Both arrays have the same
 * room, which grows when a stack does not fit (batch.h).
 */
#ifndef CPS_TRAIL_H
#define CPS_TRAIL_H

#include <stdbool.h>
#include <stdint.h>

#include "format.h"

#include "base/memory.h"

/* Stands for fp_at if the step to a frame was not a quick one. It cannot be read as an address. */
#define CPS_TRAIL_OTHER UINT64_C(1)

struct cps_frame {
	uint64_t pc;	 /* the address that is recorded */
	uint64_t sp, fp; /* as they are while the frame runs */
	uint64_t fp_at;	 /* where the step to it loaded fp from; 0: fp stayed the same; or OTHER */
};

struct cps_trail {
	struct cps_frame *frames; /* outermost first */
	uint32_t room;		  /* frames that fit */
	uint32_t depth;
	uint32_t generation; /* of the module table, at the time of the walk */
	bool has_end;	     /* it goes to the end of the stack ... */
	bool is_cut;	     /* ... and its middle is left out */
};

/* The code at [low, high). */
struct cps_code_range {
	uintptr_t low, high;
};

struct cps_stack {
	struct cps_frame *frames; /* the innermost `fresh` ones, innermost first */
	uint32_t room;		  /* frames that fit; if there are more, the middle is left out */
	uint32_t fresh;
	uint32_t depth; /* `fresh` plus the frames that are the trail's outermost ones */
	uint32_t mark;	/* enum cps_mark */
	bool is_busy;	/* there is no stack because the unwinder is in use (unwind.h) */
	uint32_t generation;
	uint64_t seen;	/* frames that need room; if more than fit, some are left out */
	uint64_t until; /* when to stop walking, in ns of cps_moment_ns; 0: never */
	uint32_t
		keep; /* frames that are ever to be kept; with less room none is left out on purpose */
	struct cps_code_range
		outside; /* the innermost frames are left out as long as they are in this code */
	uint64_t join;	 /* fp_at of the first frame that is the trail's */
	const struct cps_trail *trail; /* NULL: there is no stack to compare with */
};

/* [signal] Whether an innermost frame is one of those to be left out. */
static inline bool cps_trail_is_inner(const struct cps_stack *s, uint64_t pc)
{
	return pc >= s->outside.low && pc < s->outside.high;
}

/* [signal] Frame i of the trail; 0 is the innermost. */
static inline struct cps_frame *cps_trail_frame(const struct cps_trail *t, uint32_t i)
{
	return &t->frames[t->depth - 1 - i];
}

/* [signal] */
static inline const struct cps_frame *cps_stack_frame(const struct cps_stack *s, uint32_t i)
{
	return i < s->fresh ? &s->frames[i]
			    : cps_trail_frame(s->trail, s->trail->depth - s->depth + i);
}

/* [signal] How far the quick steps lead from frame i of the trail, as the stack is now: returns the
 * number of the last frame that is unchanged. */
uint32_t cps_trail_follow(const struct cps_trail *t, uint32_t i, const struct cps_peek *peek);

/* [signal] The first of at most `most` outermost frames of the trail that the unwinder would walk
 * as before, above this stack pointer. 0: they have changed, or the trail had no end. */
uint32_t cps_trail_unchanged_end(const struct cps_trail *t, uint32_t most, uint64_t sp,
				 struct cps_peek *peek);

/* [signal] A walk has seen more frames than there is room for, and has used the outer half of the
 * array as a ring: bring it into order, and mark the gap. */
void cps_trail_stack_close_ring(struct cps_stack *s, uint64_t seen);

/* [signal] Cut a stack that is too deep down to 2 * `each` + 1 frames: both its ends, and a frame
 * that stands for the middle. */
void cps_trail_stack_cut(struct cps_stack *s, uint32_t each);

/* [signal] Copy a stack whose frames are all its own; none of them if there is no room. */
void cps_trail_stack_copy(struct cps_stack *s, const struct cps_stack *given);

/* [signal] Put n frames, innermost first, inside of all others, which no other walk ever meets. If there is no room
 * for them, `seen` says so. */
void cps_trail_stack_put(struct cps_stack *s, const uint64_t *pcs, uint32_t n);

/* [signal] Make the stack, which was walked with this trail, the new trail. */
void cps_trail_take(struct cps_trail *t, const struct cps_stack *s);

/* [signal] Copy the trail to an array that is larger. The old one is the caller's again. */
void cps_trail_move(struct cps_trail *t, struct cps_frame *frames, uint32_t room);

#endif
