/* SPDX-License-Identifier: MIT */
/*
 * view_tree.c - the top-down tree (Naganov, "tree view"; Hall & Goldberg, "sample tree profile").
 *
 * Show room. In: struct tree. Out: one line per call path, indented.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "amount.h"
#include "caption.h"
#include "function_name.h"
#include "rows.h"
#include "view.h"

#define TEXT_THRESHOLD 0.5
#define NAME_COLUMN    29
/* Deeper levels are not indented further: they say how deep they are. */
#define LEVELS_INDENTED 20u

static void write_row(struct rows *r, const struct tree *t, const struct tree_node *node)
{
	static const char *const columns[] = {"depth", "total", "self", "name", NULL};

	rows_row(r, columns);
	rows_count(r, node->depth);
	rows_count(r, node->total);
	rows_count(r, node->self);
	rows_name(r, t->strings, node->name);
}

static void write_line(struct out *o, const struct tree *t, size_t number)
{
	const struct tree_node *node = &t->nodes[number];
	int indent = 2 * (int)(node->depth < LEVELS_INDENTED ? node->depth : LEVELS_INDENTED);
	char level[16] = "";

	if (node->depth > LEVELS_INDENTED)
		snprintf(level, sizeof(level), "[%" PRIu32 "] ", node->depth);
	out_format(o, "%8.2f %8.2f %9" PRIu64 "  %*s%s",
		   amount_fraction(node->total, t->total) * 100,
		   amount_fraction(node->self, t->total) * 100, node->hits, indent, "", level);
	function_name_write(o, t->strings, node->name, tree_is_inline(t, number),
			    NAME_COLUMN + indent + (int)strlen(level));
	out_text(o, "\n");
}

static void write_heading(struct out *o, const struct view_input *in)
{
	caption_write(o, "Sample Tree Profile", in);
	out_text(o, "\n total %   self %   samples  function\n");
	caption_rule(o);
}

/* Why a node and what is below it is not shown. */
struct hidden {
	size_t small, deep; /* call paths */
};

static void write_footer(struct out *o, const struct hidden *hidden, double threshold,
			 uint64_t depth)
{
	caption_rule(o);
	if (hidden->small)
		out_format(o, "not shown: %zu call path%s below %g %%\n", hidden->small,
			   hidden->small == 1 ? "" : "s", threshold);
	if (hidden->deep)
		out_format(o, "not shown: %zu call path%s of more than %" PRIu64 " functions\n",
			   hidden->deep, hidden->deep == 1 ? "" : "s", depth);
}

/* As lines to o, or as rows. */
static struct hidden write_nodes(const struct view_input *in, struct out *o, struct rows *r,
				 double threshold)
{
	const struct tree *t = in->tree;
	uint64_t depth = in->options->depth ? in->options->depth : UINT32_MAX;
	struct hidden hidden = {0};
	size_t i = 1;

	while (i < t->n_nodes) {
		const struct tree_node *node = &t->nodes[i];

		if (amount_below(node->total, t->total, threshold)) {
			hidden.small += node->end - i;
			i = node->end;
		} else if (node->depth >= depth) {
			hidden.deep += node->end - i;
			i = node->end;
		} else {
			if (r)
				write_row(r, t, node);
			else
				write_line(o, t, i);
			i++;
		}
	}
	return hidden;
}

static int emit(const struct view_input *in, struct out *o, struct error *err)
{
	double threshold = view_threshold(in->options, TEXT_THRESHOLD);
	struct hidden hidden;
	struct rows r;

	(void)err;
	if (view_is_rows(in->options)) {
		rows_begin(&r, o, "tree", in);
		write_nodes(in, o, &r, threshold);
		rows_end(&r);
		return 0;
	}
	write_heading(o, in);
	hidden = write_nodes(in, o, NULL, threshold);
	write_footer(o, &hidden, threshold, in->options->depth);
	return 0;
}

const struct view view_tree = {
	.name = "tree",
	.help = "call paths from the outermost function inwards",
	.needs = VIEW_NEEDS_TREE,
	.has_rows = true,
	.emit = emit,
};
