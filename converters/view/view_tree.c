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
#include "view/view.h"
#include "write/caption.h"
#include "write/footer.h"
#include "write/heaviest.h"
#include "write/name_text.h"
#include "write/rows.h"
#include "write/weight.h"

#define TEXT_THRESHOLD 0.5

static void write_row(struct rows *r, const struct tree *t, const struct tree_node *node)
{
	static const char *const columns[] = {"depth", "total", "self", "name", NULL};

	rows_row(r, columns);
	rows_count(r, node->depth);
	rows_count(r, node->total);
	rows_count(r, node->self);
	rows_name(r, t->strings, node->name);
}

static void write_line(struct out *o, const struct tree *t, size_t number, bool of_parent)
{
	const struct tree_node *node = &t->nodes[number];
	uint64_t whole = of_parent && node->depth > 0 ? t->nodes[node->parent].total : t->total;

	name_text_node(o, t->strings,
		       &(struct name_text_node){
			       .first = weight_fraction(node->total, whole),
			       .second = weight_fraction(node->self, whole),
			       .hits = node->hits,
			       .hits_width = weight_count_width(t->hits),
			       .depth = node->depth,
			       .name = node->name,
			       .is_inline = tree_is_inline(t, number),
		       });
}

/* The limits of what a walk over the tree shows. A node is at least as heavy as those below it, so
 * that each limit leaves out whole subtrees. */
struct limits {
	double threshold;
	uint64_t depth;
	struct heaviest top;
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

static int weigh_nodes(const struct tree *t, struct limits *limits)
{
	struct footer unused = {0};
	size_t i = 1, end;

	for (; limits->top.n && i < t->n_nodes; i = end ? end : i + 1) {
		end = is_hidden(t, i, limits, &unused);
		if (!end && heaviest_add(&limits->top, t->nodes[i].total))
			return -1;
	}
	heaviest_close(&limits->top);
	return 0;
}

/* Write the nodes as rows to r, or if r is NULL, as lines to o. */
static struct footer write_nodes(const struct view_input *in, struct out *o, struct rows *r,
				 struct limits *limits)
{
	const struct tree *t = in->tree;
	struct footer footer = {.what = "call path"};
	size_t i = 1, end;

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
			write_line(o, t, i, in->options->of_parent);
		}
	}
	return footer;
}

/* `root` is the title of the root functions, which may differ from the text of the option. It is
 * NULL without --root. */
static void write_tree(const struct view_input *in, const char *root, struct out *o,
		       struct limits *limits)
{
	struct footer footer;
	struct rows r;

	if (view_input_is_rows(in->options)) {
		rows_begin(&r, o, "tree", in);
		write_nodes(in, o, &r, limits);
		rows_end(&r);
		return;
	}
	caption_write(o, "Sample Tree Profile", in);
	if (root) {
		out_text(o, "root function: ");
		out_name(o, root, strlen(root));
		out_text(o, "\n");
	}
	caption_parent(o, in->options, "percentages are of the parent's total");
	name_text_heading(o, "total %", "self %", weight_count_width(in->tree->hits));
	footer = write_nodes(in, o, NULL, limits);
	footer_write(o, &footer, in->options, limits->threshold);
}

static int show(const struct view_input *in, const char *root, struct out *o, struct error *err)
{
	struct limits limits = {
		.threshold = view_input_threshold(in->options, TEXT_THRESHOLD),
		.depth = in->options->depth,
		.top = {.n = in->options->top},
	};
	int status = weigh_nodes(in->tree, &limits);

	if (!status)
		write_tree(in, root, o, &limits);
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
	return in->options->root ? show_below(in, o, err) : show(in, NULL, o, err);
}

const struct view view_tree = {
	.name = "tree",
	.help = "call paths from the outermost function inwards",
	.needs = VIEW_NEEDS_TREE,
	.has_rows = true,
	.options = VIEW_OPTIONS("root", "threshold", "depth", "percent"),
	.commands = {{.argument = VIEW_ARGUMENT_FUNCTION,
		      .help = "call paths from the outermost function, or this one"}},
	.emit = emit,
};
