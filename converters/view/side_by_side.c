/* SPDX-License-Identifier: MIT */
/*
 * side_by_side.c - shows functions and call paths with a column for each resource.
 *
 * In: struct tree with other columns. Out: text, or rows.
 */
#include "view/side_by_side.h"

#include <stdlib.h>

#include "base/array.h"
#include "graph/function_names.h"
#include "tree/bottomup.h"
#include "tree/callpath.h"
#include "write/columns.h"
#include "write/heaviest.h"

bool side_by_side(const struct view_input *in)
{
	return in->tree && in->tree->n_others;
}

/* ---- functions ------------------------------------------------------------------------------- */

/* All columns have the same functions in the same order. */
struct functions {
	const struct strings *strings;
	struct tree_function **of; /* by column */
	size_t n, n_columns;
	bool by_total;
};

static uint64_t function_weight(const struct functions *f, size_t column, size_t i)
{
	return f->by_total ? f->of[column][i].total : f->of[column][i].self;
}

static int compare_functions(const void *a, const void *b, void *context)
{
	const struct functions *f = context;
	size_t x = *(const size_t *)a, y = *(const size_t *)b, k;

	for (k = 0; k < f->n_columns; k++)
		if (function_weight(f, k, x) != function_weight(f, k, y))
			return function_weight(f, k, x) < function_weight(f, k, y) ? 1 : -1;
	return strings_compare(f->strings, f->of[0][x].name, f->of[0][y].name);
}

static void write_functions(struct columns *c, const struct functions *f, const size_t *order,
			    uint64_t *weights)
{
	uint64_t top = c->in->options->top, shown = 0;
	size_t i, k;

	for (i = 0; i < f->n; i++) {
		const struct tree_function *first = &f->of[0][order[i]];

		for (k = 0; k < c->n; k++)
			weights[k] = function_weight(f, k, order[i]);
		if (columns_are_small(c, weights)) {
			c->footer.small++;
		} else if (columns_are_nil(c, weights)) {
			c->footer.nil++;
		} else if (top && shown == top) {
			c->footer.beyond++;
		} else {
			columns_name(c, weights, first->name, first->is_inline);
			shown++;
		}
	}
}

static int list_functions(const struct view_input *in, struct functions *f, struct error *err)
{
	size_t k;

	for (k = 0; k < f->n_columns; k++) {
		f->of[k] = tree_functions(tree_column(in->tree, k), &f->n, err);
		if (!f->of[k])
			return -1;
	}
	return 0;
}

static int show_functions(const struct view_input *in, struct out *o, struct functions *f,
			  const struct columns_title *title, struct error *err)
{
	size_t i, *order = calloc(f->n + 1, sizeof(*order));
	uint64_t *weights = calloc(f->n_columns, sizeof(*weights));
	struct columns c = {0};
	int status = order && weights ? 0 : error_memory(err);

	for (i = 0; order && i < f->n; i++)
		order[i] = i;
	if (!status)
		qsort_r(order, f->n, sizeof(*order), compare_functions, f);
	if (!status)
		status = columns_begin(&c, in, o, title, err);
	if (!status) {
		write_functions(&c, f, order, weights);
		columns_end(&c);
	}
	columns_free(&c);
	free(order);
	free(weights);
	return status;
}

int side_by_side_functions(const struct view_input *in, struct out *o, const char *title,
			   bool by_total, double threshold, struct error *err)
{
	const struct columns_title above = {
		.title = title,
		.last = by_total ? "function (total)" : "function (self)",
		.text_threshold = threshold,
		.footer = {.what = "function"},
	};
	struct functions f = {
		.strings = in->profile->strings,
		.n_columns = in->profile->n_columns,
		.by_total = by_total,
	};
	int status;
	size_t k;

	f.of = calloc(f.n_columns, sizeof(*f.of));
	status = f.of ? list_functions(in, &f, err) : error_memory(err);
	if (!status)
		status = show_functions(in, o, &f, &above, err);
	for (k = 0; f.of && k < f.n_columns; k++)
		free(f.of[k]);
	free(f.of);
	return status;
}

/* ---- the tree -------------------------------------------------------------------------------- */

/* What a walk shows. `weights` and `wholes` have room for an entry per column. */
struct walk {
	struct columns columns;
	struct heaviest top; /* by the first column */
	bool is_counting;    /* the first of two walks, which finds the heaviest */
	uint64_t *weights, *wholes;
	size_t size;
};

static int walk_begin(struct walk *w, const struct view_input *in, struct error *err)
{
	*w = (struct walk){
		.columns = {.in = in, .n = in->profile->n_columns},
		.top = {.n = in->options->top},
		.weights = calloc(in->profile->n_columns, sizeof(*w->weights)),
	};
	if (!w->weights ||
	    !array_reserve(&w->wholes, &w->size, in->profile->n_columns, sizeof(*w->wholes)))
		return error_memory(err);
	return 0;
}

static void walk_free(struct walk *w)
{
	columns_free(&w->columns);
	heaviest_free(&w->top);
	free(w->weights);
	free(w->wholes);
}

/* Whether a node with these weights, and all below it, is hidden. The footer counts `n` of them. -1:
 * memory. */
static int walk_hides(struct walk *w, uint32_t depth, uint64_t n)
{
	struct columns *c = &w->columns;
	uint64_t limit = c->in->options->depth;

	if (columns_are_small(c, w->weights)) {
		c->footer.small += w->is_counting ? 0 : n;
		return 1;
	}
	if (limit && depth >= limit) {
		c->footer.deep += w->is_counting ? 0 : n;
		return 1;
	}
	if (w->is_counting)
		return heaviest_add(&w->top, w->weights[0]) ? -1 : 0;
	if (heaviest_take(&w->top, w->weights[0]))
		return 0;
	c->footer.beyond += n;
	return 1;
}

static int walk_tree(struct walk *w)
{
	const struct tree *t = w->columns.in->tree;
	bool of_parent = w->columns.in->options->of_parent;
	size_t i = 1, k;

	while (i < t->n_nodes) {
		const struct tree_node *node = &t->nodes[i];
		int hidden;

		for (k = 0; k < w->columns.n; k++) {
			const struct tree *column = tree_column(t, k);

			w->weights[k] = column->nodes[i].total;
			w->wholes[k] = of_parent && node->depth ? column->nodes[node->parent].total
								: column->total;
		}
		hidden = walk_hides(w, node->depth, node->end - i);
		if (hidden < 0)
			return -1;
		if (!hidden && !w->is_counting)
			columns_node(&w->columns, w->weights, w->wholes, node->depth, node->name,
				     tree_is_inline(t, i));
		i = hidden ? node->end : i + 1;
	}
	return 0;
}

int side_by_side_tree(const struct view_input *in, struct out *o, double threshold,
		      struct error *err)
{
	const struct columns_title title = {
		.title = "Sample Tree Profile",
		.parent = "percentages are of the parent's total",
		.last = "function (total)",
		.of = COLUMNS_OF_NODES,
		.text_threshold = threshold,
		.footer = {.what = "call path"},
	};
	struct walk w;
	int status;

	if (in->options->root)
		return error_usage(err, "--root: the tree below a function shows one resource");
	status = walk_begin(&w, in, err);
	w.columns.threshold = view_input_threshold(in->options, threshold);
	w.is_counting = true;
	if (!status && w.top.n && walk_tree(&w))
		status = error_memory(err);
	heaviest_close(&w.top);
	w.is_counting = false;
	if (!status)
		status = columns_begin(&w.columns, in, o, &title, err);
	if (!status) {
		walk_tree(&w);
		columns_end(&w.columns);
	}
	walk_free(&w);
	return status;
}

/* ---- bottom up ------------------------------------------------------------------------------- */

/* Keep the weights of the path to the node, by depth and column, for percentages of the parent. */
static const uint64_t *path_weights(struct walk *w, uint32_t depth)
{
	size_t k, n = w->columns.n;

	if (!array_reserve(&w->wholes, &w->size, ((size_t)depth + 1) * n, sizeof(*w->wholes)))
		return NULL;
	for (k = 0; k < n; k++)
		w->wholes[depth * n + k] = w->weights[k];
	return depth && w->columns.in->options->of_parent ? &w->wholes[(depth - 1) * n] : w->wholes;
}

static int walk_bottomup(struct walk *w, struct error *err)
{
	const struct tree *t = w->columns.in->tree;
	bool of_parent = w->columns.in->options->of_parent;
	struct bottomup *b = bottomup_new(t, NULL, 0, err);
	struct bottomup_node node;
	int status = b ? 0 : -1;
	size_t k;

	while (!status && bottomup_next(b, &node)) {
		const uint64_t *parent;
		int hidden;

		for (k = 0; k < w->columns.n; k++)
			w->weights[k] = bottomup_weight_in(b, tree_column(t, k));
		hidden = walk_hides(w, node.depth, 1);
		parent = path_weights(w, node.depth);
		if (hidden < 0 || !parent)
			status = error_memory(err);
		else if (hidden)
			bottomup_skip(b);
		else if (!w->is_counting)
			columns_node(&w->columns, w->weights,
				     of_parent && node.depth ? parent : NULL, node.depth, node.name,
				     node.is_inline);
	}
	if (b)
		bottomup_free(b);
	return status;
}

int side_by_side_bottomup(const struct view_input *in, struct out *o, double threshold,
			  struct error *err)
{
	const struct columns_title title = {
		.title = "Bottom-Up Tree Profile",
		.parent = "percentages are of the parent's weight",
		.last = "function",
		.of = COLUMNS_OF_NODES,
		.text_threshold = threshold,
		.footer = {.what = "branch", .plural = "branches"},
	};
	struct walk w;
	int status;

	if (in->options->root)
		return error_usage(err, "--root: the callers of a function show one resource");
	status = walk_begin(&w, in, err);
	w.columns.threshold = view_input_threshold(in->options, threshold);
	w.is_counting = true;
	if (!status && w.top.n)
		status = walk_bottomup(&w, err);
	heaviest_close(&w.top);
	w.is_counting = false;
	if (!status)
		status = columns_begin(&w.columns, in, o, &title, err);
	if (!status) {
		status = walk_bottomup(&w, err);
		columns_end(&w.columns);
	}
	walk_free(&w);
	return status;
}

/* ---- call paths ------------------------------------------------------------------------------ */

/* The trees have the same nodes in the same order, and so the same paths with the same numbers. */
struct paths {
	struct callpaths **of; /* by column */
	size_t n_columns;
	uint32_t *names; /* room for the longest path */
};

static int find_paths(const struct view_input *in, const struct function_names *roots,
		      struct paths *p, struct error *err)
{
	const struct callpath_limits limits = {in->options->depth, CALLPATH_UP_MOST};
	uint32_t longest = 0;
	size_t i, k;

	for (k = 0; k < p->n_columns; k++) {
		const struct tree *t = tree_column(in->tree, k);

		p->of[k] = in->options->up ? callpath_up(t, roots->list, roots->n, &limits, err)
					   : callpath_down(t, roots->list, roots->n, err);
		if (!p->of[k])
			return -1;
	}
	for (i = 1; i < p->of[0]->n_paths; i++)
		if (p->of[0]->paths[i].length > longest)
			longest = p->of[0]->paths[i].length;
	p->names = malloc(((size_t)longest + 1) * sizeof(*p->names));
	return p->names ? 0 : error_memory(err);
}

static void write_paths(struct walk *w, const struct paths *p)
{
	const struct view_options *options = w->columns.in->options;
	const struct callpaths *first = p->of[0];
	struct footer *footer = &w->columns.footer;
	uint64_t shown = 0;
	size_t i, k;

	for (i = 0; i + 1 < first->n_paths; i++) {
		uint32_t number = first->order[i], parent = first->paths[number].parent;

		for (k = 0; k < p->n_columns; k++) {
			w->weights[k] = p->of[k]->paths[number].weight;
			w->wholes[k] = options->of_parent && parent ? p->of[k]->paths[parent].weight
								    : p->of[k]->tree->total;
		}
		if (columns_are_small(&w->columns, w->weights)) {
			footer->small++;
		} else if (options->depth && first->paths[number].length > options->depth) {
			footer->deep++;
		} else if (options->top && shown == options->top) {
			footer->beyond++;
		} else {
			callpath_names(first, number, p->names);
			columns_path(&w->columns, w->weights, w->wholes, p->names,
				     first->paths[number].length);
			shown++;
		}
	}
}

static int show_paths(const struct view_input *in, struct out *o, const struct paths *p,
		      double threshold, struct error *err)
{
	const struct columns_title title = {
		.title =
			in->options->up ? "Upward Call Path Profile" : "Downward Call Path Profile",
		.parent = "percentages are of the parent path",
		.last = "(call_path)",
		.of = COLUMNS_OF_PATHS,
		.text_threshold = threshold,
		.footer = {.what = "call path"},
	};
	struct walk w;
	int status = walk_begin(&w, in, err);

	if (!status)
		status = columns_begin(&w.columns, in, o, &title, err);
	if (!status) {
		write_paths(&w, p);
		columns_end(&w.columns);
	}
	walk_free(&w);
	return status;
}

int side_by_side_callpath(const struct view_input *in, struct out *o, double threshold,
			  struct error *err)
{
	struct paths p = {.n_columns = in->profile->n_columns};
	struct function_names roots;
	int status = in->options->root
			     ? function_names_of_tree(&roots, in->tree, in->options->root, err)
			     : function_names_default(&roots, in->tree, err);
	size_t k;

	if (status)
		return -1;
	p.of = calloc(p.n_columns, sizeof(struct callpaths *));
	status = p.of ? find_paths(in, &roots, &p, err) : error_memory(err);
	if (!status)
		status = show_paths(in, o, &p, threshold, err);
	for (k = 0; p.of && k < p.n_columns; k++)
		callpath_free(p.of[k]);
	free(p.of);
	free(p.names);
	function_names_free(&roots);
	return status;
}
