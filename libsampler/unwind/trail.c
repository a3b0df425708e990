/* SPDX-License-Identifier: MIT */
/*
 * trail.c - compares the words by which a stack was walked with what they are now.
 *
 * In: the stack of the previous sample. Out: the number of its frames that are unchanged.
 */
#include "unwind/trail.h"
#include "base/poison.h"

/* Frames that were not walked (given ones, and the cut in a stack that is too deep) have a stack
 * pointer of 0, where nothing can be read. The loads do not wait for each other, because their
 * addresses are known. */
uint32_t cps_trail_follow(const struct cps_trail *t, uint32_t i, struct cps_peek *peek)
{
	struct cps_peek k = *peek; /* a copy, so that it stays in registers */
	uint64_t word;

	for (; i + 1 < t->depth; i++) {
		const struct cps_frame *next = cps_trail_frame(t, i + 1);

		if (!cps_peek(&k, next->sp - 8, &word) || word != next->pc + 1)
			break;
		if (next->fp_at && (!cps_peek(&k, next->fp_at, &word) || word != next->fp))
			break;
	}
	*peek = k;
	return i;
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

void cps_trail_take(struct cps_trail *t, const struct cps_stack *s, struct cps_frame **frames)
{
	uint32_t kept = s->depth - s->fresh;

	if (kept) {
		t->begin += t->depth - kept;
		cps_trail_frame(t, 0)->fp_at = s->join;
	}
	if (kept > s->fresh) {
		t->begin -= s->fresh;
		for (uint32_t i = 0; i < s->fresh; i++)
			*cps_trail_frame(t, i) = s->frames[i];
	} else {
		for (uint32_t i = 0; i < kept; i++)
			s->frames[s->fresh + i] = *cps_trail_frame(t, i);
		*frames = t->ring;
		t->ring = s->frames;
		t->begin = 0;
	}
	t->depth = s->depth;
	t->generation = s->generation;
}
