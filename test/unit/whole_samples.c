/* SPDX-License-Identifier: MIT */
/*
 * whole_samples.c - remembers stacks by their numbers.
 */
#include "whole_samples.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

void whole_samples_free(struct whole_samples *w)
{
	for (size_t i = 0; i < w->n; i++)
		free(w->stacks[i].frames);
	free(w->stacks);
	memset(w, 0, sizeof(*w));
}

static void remember(struct whole_samples *w, const struct event_sample *e)
{
	struct whole_stack *stack;

	if (e->generation != w->generation)
		whole_samples_free(w);
	w->generation = e->generation;
	if (e->stack > w->n) {
		w->stacks = reallocarray(w->stacks, e->stack, sizeof(*w->stacks));
		memset(w->stacks + w->n, 0, (e->stack - w->n) * sizeof(*w->stacks));
		w->n = e->stack;
	}
	stack = &w->stacks[e->stack - 1];
	free(stack->frames);
	*stack = (struct whole_stack){calloc(e->depth + 1, sizeof(*e->frames)), e->depth, e->thread,
				      e->mark};
	if (e->depth)
		memcpy(stack->frames, e->frames, e->depth * sizeof(*e->frames));
}

struct event_sample whole_sample(struct whole_samples *w, const struct event_sample *e)
{
	struct event_sample whole = *e;

	if (!e->is_again) {
		if (e->stack)
			remember(w, e);
		return whole;
	}
	cr_assert(!e->frames && !e->depth && !e->keep);
	cr_assert_eq(e->generation, w->generation);
	cr_assert(e->stack && e->stack <= w->n && w->stacks[e->stack - 1].frames);
	cr_assert_eq(e->thread, w->stacks[e->stack - 1].thread);
	cr_assert_eq(e->mark, w->stacks[e->stack - 1].mark);
	whole.depth = w->stacks[e->stack - 1].depth;
	whole.frames = w->stacks[e->stack - 1].frames;
	return whole;
}
