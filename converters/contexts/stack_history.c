/* SPDX-License-Identifier: MIT */
/*
 * stack_history.c - keeps the history of the current stack.
 *
 * In: nodes of struct tree, in preorder. Out: a stack with marks.
 */
#include "contexts/stack_history.h"

#include <stdlib.h>

int stack_history_open(struct stack_history *a, const struct tree *t, struct error *err)
{
	*a = (struct stack_history){.secret = fingerprint_secret()};
	a->frames = malloc((tree_height(t) + 1) * sizeof(*a->frames));
	a->last = calloc(strings_count(t->strings) + 1, sizeof(*a->last));
	if (!a->frames || !a->last)
		return error_memory(err);
	a->frames[0] = (struct stack_history_frame){.name = STRINGS_NONE};
	return 0;
}

void stack_history_close(struct stack_history *a)
{
	free(a->frames);
	free(a->last);
}

/* The fingerprint of two neighbours: of their names, the name after the left one, and the name
 * before the right one. If no frames are between them, the latter are the names of each other. */
static struct fingerprint link_print(const struct stack_history *a, uint32_t left, uint32_t right)
{
	const struct stack_history_frame *f = a->frames;

	return fingerprint_of(&a->secret, (uint64_t)f[left].name << 32 | f[left + 1].name,
			      (uint64_t)f[right - 1].name << 32 | f[right].name);
}

/* Make `left` and `right` neighbours, and add them to f's fingerprint and length of the history. */
static void join(struct stack_history *a, uint32_t left, uint32_t right,
		 struct stack_history_frame *f)
{
	struct fingerprint link = link_print(a, left, right);

	a->frames[left].after = right;
	a->frames[right].before = left;
	a->frames[right].link = link;
	f->print = fingerprint_plus(f->print, link);
	f->length += stack_history_gap(a, left, right);
}

/* Take the neighbours `left` and `right` out of f's fingerprint and length of the history. */
static void part(const struct stack_history *a, uint32_t left, uint32_t right,
		 struct stack_history_frame *f)
{
	f->print = fingerprint_minus(f->print, a->frames[right].link);
	f->length -= stack_history_gap(a, left, right);
}

/* Remove the mark of frame `at`. The frame keeps its neighbours, for mark_again. */
static void unmark(struct stack_history *a, uint32_t at, struct stack_history_frame *f)
{
	uint32_t left = a->frames[at].before, right = a->frames[at].after;

	part(a, left, at, f);
	part(a, at, right, f);
	f->length--;
	join(a, left, right, f);
}

static void mark_again(struct stack_history *a, uint32_t at)
{
	uint32_t right = a->frames[at].after;

	a->frames[a->frames[at].before].after = at;
	a->frames[right].before = at;
	a->frames[right].link = link_print(a, at, right);
}

/* Enter a function that is not the running one. */
static void push(struct stack_history *a, const struct tree_node *n)
{
	uint32_t at = a->top + 1;
	struct stack_history_frame *f = &a->frames[at];

	*f = (struct stack_history_frame){
		.name = n->name,
		.depth = n->depth,
		.earlier = a->last[n->name],
		.length = a->frames[a->top].length,
		.print = a->frames[a->top].print,
	};
	if (f->earlier)
		unmark(a, f->earlier, f);
	join(a, a->top, at, f);
	f->length++;
	a->last[n->name] = at;
	a->top = at;
}

static void pop(struct stack_history *a)
{
	const struct stack_history_frame *f = &a->frames[a->top--];

	a->last[f->name] = f->earlier;
	if (f->earlier)
		mark_again(a, f->earlier);
}

void stack_history_enter(struct stack_history *a, const struct tree_node *n)
{
	while (a->top > 0 && a->frames[a->top].depth >= n->depth)
		pop(a);
	if (a->frames[a->top].name != n->name)
		push(a, n);
}
