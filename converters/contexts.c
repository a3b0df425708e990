/* SPDX-License-Identifier: MIT */
/*
 * contexts.c - finds the contexts of all stacks in the tree (Spivey 2004).
 *
 * Shape room. In: struct tree. Out: struct contexts.
 *
 * What steps A1 to A5 make of a stack can be read off the stack. A1 leaves direct repeats out. A2
 * and A3 mark the last occurrence of each function. Of the unmarked entries between two marked ones
 * A4 leaves the first and the last, which are never in the middle, and A5 one of these if they are
 * the same. So a history is known if for all neighbours among the marked entries it is known what
 * stands after the left one and before the right one on the stack:
 *
 *     stack     Main  P  Q  R  P  Q  R  P  Q  R        marked: the last P, Q, R, and Main
 *                 ^   first       last  ^  ^  ^
 *     history   Main (P           R)    P  Q  R
 *
 * Names of marked entries are distinct, so that these four names, gathered over all neighbours, are
 * the history whatever their order. A call changes the neighbours of two entries: that of the
 * function's earlier occurrence, which is no longer the last, and that at the end. The walk keeps
 * the marked frames in a list, and the sum of the fingerprints of all neighbours, which stands for
 * the history. Each step, and its undoing, takes constant time.
 */
#include "contexts.h"

#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "prints.h"

/* A frame of the stack; frame 0 stands outside of the outermost function, without a name. */
struct frame {
	uint32_t name;
	uint32_t depth;		/* of its tree node */
	uint32_t earlier;	/* where its function stood last, outside of it; 0: nowhere */
	uint32_t before, after; /* its neighbours among the marked frames */
	uint32_t length;	/* entries of the history when this frame is the innermost one */
	struct print print;	/* and that history's fingerprint */
	struct print link;	/* its part of that: the one of `before` and this frame */
};

struct walk {
	struct contexts *result;
	struct print_secret secret;
	struct prints histories, paths; /* -> contexts, cycles */
	size_t room, cycle_room;
	struct frame *frames;
	uint32_t top;
	uint32_t *last;	    /* by name: its innermost frame, 0: none */
	uint32_t *cycle_of; /* by context, or PRINTS_NONE */
	size_t cycle_of_room;
};

/* Two neighbours: their names, what stands after the left and what before the right one. Without
 * frames between them these are the other's name. */
static struct print link_print(const struct walk *w, uint32_t left, uint32_t right)
{
	const struct frame *f = w->frames;

	return print_of(&w->secret, (uint64_t)f[left].name << 32 | f[left + 1].name,
			(uint64_t)f[right - 1].name << 32 | f[right].name);
}

/* Unmarked entries between two neighbours. */
static uint32_t gap(const struct walk *w, uint32_t left, uint32_t right)
{
	if (left + 1 == right)
		return 0;
	return w->frames[left + 1].name == w->frames[right - 1].name ? 1 : 2;
}

/* `left` and `right` become neighbours; f gets the history with them as such. */
static void join(struct walk *w, uint32_t left, uint32_t right, struct frame *f)
{
	struct print link = link_print(w, left, right);

	w->frames[left].after = right;
	w->frames[right].before = left;
	w->frames[right].link = link;
	f->print = print_plus(f->print, link);
	f->length += gap(w, left, right);
}

/* They no longer are. */
static void part(const struct walk *w, uint32_t left, uint32_t right, struct frame *f)
{
	f->print = print_minus(f->print, w->frames[right].link);
	f->length -= gap(w, left, right);
}

/* The marked frame `at` loses its mark. It still knows its neighbours. */
static void unmark(struct walk *w, uint32_t at, struct frame *f)
{
	uint32_t left = w->frames[at].before, right = w->frames[at].after;

	part(w, left, at, f);
	part(w, at, right, f);
	f->length--;
	join(w, left, right, f);
}

static void mark_again(struct walk *w, uint32_t at)
{
	uint32_t right = w->frames[at].after;

	w->frames[w->frames[at].before].after = at;
	w->frames[right].before = at;
	w->frames[right].link = link_print(w, at, right);
}

/* A call of a function that is not the running one. */
static void push(struct walk *w, const struct tree_node *n)
{
	uint32_t at = w->top + 1;
	struct frame *f = &w->frames[at];

	*f = (struct frame){
		.name = n->name,
		.depth = n->depth,
		.earlier = w->last[n->name],
		.length = w->frames[w->top].length,
		.print = w->frames[w->top].print,
	};
	if (f->earlier)
		unmark(w, f->earlier, f);
	join(w, w->top, at, f);
	f->length++;
	w->last[n->name] = at;
	w->top = at;
}

static void pop(struct walk *w)
{
	const struct frame *f = &w->frames[w->top--];

	w->last[f->name] = f->earlier;
	if (f->earlier)
		mark_again(w, f->earlier);
}

struct path {
	struct print print;
	uint32_t length;
};

/* How many unmarked entries before the marked frame `right` belong to the path: those from the
 * running function's on. 0: it is not among them. */
static uint32_t begins_before(const struct walk *w, uint32_t right)
{
	const struct frame *f = w->frames;
	uint32_t left = f[right].before, n = gap(w, left, right), running = f[w->top].name;

	if (n > 0 && f[right - 1].name == running)
		return 1;
	return n > 1 && f[left + 1].name == running ? 2 : 0;
}

/*
 * The path from the running function's last unmarked entry to the end, looked for from the end. Its
 * names tell its marks, as those of a history do, so that the same neighbours mean the same names.
 * Of the first neighbours not all is on the path. Takes time with the path's length, which is a few
 * functions, or with the history's if there is none.
 */
static bool find_cycle(const struct walk *w, struct path *path)
{
	const struct frame *f = w->frames;
	uint32_t running = f[w->top].name, right, n;

	*path = (struct path){0};
	if (!f[w->top].earlier)
		return false;
	for (right = w->top; right > 0; right = f[right].before) {
		path->length++;
		n = begins_before(w, right);
		if (n > 0) {
			struct print begin =
				print_of(&w->secret, (uint64_t)running << 32 | f[right - 1].name,
					 (uint64_t)STRINGS_NONE << 32 | f[right].name);

			path->length += n;
			path->print = print_plus(path->print, begin);
			return true;
		}
		path->length += gap(w, f[right].before, right);
		path->print = print_plus(path->print, f[right].link);
	}
	return false;
}

/* The cycle that a new context closes, if it does. */
static int add_to_cycle(struct walk *w, uint32_t node, uint32_t *number)
{
	struct contexts *c = w->result;
	struct path path;

	*number = PRINTS_NONE;
	if (!find_cycle(w, &path))
		return 0;
	*number = prints_number(&w->paths, path.print);
	if (*number == PRINTS_NONE ||
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
	c->contexts[c->n] = (struct context){.node = node, .length = w->frames[w->top].length};
	return add_to_cycle(w, node, &w->cycle_of[c->n++]);
}

static int add_to_context(struct walk *w, uint32_t node)
{
	const struct tree_node *n = &w->result->tree->nodes[node];
	struct context *context;
	uint32_t i = prints_number(&w->histories, w->frames[w->top].print);

	if (i == PRINTS_NONE || (i == w->result->n && new_context(w, node)))
		return -1;
	context = &w->result->contexts[i];
	context->samples += n->self;
	context->hits += n->self_hits;
	return 0;
}

static int walk_tree(struct walk *w)
{
	const struct tree *t = w->result->tree;
	uint32_t i;

	for (i = 1; i < t->n_nodes; i++) {
		const struct tree_node *n = &t->nodes[i];

		while (w->top > 0 && w->frames[w->top].depth >= n->depth)
			pop(w);
		if (w->frames[w->top].name != n->name)
			push(w, n);
		if (add_to_context(w, i))
			return -1;
	}
	return 0;
}

static void sum_cycles(const struct walk *w)
{
	struct contexts *c = w->result;
	size_t i;

	for (i = 0; i < c->n; i++) {
		const struct context *context = &c->contexts[i];
		uint32_t cycle = w->cycle_of[i];

		c->n_with_samples += context->samples > 0;
		if (cycle == PRINTS_NONE)
			continue;
		c->cycles[cycle].samples += context->samples;
		c->cycles[cycle].hits += context->hits;
	}
}

static int prepare(struct walk *w)
{
	const struct tree *t = w->result->tree;

	w->secret = print_secret();
	w->frames = malloc((tree_height(t) + 1) * sizeof(*w->frames));
	w->last = calloc(strings_count(t->strings) + 1, sizeof(*w->last));
	if (!w->frames || !w->last)
		return -1;
	w->frames[0] = (struct frame){.name = STRINGS_NONE};
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

/* From the order of arrival to that of the views. */
static void finish(struct walk *w)
{
	struct contexts *c = w->result;

	sum_cycles(w);
	if (c->n > 0)
		qsort(c->contexts, c->n, sizeof(*c->contexts), compare_contexts);
	if (c->n_cycles > 0)
		qsort(c->cycles, c->n_cycles, sizeof(*c->cycles), compare_cycles);
}

struct contexts *contexts_build(const struct tree *t, struct error *err)
{
	struct walk w = {0};
	int status;

	w.result = calloc(1, sizeof(*w.result));
	if (!w.result) {
		error_memory(err);
		return NULL;
	}
	w.result->tree = t;
	status = prepare(&w) || walk_tree(&w) ? error_memory(err) : 0;
	if (!status)
		finish(&w);
	free(w.frames);
	free(w.last);
	free(w.cycle_of);
	prints_clear(&w.histories);
	prints_clear(&w.paths);
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
