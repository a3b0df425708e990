/* SPDX-License-Identifier: MIT */
/*
 * view_tree.c - the top-down tree (Naganov, "tree view"; Hall & Goldberg, "sample tree profile").
 *
 * In: struct tree. Out: one line per call path, indented.
 */
#include <stdlib.h>
#include <string.h>

#include "graph/function_names.h"
#include "tree/subtree.h"
#include "view/compared.h"
#include "view/side_by_side.h"
#include "view/view.h"
#include "write/caption.h"
#include "write/footer.h"
#include "write/heaviest.h"
#include "write/name_text.h"
#include "write/rows.h"
#include "write/weight.h"

#define TEXT_THRESHOLD 0.5
#define NIL	       0.0005 /* of all: less than a table shows */

static void write_row(struct rows *r, const struct tree *t, const struct tree_node *node)
{
	static const char *const columns[] = {
		"depth", "total", "self", "name", "self_samples", "total_samples", NULL,
	};

	rows_row(r, columns);
	rows_count(r, node->depth);
	rows_count(r, node->total);
	rows_count(r, node->self);
	rows_name(r, t->strings, node->name);
	rows_json_count(r, node->self_hits);
	rows_json_count(r, node->hits);
}

/* The limits of what a walk over the tree shows. A node is at least as heavy as those below it, so
 * that each limit leaves out whole subtrees. */
struct limits {
	double threshold;
	uint64_t depth;
	struct heaviest top;
	bool has_chains;
};

/* Returns the end of the subtree if the node is not shown, and 0 if it is. The footer counts the
 * nodes that are not shown. */
static size_t is_hidden(const struct tree *t, size_t i, const struct limits *limits,
			struct footer *footer)
{
	const struct tree_node *node = &t->nodes[i];

	if (weight_below(node->total, t->total, limits->threshold))
		footer->small += node->end - i;
	else if (limits->depth && node->depth >= limits->depth)
		footer->deep += node->end - i;
	else
		return 0;
	return node->end;
}

/* The only node below this one that is shown, or 0. *n becomes how many are shown. */
static size_t only_below(const struct tree *t, size_t i, const struct limits *limits, size_t *n)
{
	struct footer unused = {0};
	size_t only = 0;

	*n = 0;
	for (size_t k = i + 1; k < t->nodes[i].end; k = t->nodes[k].end) {
		if (is_hidden(t, k, limits, &unused))
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

	return of - below < NIL * (double)t->total;
}

/* The end of the chain that begins at the node: each has only the next below it, which has the same share.
 * *n becomes its length. Only terminals have chains. */
static size_t chain_end(const struct tree *t, size_t i, const struct limits *limits, uint32_t *n)
{
	size_t next, siblings;

	for (*n = 1; limits->has_chains; ++*n, i = next) {
		next = only_below(t, i, limits, &siblings);
		if (!next || !is_same_share(t, i, next))
			break;
	}
	return i;
}

static int weigh_nodes(const struct tree *t, struct limits *limits)
{
	struct footer unused = {0};
	size_t i = 1, end;
	uint32_t n;

	for (; limits->top.n && i < t->n_nodes; i = end ? end : i + 1) {
		end = is_hidden(t, i, limits, &unused);
		if (!end && heaviest_add(&limits->top, t->nodes[i].total))
			return -1;
		if (!end)
			i = chain_end(t, i, limits, &n);
	}
	heaviest_close(&limits->top);
	return 0;
}

/* How deep a line is indented: only where paths fork. By depth of the node, as the walk goes on. */
struct indents {
	uint32_t *
		of; /* depth + 1: that of the nodes below the node, and whether there is only one */
	bool *only;
};

static int indents_begin(struct indents *w, const struct tree *t, const struct limits *limits)
{
	size_t n = limits->has_chains ? tree_height(t) + 2 : 1;

	w->of = calloc(n, sizeof(*w->of));
	w->only = calloc(n, sizeof(*w->only));
	return w->of && w->only ? 0 : -1;
}

static void indents_end(struct indents *w)
{
	free(w->of);
	free(w->only);
}

/* Write the chain from node `first` to node `last`. */
static void write_line(struct out *o, const struct view_input *in, size_t first, size_t last,
		       uint32_t n, struct indents *w, const struct limits *limits)
{
	const struct tree *t = in->tree;
	const struct tree_node *node = &t->nodes[first], *end = &t->nodes[last];
	bool of_parent = in->options->of_parent, has_chains = limits->has_chains;
	uint64_t whole = of_parent && node->depth > 0 ? t->nodes[node->parent].total : t->total;
	uint32_t indent = has_chains ? w->of[node->depth] : node->depth;
	size_t below;

	name_text_node(o, t->strings,
		       &(struct name_text_node){
			       .first = weight_fraction(node->total, whole),
			       .second = weight_fraction(end->self, whole),
			       .hits = node->hits,
			       .hits_width = weight_count_width(t->hits),
			       .depth = indent,
			       .name = node->name,
			       .is_inline = tree_is_inline(t, first),
			       .last = end->name,
			       .n = n,
			       .is_only = has_chains && w->only[node->depth],
			       .in = in,
		       });
	if (!has_chains)
		return;
	w->only[end->depth + 1] = only_below(t, last, limits, &below) != 0;
	w->of[end->depth + 1] = indent + (below > 1);
}

/* Write the nodes as rows to r, or if r is NULL, as lines to o. */
static struct footer write_nodes(const struct view_input *in, struct out *o, struct rows *r,
				 struct limits *limits, struct indents *w)
{
	const struct tree *t = in->tree;
	struct footer footer = {.what = "call path"};
	size_t i = 1, end, first;
	uint32_t n;

	for (; i < t->n_nodes; i = end ? end : i + 1) {
		end = is_hidden(t, i, limits, &footer);
		if (end)
			continue;
		if (!heaviest_take(&limits->top, t->nodes[i].total)) {
			end = t->nodes[i].end;
			footer.beyond += end - i;
		} else if (r) {
			write_row(r, t, &t->nodes[i]);
		} else {
			first = i;
			i = chain_end(t, i, limits, &n);
			write_line(o, in, first, i, n, w, limits);
		}
	}
	return footer;
}

/* `root` is the title of the root functions, which may differ from the text of the option. It is
 * NULL without --root. */
static void write_tree(const struct view_input *in, const char *root, struct out *o,
		       struct limits *limits, struct indents *w)
{
	struct footer footer;
	struct rows r;

	if (view_input_is_rows(in->options)) {
		rows_begin(&r, o, "tree", in);
		write_nodes(in, o, &r, limits, w);
		rows_end(&r);
		return;
	}
	caption_write(o, "Sample Tree Profile", in);
	if (root) {
		out_text(o, "root function: ");
		out_name_fit(o, root, strlen(root), (int)strlen("root function: "));
		out_text(o, "\n");
	}
	caption_parent(o, in->options, "percentages are of the parent's total");
	name_text_heading(o, "total %", "self %", weight_count_width(in->tree->hits));
	footer = write_nodes(in, o, NULL, limits, w);
	footer_write(o, &footer, in->options, limits->threshold);
}

static int show(const struct view_input *in, const char *root, struct out *o, struct error *err)
{
	struct limits limits = {
		.threshold = view_input_threshold(in->options, TEXT_THRESHOLD),
		.depth = in->options->depth,
		.top = {.n = in->options->top},
		.has_chains = out_width(o) && !view_input_is_rows(in->options),
	};
	struct indents w;
	int status = indents_begin(&w, in->tree, &limits);

	if (!status)
		status = weigh_nodes(in->tree, &limits);
	if (!status)
		write_tree(in, root, o, &limits, &w);
	indents_end(&w);
	heaviest_free(&limits.top);
	return status ? error_memory(err) : 0;
}

/* Show only the tree below the root functions. */
static int show_below(const struct view_input *in, struct out *o, struct error *err)
{
	struct view_input rooted = *in;
	struct function_names roots;
	struct tree *below;
	int status;

	if (function_names_of_tree(&roots, in->tree, in->options->root, err))
		return -1;
	below = subtree_build(in->tree, roots.list, roots.n, err);
	rooted.tree = below;
	status = below ? show(&rooted, roots.title, o, err) : -1;
	tree_free(below);
	function_names_free(&roots);
	return status;
}

static int emit(const struct view_input *in, struct out *o, struct error *err)
{
	if (compared(in) && in->options->root)
		return error_usage(err, "--root: the tree below a function cannot be compared");
	if (compared(in))
		return compared_tree(in, o, err);
	if (side_by_side(in))
		return side_by_side_tree(in, o, TEXT_THRESHOLD, err);
	return in->options->root ? show_below(in, o, err) : show(in, NULL, o, err);
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
