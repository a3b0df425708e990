/* SPDX-License-Identifier: MIT */
/*
 * trail.c - compares the words by which a stack was walked with what they are now.
 *
 * In: the stack of the previous sample. Out: the number of its frames that are unchanged.
 */
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

#include "arch/arch.h"
#include "unwind/trail.h"
#include "base/poison.h"

/* Where the step to this frame read its return address. Where calls leave that in a register it is beside the frame pointer, and
 * only frames that were come to so are compared. */
static inline uint64_t ra_of(const struct cps_frame *f)
{
	return CPS_REGS_HAS_LINK ? f->fp_at + CPS_REGS_RA_ABOVE_FP : f->sp - CPS_REGS_RA_BELOW;
}

/* Frames that were not walked (given ones, and the cut in a stack that is too deep) have a stack
 * pointer of 0, where nothing can be read. The loads do not wait for each other, because their
 * addresses are known. */
uint32_t cps_trail_follow(const struct cps_trail *t, uint32_t i, const struct cps_peek *peek)
{
	const struct cps_peek k = *peek; /* a copy, so that it stays in registers */
	const struct cps_frame *last = t->frames, *next;
	uint64_t word;

	if (i + 1 >= t->depth)
		return i;
	for (next = cps_trail_frame(t, i + 1); next >= last; next--) {
		if (CPS_REGS_HAS_LINK && next->fp_at <= CPS_TRAIL_OTHER)
			break;
		if (!cps_peek(&k, ra_of(next), &word) || cps_regs_strip(word) != next->pc + 1)
			break;
		if (next->fp_at && (!cps_peek(&k, next->fp_at, &word) || word != next->fp))
			break;
	}
	return t->depth - 2 - (uint32_t)(next - last);
}

/* Whether the walk to frame i and on to the end would be the same. Otherwise *last is the last
 * frame that is. */
static bool is_unchanged_from(const struct cps_trail *t, uint32_t i, struct cps_peek *peek,
			      uint32_t *last)
{
	*last = cps_trail_follow(t, i - 1, peek);
	return *last + 1 == t->depth;
}

uint32_t cps_trail_unchanged_end(const struct cps_trail *t, uint32_t most, uint64_t sp,
				 struct cps_peek *peek)
{
	uint32_t i = t->depth > most ? t->depth - most : 1, last;

	if (!t->has_end || !peek->high) /* another thread's stack must not be taken for this one */
		return 0;
	while (i < t->depth && cps_trail_frame(t, i)->sp <= sp)
		i++;
	if (i >= t->depth)
		return 0;
	if (is_unchanged_from(t, i, peek, &last))
		return i;
	i = last + 2;
	return i < t->depth && cps_trail_frame(t, last + 1)->pc == CPS_CUT_ADDRESS &&
			       is_unchanged_from(t, i, peek, &last)
		       ? i
		       : 0;
}

static void reverse(struct cps_frame *frames, size_t n)
{
	for (size_t i = 0; i < n / 2; i++) {
		struct cps_frame t = frames[i];

		frames[i] = frames[n - 1 - i];
		frames[n - 1 - i] = t;
	}
}

void cps_trail_stack_close_ring(struct cps_stack *s, uint64_t seen)
{
	uint32_t inner = s->room / 2, outer = s->room - inner;
	struct cps_frame *ring = s->frames + inner;
	size_t oldest = (seen - inner) % outer;

	reverse(ring, oldest);
	reverse(ring + oldest, outer - oldest);
	reverse(ring, outer);
	ring[0] = (struct cps_frame){.pc = CPS_CUT_ADDRESS};
	s->fresh = s->room;
	if (s->mark == CPS_MARK_COMPLETE)
		s->mark = CPS_MARK_TOO_DEEP;
}

void cps_trail_stack_cut(struct cps_stack *s, uint32_t each)
{
	uint32_t depth = 2 * each + 1;

	for (uint32_t i = 0; i < each; i++)
		s->frames[i] = *cps_stack_frame(s, i);
	for (uint32_t i = each + 1; i < depth; i++)
		s->frames[i] = *cps_stack_frame(s, s->depth - depth + i);
	s->frames[each] = (struct cps_frame){.pc = CPS_CUT_ADDRESS};
	s->depth = s->fresh = depth;
	if (s->mark == CPS_MARK_COMPLETE)
		s->mark = CPS_MARK_TOO_DEEP;
}

void cps_trail_stack_copy(struct cps_stack *s, const struct cps_stack *given)
{
	s->seen = given->depth;
	if (s->seen > s->room)
		return;
	s->depth = s->fresh = given->depth;
	s->mark = given->mark;
	memcpy(s->frames, given->frames, s->depth * sizeof(s->frames[0]));
}

void cps_trail_stack_put(struct cps_stack *s, const uint64_t *pcs, uint32_t n)
{
	if (!n || !s->depth)
		return;
	if (s->depth + n > s->room) {
		s->seen = (uint64_t)s->room + n;
		return;
	}
	memmove(s->frames + n, s->frames, s->fresh * sizeof(s->frames[0]));
	for (uint32_t i = 0; i < n; i++)
		s->frames[i] = (struct cps_frame){.pc = pcs[i], .fp_at = CPS_TRAIL_OTHER};
	s->fresh += n;
	s->depth += n;
}

void cps_trail_take(struct cps_trail *t, const struct cps_stack *s)
{
	uint32_t kept = s->depth - s->fresh;

	t->depth = s->depth;
	for (uint32_t i = 0; i < s->fresh; i++)
		*cps_trail_frame(t, i) = s->frames[i];
	if (kept)
		cps_trail_frame(t, s->fresh)->fp_at = s->join;
	t->generation = s->generation;
	t->is_cut = s->mark == CPS_MARK_TOO_DEEP;
	t->has_end = t->is_cut || s->mark == CPS_MARK_COMPLETE;
}

/* A child that is forked meanwhile by another thread finds an array that is at least as large as its
 * room. It forgets what is in the array. Order: the array is stored before its room, also for a child that gets the memory as it is
 * between the two. */
void cps_trail_move(struct cps_trail *t, struct cps_frame *frames, uint32_t room)
{
	if (t->depth)
		memcpy(frames, t->frames, t->depth * sizeof(*frames));
	t->frames = frames;
	atomic_thread_fence(memory_order_release);
	t->room = room;
}
