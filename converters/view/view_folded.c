/* SPDX-License-Identifier: MIT */
/*
 * view_folded.c - folded stacks, "a;b;c COUNT", sorted bytewise.
 *
 * In: struct tree. Out: one line per stack, as flame graph tools read it. Of two programs that are compared it has
 * two counts, before and after, as difffolded.pl writes them.
 *
 * Tools take COUNT for a number of samples, and some make as many of it. So the raw samples are divided among the
 * stacks in proportion to what was credited to them, and rounded so that the sum of any subtree is right within one:
 * a count is the difference between two sums of preorder that are rounded themselves.
 *
 * Whole lines are sorted, and not paths: "a b" < "a b;c" < "a;b", because a space comes before a
 * semicolon. Below a node there are two kinds of things: the line of a child, whose key is the name
 * of the child, and the lines below that child, whose key is its name and a semicolon. If both kinds
 * are sorted together, the lines are in order.
 */
#include <stdlib.h>
#include <string.h>

#include "view/compared.h"
#include "view/view.h"
#include "write/heaviest.h"
#include "write/name_text.h"

struct thing {
	uint32_t node;
	bool below; /* the thing is the lines below the node, and not the node's own line */
};

struct folding {
	const struct tree *tree;
	const struct symbols *symbols;
	uint64_t *self;		  /* by node */
	uint64_t *before, *after; /* instead of that, if two programs are compared */
	struct out *out;
	struct thing *stack; /* the things that have not been written; the last one is the next */
	size_t n_stack, room;
	char *text;	/* the path of the current node */
	size_t *length; /* by depth, the bytes of the path above a node */
	struct heaviest top;
	size_t text_room;
};

static size_t copy_name(const struct folding *f, uint32_t node, const char **name)
{
	uint32_t number = f->tree->nodes[node].name;
	size_t n;

	*name = strings_get(f->tree->strings, symbols_exported(f->symbols, number), &n);
	return n;
}

/* Returns the byte of a thing's key at i, or -1 after its end. */
static inline int key_byte(const char *name, size_t n, bool below, size_t i)
{
	if (i >= n)
		return i == n && below ? ';' : -1;
	return (unsigned char)name_text_folded_byte(name, n, i);
}

/* The order is descending, because things are taken from the end of the stack. */
static int compare(const void *a, const void *b, void *context)
{
	const struct thing *x = a, *y = b;
	const char *x_name, *y_name;
	size_t i, n_x = copy_name(context, x->node, &x_name);
	size_t n_y = copy_name(context, y->node, &y_name);

	for (i = 0;; i++) {
		int p = key_byte(x_name, n_x, x->below, i), q = key_byte(y_name, n_y, y->below, i);

		if (p != q)
			return p < q ? 1 : -1;
		if (p < 0)
			return (x->node < y->node) - (x->node > y->node);
	}
}

static int push(struct folding *f, uint32_t node, bool below)
{
	if (f->n_stack == f->room) {
		size_t room = f->room ? f->room * 2 : 64;
		struct thing *stack = realloc(f->stack, room * sizeof(*stack));

		if (!stack)
			return -1;
		f->stack = stack;
		f->room = room;
	}
	f->stack[f->n_stack++] = (struct thing){node, below};
	return 0;
}

/* What decides whether a stack has a line, and which are the heaviest. */
static uint64_t own(const struct folding *f, uint32_t node)
{
	uint64_t sum;

	if (!f->before)
		return f->self[node];
	return __builtin_add_overflow(f->before[node], f->after[node], &sum) ? UINT64_MAX : sum;
}

static int push_children(struct folding *f, uint32_t parent)
{
	const struct tree_node *nodes = f->tree->nodes;
	size_t from = f->n_stack;
	uint32_t i;

	for (i = parent + 1; i < nodes[parent].end; i = nodes[i].end)
		if ((own(f, i) > 0 && push(f, i, false)) ||
		    (nodes[i].end > i + 1 && push(f, i, true)))
			return -1;
	if (f->n_stack > from)
		qsort_r(f->stack + from, f->n_stack - from, sizeof(*f->stack), compare, f);
	return 0;
}

/* Put the node's name behind the path of its parent; returns the new length. */
static int append(struct folding *f, uint32_t node, size_t *end)
{
	const char *name;
	size_t n = copy_name(f, node, &name);
	size_t from = f->length[f->tree->nodes[node].depth];

	*end = from + n;
	if (*end + 1 > f->text_room) {
		size_t room = (*end + 1) * 2;
		char *text = realloc(f->text, room);

		if (!text)
			return -1;
		f->text = text;
		f->text_room = room;
	}
	name_text_folded(f->text + from, name, n);
	return 0;
}

static int handle(struct folding *f, struct thing thing)
{
	size_t end;

	if (append(f, thing.node, &end))
		return -1;
	if (thing.below) {
		f->text[end] = ';';
		f->length[f->tree->nodes[thing.node].depth + 1] = end + 1;
		return push_children(f, thing.node);
	}
	if (!heaviest_take(&f->top, own(f, thing.node)))
		return 0;
	out_bytes(f->out, f->text, end);
	out_text(f->out, " ");
	out_count(f->out, f->before ? f->before[thing.node] : f->self[thing.node]);
	if (f->before) {
		out_text(f->out, " ");
		out_count(f->out, f->after[thing.node]);
	}
	out_text(f->out, "\n");
	return 0;
}

static int weigh_stacks(struct folding *f)
{
	size_t i;

	for (i = 1; f->top.n && i < f->tree->n_nodes; i++)
		if (own(f, (uint32_t)i) > 0 && heaviest_add(&f->top, own(f, (uint32_t)i)))
			return -1;
	heaviest_close(&f->top);
	return 0;
}

/* ---- counts ---------------------------------------------------------------------------------- */

/* Replace each weight by its share of the samples. The weights are a part of `total`. */
static void divide(uint64_t *counts, size_t n, uint64_t samples, uint64_t total)
{
	uint64_t sum = 0, before = 0;

	for (size_t i = 0; i < n; i++) {
		uint64_t rounded;

		if (__builtin_add_overflow(sum, counts[i], &sum))
			sum = UINT64_MAX;
		rounded = (uint64_t)(((unsigned __int128)sum * samples + total / 2) / total);
		counts[i] = rounded - before;
		before = rounded;
	}
}

/* All samples and their weight, of all runs of a comparison. Without a sample there is one. */
static void count_samples(const struct profile *p, const struct tree *t, uint64_t *samples,
			  uint64_t *total)
{
	*samples = p->n_columns ? 0 : t->hits;
	*total = p->n_columns ? 0 : t->total;
	for (size_t i = 0; i < p->n_columns; i++) {
		*samples += p->columns[i].hits;
		*total += p->columns[i].weight;
	}
	*samples += !*samples;
}

/* See comparison_counts. */
static int count_both(const struct view_input *in, uint64_t **before, uint64_t **after,
		      struct error *err)
{
	struct comparison c;
	int status = comparison_begin(&c, in->profile, in->tree, 0, in->options->normalize, err);

	if (!status)
		status = comparison_counts(&c, before, after, err);
	comparison_free(&c);
	return status;
}

static int make_counts(struct folding *f, const struct view_input *in, struct error *err)
{
	const struct tree *t = f->tree;
	uint64_t samples, total;

	if (compared(in)) {
		if (count_both(in, &f->before, &f->after, err))
			return -1;
	} else {
		f->self = calloc(t->n_nodes, sizeof(*f->self));
		if (!f->self)
			return error_memory(err);
		for (size_t i = 0; i < t->n_nodes; i++)
			f->self[i] = t->nodes[i].self;
	}
	count_samples(in->profile, t, &samples, &total);
	if (in->options->unit != VIEW_UNIT_DEFAULT || !total)
		return 0;
	for (size_t i = 0; i < 3; i++) {
		uint64_t *counts = i == 0 ? f->self : i == 1 ? f->before : f->after;

		if (counts)
			divide(counts, t->n_nodes, samples, total);
	}
	return 0;
}

static int emit(const struct view_input *in, struct out *o, struct error *err)
{
	struct folding f = {
		.tree = in->tree, .symbols = in->symbols, .out = o, .top = {.n = in->options->top}};
	int status;

	if (make_counts(&f, in, err))
		return -1;
	f.length = calloc(tree_height(in->tree) + 2, sizeof(*f.length));
	status = f.length && !weigh_stacks(&f) ? push_children(&f, 0) : -1;
	while (!status && f.n_stack > 0)
		status = handle(&f, f.stack[--f.n_stack]);
	free(f.self);
	free(f.before);
	free(f.after);
	free(f.stack);
	free(f.text);
	free(f.length);
	heaviest_free(&f.top);
	return status ? error_memory(err) : 0;
}

const struct view view_folded = {
	.name = "folded",
	.help = "stacks as \"a;b;c COUNT\", for flame graphs",
	.needs = VIEW_NEEDS_TREE,
	.has_base = true,
	.commands = {{.help = "each stack as a line \"outer;inner COUNT\""}},
	.emit = emit,
};
