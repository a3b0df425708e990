/* SPDX-License-Identifier: MIT */
/*
 * view_tree.c - the top-down tree (Naganov, "tree view"; Hall & Goldberg, "sample tree profile").
 *
 * In: struct tree. Out: one line per call path, indented.
 */
#include <stdlib.h>

#include "view/view.h"
#include "write/table.h"

enum { TOTAL, SELF, SELF_HITS, HITS };

struct walk {
	const struct tree *tree;
	size_t n;		    /* columns */
	uint64_t *weights, *wholes; /* of the node, by column */
	double *squares;
	bool has_chains; /* only terminals have them */
	/* How deep a line is indented: only where paths fork. By depth + 1 of a node: that of the nodes below it,
	 * and whether there is only one. */
	uint32_t *indents;
	bool *only;
};

/* ---- chains ---------------------------------------------------------------------------------- */

/* The only node below this one that is shown, or 0. *n becomes how many are shown. */
static size_t only_below(const struct walk *w, const struct table *table, size_t i, size_t *n)
{
	const struct tree *t = w->tree;
	size_t only = 0;

	*n = 0;
	for (size_t k = i + 1; k < t->nodes[i].end; k = t->nodes[k].end) {
		if (table_hides(table, &t->nodes[k].total, t->nodes[k].depth))
			continue;
		only = k;
		if (++*n > 1)
			return 0;
	}
	return only;
}

/* Whether a table shows both nodes with the same share, and nothing of its own for the first. */
static bool is_same_share(const struct tree *t, size_t i, size_t k)
{
	double of = (double)t->nodes[i].total, below = (double)t->nodes[k].total;

	return of - below < TABLE_NIL * (double)t->total;
}

/* The end of the chain that begins at the node: each has only the next below it, which has the same share.
 * *n becomes its length. */
static size_t chain_end(const struct walk *w, const struct table *table, size_t i, uint32_t *n)
{
	size_t next, siblings;

	for (*n = 1; w->has_chains; ++*n, i = next) {
		next = only_below(w, table, i, &siblings);
		if (!next || !is_same_share(w->tree, i, next))
			break;
	}
	return i;
}

/* What a chain is about: the last function of the program in it, and rather none that was inlined. */
static size_t own_node(const struct tree *t, size_t first, size_t last)
{
	size_t own = last;
	unsigned best = 0;

	for (size_t i = last;; i = t->nodes[i].parent) {
		unsigned tells = tree_tells(t, t->nodes[i].name, tree_is_inline(t, i));

		if (tells > best) {
			best = tells;
			own = i;
		}
		if (i == first)
			return own;
	}
}

/* The chain from node `first` to node `last`. */
static struct table_chain chain(struct walk *w, const struct table *table, size_t first,
				size_t last, uint32_t n)
{
	const struct tree_node *node = &w->tree->nodes[first], *end = &w->tree->nodes[last];
	uint32_t indent = w->indents[node->depth];
	size_t below;

	w->only[end->depth + 1] = only_below(w, table, last, &below) != 0;
	w->indents[end->depth + 1] = indent + (below > 1);
	return (struct table_chain){
		.own = w->tree->nodes[own_node(w->tree, first, last)].name,
		.last = end->name,
		.n = n,
		.indent = indent,
		.is_only = w->only[node->depth],
	};
}

/* ---- the walk -------------------------------------------------------------------------------- */

static void weigh(const struct walk *w, size_t i, bool of_parent)
{
	for (size_t k = 0; k < w->n; k++) {
		const struct tree *t = tree_column(w->tree, k);
		const struct tree_node *node = &t->nodes[i];

		w->weights[k] = node->total;
		w->wholes[k] = of_parent && node->depth ? t->nodes[node->parent].total : t->total;
		w->squares[k] = t->squares ? t->squares[i].total : 0;
	}
}

static int walk(struct table *table, void *context, struct error *err)
{
	struct walk *w = context;
	const struct tree *t = w->tree;
	int status = 0;

	for (size_t i = 1; status >= 0 && i < t->n_nodes;) {
		const struct tree_node *node = &t->nodes[i];
		struct table_row row = {
			.name = node->name,
			.depth = node->depth,
			.is_inline = tree_is_inline(t, i),
			.weights = w->weights,
			.wholes = w->wholes,
			.squares = w->squares,
			.n_below = node->end - i,
		};
		struct table_chain in_line;
		size_t last = i;
		uint32_t n;

		weigh(w, i, table->in->options->of_parent);
		if (w->has_chains && !table_hides(table, w->weights, node->depth)) {
			last = chain_end(w, table, i, &n);
			in_line = chain(w, table, i, last, n);
			row.chain = &in_line;
		}
		row.values[TOTAL] = node->total;
		row.values[SELF] = t->nodes[last].self;
		row.values[SELF_HITS] = node->self_hits;
		row.values[HITS] = node->hits;
		status = table_node(table, &row, err);
		i = status ? node->end : last + 1;
	}
	return status < 0 ? -1 : 0;
}

static int show(const struct view_input *in, struct out *o, struct error *err)
{
	static const struct table_column columns[] = {
		TABLE_COLUMN("depth", NULL, DEPTH, 0),
		TABLE_COLUMN("total", NULL, COUNT, TOTAL),
		TABLE_COLUMN("self", NULL, COUNT, SELF),
		TABLE_COLUMN(NULL, "total %", SHARE, TOTAL),
		TABLE_COLUMN(NULL, "self %", SHARE, SELF),
		TABLE_COLUMN(NULL, "samples", SAMPLES, HITS),
		TABLE_COLUMN("name", "function", LABEL, 0),
		TABLE_COLUMN("self_samples", NULL, SAMPLES, SELF_HITS),
		TABLE_COLUMN("total_samples", NULL, SAMPLES, HITS),
		{0},
	};
	size_t levels = tree_height(in->tree) + 2;
	struct walk w = {
		.tree = in->tree,
		.n = 1 + in->tree->n_others,
		.has_chains = out_width(o) && !view_input_is_rows(in->options) &&
			      table_shape(in) == TABLE_ONE,
	};
	const struct table_about about = {
		.view = "tree",
		.title = "Sample Tree Profile",
		.what = "call path",
		.label = TABLE_NODE,
		.text_threshold = 0.5,
		.columns = columns,
		.has_looks = true,
		.has_chains = true,
		.last = "function (total)",
		.of_parent = "percentages are of the parent's total",
		.context = &w,
	};
	int status;

	w.weights = calloc(w.n, sizeof(*w.weights));
	w.wholes = calloc(w.n, sizeof(*w.wholes));
	w.squares = calloc(w.n, sizeof(*w.squares));
	w.indents = calloc(levels, sizeof(*w.indents));
	w.only = calloc(levels, sizeof(*w.only));
	if (w.weights && w.wholes && w.squares && w.indents && w.only)
		status = table_nodes(in, o, &about, walk, err);
	else
		status = error_memory(err);
	free(w.weights);
	free(w.wholes);
	free(w.squares);
	free(w.indents);
	free(w.only);
	return status;
}

static int emit(const struct view_input *in, struct out *o, struct error *err)
{
	return view_below_root(in, o, show, err);
}

const struct view view_tree = {
	.name = "tree",
	.help = "call paths from the outermost function inwards",
	.fits_screen = true,
	.needs = VIEW_NEEDS_TREE,
	.has_rows = true,
	.has_base = true,
	.has_columns = true,
	.options = VIEW_OPTIONS("root", "threshold", "depth", "percent"),
	.commands = {{.argument = VIEW_ARGUMENT_FUNCTION,
		      .help = "call paths from the outermost function, or this one"}},
	.emit = emit,
};
