/* SPDX-License-Identifier: MIT */
/*
 * contexts.c - finds the contexts of all stacks in the tree, and the cycles among them.
 *
 * The tree is walked once. history.h keeps the history of the current stack.
 */
#include "contexts/contexts.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/hash.h"
#include "base/stop.h"
#include "contexts/history.h"

struct walk {
	struct contexts *result;
	struct stack_history active;
	struct fingerprint_table histories, paths; /* fingerprint -> context, cycle */
	size_t room, cycle_room, cycle_of_room;
	uint32_t *cycle_of; /* by context: its cycle, or FINGERPRINT_TABLE_NONE */
	bool with_cycles;
};

struct path {
	struct fingerprint print;
	uint32_t length;
};

/* Returns how many unmarked entries before the marked frame `right` belong to the path, which
 * begins at an entry of the running function. 0: none of these entries is of the running
 * function. */
static uint32_t begins_before(const struct stack_history *a, uint32_t right)
{
	const struct stack_history_frame *f = a->frames;
	uint32_t left = f[right].before, n = stack_history_gap(a, left, right),
		 running = f[a->top].name;

	if (n > 0 && f[right - 1].name == running)
		return 1;
	return n > 1 && f[left + 1].name == running ? 2 : 0;
}

/*
 * Find the path from the last unmarked entry of the running function to the end of the history,
 * searching from the end. As in a history, the names of the path determine its marks, so the same
 * neighbours mean the same names. Only a part of the first pair of neighbours is on the path. Time
 * is linear in the path's length, which is a few functions, or if there is no path, in the length
 * of the history.
 */
static bool find_cycle(const struct stack_history *a, struct path *path)
{
	const struct stack_history_frame *f = a->frames;
	uint32_t running = f[a->top].name, right, n;

	*path = (struct path){0};
	if (!f[a->top].earlier)
		return false;
	for (right = a->top; right > 0; right = f[right].before) {
		path->length++;
		n = begins_before(a, right);
		if (n > 0) {
			struct fingerprint begin = fingerprint_of(
				&a->secret, (uint64_t)running << 32 | f[right - 1].name,
				(uint64_t)STRINGS_NONE << 32 | f[right].name);

			path->length += n;
			path->print = fingerprint_plus(path->print, begin);
			return true;
		}
		path->length += stack_history_gap(a, f[right].before, right);
		path->print = fingerprint_plus(path->print, f[right].link);
	}
	return false;
}

/* Add a new context to the cycle that it closes, if it closes one. */
static int add_to_cycle(struct walk *w, uint32_t node, uint32_t *number)
{
	struct contexts *c = w->result;
	struct path path;

	*number = FINGERPRINT_TABLE_NONE;
	if (!w->with_cycles || !find_cycle(&w->active, &path))
		return 0;
	*number = fingerprint_table_number(&w->paths, path.print);
	if (*number == FINGERPRINT_TABLE_NONE ||
	    !array_reserve(&c->cycles, &w->cycle_room, c->n_cycles + 1, sizeof(*c->cycles)))
		return -1;
	if (*number == c->n_cycles)
		c->cycles[c->n_cycles++] =
			(struct context_cycle){.node = node, .length = path.length};
	c->cycles[*number].contexts++;
	return 0;
}

static int new_context(struct walk *w, uint32_t node)
{
	struct contexts *c = w->result;

	if (!array_reserve(&c->contexts, &w->room, c->n + 1, sizeof(*c->contexts)) ||
	    !array_reserve(&w->cycle_of, &w->cycle_of_room, c->n + 1, sizeof(*w->cycle_of)))
		return -1;
	c->contexts[c->n] =
		(struct context){.node = node, .length = w->active.frames[w->active.top].length};
	return add_to_cycle(w, node, &w->cycle_of[c->n++]);
}

/* Add the samples of a node to its context and cycle. A subtree counts once in the total of a
 * cycle, however often the cycle is run within the subtree. */
static void credit(struct walk *w, uint32_t number, uint32_t node)
{
	const struct tree_node *n = &w->result->tree->nodes[node];
	struct context *context = &w->result->contexts[number];
	struct context_cycle *cycle;

	context->samples += n->self;
	context->hits += n->self_hits;
	if (w->cycle_of[number] == FINGERPRINT_TABLE_NONE)
		return;
	cycle = &w->result->cycles[w->cycle_of[number]];
	cycle->samples += n->self;
	if (node < cycle->end)
		return;
	cycle->total += n->total;
	cycle->end = n->end;
}

static int walk_tree(struct walk *w)
{
	const struct tree *t = w->result->tree;
	uint32_t i, number;

	for (i = 1; i < t->n_nodes; i++) {
		if (stop_is_requested())
			return -1;
		stack_history_enter(&w->active, &t->nodes[i]);
		number = fingerprint_table_number(&w->histories,
						  w->active.frames[w->active.top].print);
		if (number == FINGERPRINT_TABLE_NONE ||
		    (number == w->result->n && new_context(w, i)))
			return -1;
		credit(w, number, i);
	}
	return 0;
}

static int compare(uint64_t samples, uint64_t other_samples, uint64_t rest, uint64_t other_rest)
{
	if (samples != other_samples)
		return samples < other_samples ? 1 : -1;
	return (rest > other_rest) - (rest < other_rest);
}

static int compare_contexts(const void *a, const void *b)
{
	const struct context *x = a, *y = b;

	return compare(x->samples, y->samples, (uint64_t)x->length << 32 | x->node,
		       (uint64_t)y->length << 32 | y->node);
}

static int compare_cycles(const void *a, const void *b)
{
	const struct context_cycle *x = a, *y = b;

	return compare(x->samples, y->samples, (uint64_t)x->length << 32 | x->node,
		       (uint64_t)y->length << 32 | y->node);
}

/* Sort contexts and cycles as the views list them. */
static void finish(struct walk *w)
{
	struct contexts *c = w->result;
	size_t i;

	for (i = 0; i < c->n; i++)
		c->n_with_samples += c->contexts[i].samples > 0;
	if (c->n > 0)
		qsort(c->contexts, c->n, sizeof(*c->contexts), compare_contexts);
	if (c->n_cycles > 0)
		qsort(c->cycles, c->n_cycles, sizeof(*c->cycles), compare_cycles);
}

struct contexts *contexts_build(const struct tree *t, bool with_cycles, struct error *err)
{
	struct walk w = {.with_cycles = with_cycles};
	int status;

	w.result = calloc(1, sizeof(*w.result));
	if (!w.result) {
		error_memory(err);
		return NULL;
	}
	w.result->tree = t;
	status = stack_history_open(&w.active, t, err);
	if (!status && walk_tree(&w))
		status = stop_check(err) ? -1 : error_memory(err);
	if (!status)
		finish(&w);
	stack_history_close(&w.active);
	free(w.cycle_of);
	fingerprint_table_clear(&w.histories);
	fingerprint_table_clear(&w.paths);
	if (!status)
		return w.result;
	contexts_free(w.result);
	return NULL;
}

void contexts_free(struct contexts *c)
{
	if (!c)
		return;
	free(c->contexts);
	free(c->cycles);
	free(c);
}
