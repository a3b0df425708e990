/* SPDX-License-Identifier: MIT */
/*
 * view_bottomup.c - the bottom-up tree: running functions, and below them their callers (Naganov).
 *
 * In: struct tree. Out: one line per path from the innermost function outwards, indented.
 */
#include <stdlib.h>

#include "base/array.h"
#include "graph/function_names.h"
#include "tree/bottomup.h"
#include "view/view.h"
#include "write/table.h"

enum { WEIGHT, OUTERMOST, HITS };

struct walk {
	const struct view_input *in;
	struct function_names roots; /* empty: stacks are read from the running function */
	size_t n;		     /* columns */
	uint64_t *weights;	     /* of the nodes on the current path, by depth and column */
	double *squares;	     /* of the node, by column */
	size_t size;
};

/* Fill in the weights of the node that the walk has come to. */
static int weigh(struct walk *w, const struct bottomup *b, struct table_row *row)
{
	bool of_parent = w->in->options->of_parent && row->depth;
	size_t at = row->depth * w->n;

	if (!array_reserve(&w->weights, &w->size, at + w->n, sizeof(*w->weights)))
		return -1;
	for (size_t k = 0; k < w->n; k++) {
		w->weights[at + k] = k ? bottomup_weight_in(b, k) : (uint64_t)row->values[WEIGHT];
		w->squares[k] = bottomup_squares_in(b, k);
	}
	row->weights = &w->weights[at];
	row->wholes = of_parent ? &w->weights[at - w->n] : NULL;
	row->squares = w->squares;
	return 0;
}

/* A node is at least as heavy as those below it, so that each limit leaves out whole branches. */
static int walk(struct table *t, void *context, struct error *err)
{
	struct walk *w = context;
	struct bottomup *b = bottomup_new(w->in->tree, w->roots.list, w->roots.n, err);
	struct bottomup_node node;
	int status = b ? 0 : -1;

	while (status >= 0 && bottomup_next(b, &node)) {
		struct table_row row = {
			.name = node.name,
			.depth = node.depth,
			.is_inline = node.is_inline,
			.values = {node.weight, node.outermost, node.hits},
		};

		status = weigh(w, b, &row) ? error_memory(err) : table_node(t, &row, err);
		if (status > 0)
			bottomup_skip(b);
	}
	bottomup_free(b);
	return status < 0 ? -1 : 0;
}

static int emit(const struct view_input *in, struct out *o, struct error *err)
{
	static const struct table_column columns[] = {
		TABLE_COLUMN("depth", NULL, DEPTH, 0),
		TABLE_COLUMN("weight", NULL, COUNT, WEIGHT),
		TABLE_COLUMN("outermost", NULL, COUNT, OUTERMOST),
		TABLE_COLUMN(NULL, "weight %", SHARE, WEIGHT),
		TABLE_COLUMN(NULL, "outer %", SHARE, OUTERMOST),
		TABLE_COLUMN(NULL, "samples", SAMPLES, HITS),
		TABLE_COLUMN("name", "function", LABEL, 0),
		TABLE_COLUMN("weight_samples", NULL, SAMPLES, HITS),
		{0},
	};
	struct walk w = {.in = in, .n = 1 + in->tree->n_others};
	struct table_about about = {
		.view = "bottomup",
		.title = "Bottom-Up Tree Profile",
		.what = "branch",
		.plural = "branches",
		.label = TABLE_NODE,
		.text_threshold = 0.5,
		.columns = columns,
		.last = "function",
		.of_parent = "percentages are of the parent's weight",
		.compared = "call path",
		.prunes = true,
		.context = &w,
	};
	int status;

	if (in->options->root && function_names_of_tree(&w.roots, in->tree, in->options->root, err))
		return -1;
	about.root = in->options->root && w.roots.n ? w.roots.title : NULL;
	w.squares = calloc(w.n, sizeof(*w.squares));
	status = w.squares ? table_nodes(in, o, &about, walk, err) : error_memory(err);
	function_names_free(&w.roots);
	free(w.weights);
	free(w.squares);
	return status;
}

const struct view view_bottomup = {
	.name = "bottomup",
	.help = "what was running, and below it who had called it",
	.fits_screen = true,
	.needs = VIEW_NEEDS_TREE,
	.has_rows = true,
	.has_base = true,
	.has_columns = true,
	.options = VIEW_OPTIONS("root", "threshold", "depth", "percent"),
	.commands = {{.argument = VIEW_ARGUMENT_FUNCTION,
		      .help = "call paths outwards, from this function or all"}},
	.emit = emit,
};
