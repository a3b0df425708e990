/* SPDX-License-Identifier: MIT */
/*
 * arc_times.c - charges each stack to the arcs of its context (Spivey 2004).
 *
 * In: struct tree. Out: struct arc_times.
 *
 * A context has an item A[B]C for each of its functions B. The item is the last occurrence of B on
 * the stack, where direct repeats are left out: A is the frame before it, and C is the frame after
 * it. A call changes few items: the earlier occurrence of the called function is not its last one
 * until the function returns, and the caller has a new callee. So one walk over the tree is enough.
 * Clocks count the weight of all nodes walked so far, and of those in which each function was
 * running. An arc is charged with the advance of its clocks while it is part of an item.
 */
#include "contexts/arc_times.h"

#include <stdbool.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/pair_table.h"
#include "base/stop.h"

/* The clocks when an arc became part of an item. */
struct since {
	uint64_t all, self;
};

/* A frame of the stack. Frame 0 stands for the caller of the outermost function. */
struct frame {
	uint32_t name;
	uint32_t depth;	    /* of its tree node */
	uint32_t earlier;   /* the previous frame of the same function; 0: there is none */
	uint32_t arc;	    /* from the frame before to this one; frame 1 has none */
	struct since in;    /* the arc became the arc into the item of this frame */
	struct since after; /* the arc became the arc out of the item of the frame before */
};

struct walk {
	const struct tree *tree;
	struct arc_times *result;
	struct pair_table pairs; /* (caller, callee) -> arc */
	size_t room;		 /* allocated elements of result->arcs */
	struct frame *frames;
	uint32_t top;	/* the innermost frame */
	uint32_t *last; /* by name: its innermost frame; 0: there is none */
	uint64_t all;	/* a clock: the weight of all stacks so far */
	uint64_t *self; /* clocks, by name: the weight of the stacks in which it was running */
};

static struct since now(const struct walk *w, uint32_t name)
{
	return (struct since){w->all, w->self[name]};
}

/* The arc into frame `at` becomes part of the frame's item. */
static void begin_in(struct walk *w, uint32_t at)
{
	w->frames[at].in = now(w, w->frames[at].name);
}

static void end_in(struct walk *w, uint32_t at)
{
	const struct frame *f = &w->frames[at];
	struct since end = now(w, f->name);
	struct arc_time *arc;

	if (at == 1)
		return; /* the frame is outermost, so that no arc leads to it */
	arc = &w->result->arcs[f->arc];
	arc->self2 += end.self - f->in.self;
	arc->child2 += (end.all - f->in.all) - (end.self - f->in.self);
}

/* The arc into frame `at` becomes part of its caller's item. */
static void begin_out(struct walk *w, uint32_t at)
{
	w->frames[at].after = now(w, w->frames[at].name);
}

static void end_out(struct walk *w, uint32_t at)
{
	const struct frame *f = &w->frames[at];
	struct since end = now(w, f->name);
	struct arc_time *arc;

	if (at == 1)
		return;
	arc = &w->result->arcs[f->arc];
	arc->self1 += end.self - f->after.self;
	arc->child1 += (end.all - f->after.all) - (end.self - f->after.self);
}

static int find_arc(struct walk *w, uint32_t caller, uint32_t callee, uint32_t *number)
{
	struct arc_times *a = w->result;

	*number = pair_table_number(&w->pairs, caller, callee);
	if (*number == PAIR_TABLE_NONE ||
	    !array_reserve(&a->arcs, &w->room, a->n + 1, sizeof(*a->arcs)))
		return -1;
	if (*number == a->n)
		a->arcs[a->n++] = (struct arc_time){.caller = caller, .callee = callee};
	return 0;
}

/* Enter a function that is not the running one. Its earlier occurrence is not the last frame, so it
 * has a callee. */
static int push(struct walk *w, const struct tree_node *n)
{
	uint32_t at = w->top + 1, earlier = w->last[n->name];
	struct frame *f = &w->frames[at];

	*f = (struct frame){.name = n->name, .depth = n->depth, .earlier = earlier};
	if (w->top > 0 && find_arc(w, w->frames[w->top].name, n->name, &f->arc))
		return -1;
	if (earlier) {
		end_in(w, earlier);
		end_out(w, earlier + 1);
	}
	begin_out(w, at);
	begin_in(w, at);
	w->last[n->name] = at;
	w->top = at;
	return 0;
}

static void pop(struct walk *w)
{
	uint32_t at = w->top--, earlier = w->frames[at].earlier;

	end_in(w, at);
	end_out(w, at);
	w->last[w->frames[at].name] = earlier;
	if (earlier) {
		begin_in(w, earlier);
		begin_out(w, earlier + 1);
	}
}

static int walk_tree(struct walk *w)
{
	size_t i;

	for (i = 1; i < w->tree->n_nodes; i++) {
		const struct tree_node *n = &w->tree->nodes[i];

		if (stop_is_requested())
			return -1;
		while (w->top > 0 && w->frames[w->top].depth >= n->depth)
			pop(w);
		if (w->frames[w->top].name != n->name && push(w, n))
			return -1;
		w->all += n->self;
		w->self[n->name] += n->self;
	}
	while (w->top > 0)
		pop(w);
	return 0;
}

static int prepare(struct walk *w)
{
	size_t n_names = strings_count(w->tree->strings) + 1;

	w->frames = malloc((tree_height(w->tree) + 1) * sizeof(*w->frames));
	w->last = calloc(n_names, sizeof(*w->last));
	w->self = calloc(n_names, sizeof(*w->self));
	if (!w->frames || !w->last || !w->self)
		return -1;
	w->frames[0] = (struct frame){.name = STRINGS_NONE};
	return 0;
}

static int compare(const void *a, const void *b, void *context)
{
	const struct arc_time *x = a, *y = b;
	int order = strings_compare(context, x->caller, y->caller);

	return order ? order : strings_compare(context, x->callee, y->callee);
}

struct arc_times *arc_times_build(const struct tree *t, struct error *err)
{
	struct walk w = {.tree = t};
	struct arc_times *a = w.result = calloc(1, sizeof(*w.result));
	int status = a && !prepare(&w) && !walk_tree(&w) ? 0
		     : stop_check(err)			 ? -1
							 : error_memory(err);

	free(w.frames);
	free(w.last);
	free(w.self);
	pair_table_clear(&w.pairs);
	if (status) {
		arc_times_free(a);
		return NULL;
	}
	/* The comparison only reads; qsort_r has no const context. */
	if (a->n > 0)
		qsort_r(a->arcs, a->n, sizeof(*a->arcs), compare, (void *)(uintptr_t)t->strings);
	return a;
}

void arc_times_free(struct arc_times *a)
{
	if (!a)
		return;
	free(a->arcs);
	free(a);
}
