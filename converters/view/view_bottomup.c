/* SPDX-License-Identifier: MIT */
/*
 * view_bottomup.c - the bottom-up tree: running functions, and below them their callers (Naganov).
 *
 * In: struct tree. Out: one line per path from the innermost function outwards, indented.
 */
#include <string.h>

#include "base/array.h"
#include "graph/function_names.h"
#include "tree/bottomup.h"
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

struct shortlist {
	const struct view_input *in;
	struct function_names roots; /* empty: stacks are read from the running function */
	struct out *out;
	double threshold;
	struct heaviest top;
	struct footer footer;
	struct rows rows;
	uint64_t *weights; /* of the nodes on the current path, by depth */
	size_t size;
};

/* A node is at least as heavy as those below it, so that each limit leaves out whole branches. */
static bool is_hidden(struct shortlist *l, const struct bottomup_node *node)
{
	uint64_t depth = l->in->options->depth;

	if (weight_below(node->weight, l->in->tree->total, l->threshold))
		l->footer.small++;
	else if (depth && node->depth >= depth)
		l->footer.deep++;
	else
		return false;
	return true;
}

static int weigh_nodes(struct shortlist *l, struct error *err)
{
	struct bottomup *b = bottomup_new(l->in->tree, l->roots.list, l->roots.n, err);
	struct bottomup_node node;

	if (!b)
		return -1;
	while (l->top.n && bottomup_next(b, &node)) {
		if (is_hidden(l, &node) || heaviest_is_passed(&l->top, node.weight)) {
			bottomup_skip(b);
		} else if (heaviest_add(&l->top, node.weight)) {
			bottomup_free(b);
			return error_memory(err);
		}
	}
	heaviest_close(&l->top);
	bottomup_free(b);
	return 0;
}

static void write_row(struct shortlist *l, const struct bottomup_node *node)
{
	static const char *const columns[] = {"depth", "weight",	 "outermost",
					      "name",  "weight_samples", NULL};

	rows_row(&l->rows, columns);
	rows_count(&l->rows, node->depth);
	rows_count(&l->rows, node->weight);
	rows_count(&l->rows, node->outermost);
	rows_name(&l->rows, l->in->tree->strings, node->name);
	rows_json_count(&l->rows, node->hits);
}

static void write_line(const struct shortlist *l, const struct bottomup_node *node)
{
	uint64_t whole = l->in->tree->total;

	if (l->in->options->of_parent && node->depth > 0)
		whole = l->weights[node->depth - 1];
	name_text_node(l->out, l->in->tree->strings,
		       &(struct name_text_node){
			       .first = weight_fraction(node->weight, whole),
			       .second = weight_fraction(node->outermost, whole),
			       .hits = node->hits,
			       .hits_width = weight_count_width(l->in->tree->hits),
			       .depth = node->depth,
			       .name = node->name,
			       .is_inline = node->is_inline,
		       });
}

static int write_node(struct shortlist *l, const struct bottomup_node *node)
{
	if (view_input_is_rows(l->in->options)) {
		write_row(l, node);
		return 0;
	}
	if (!array_reserve(&l->weights, &l->size, (size_t)node->depth + 1, sizeof(*l->weights)))
		return -1;
	l->weights[node->depth] = node->weight;
	write_line(l, node);
	return 0;
}

static int write_nodes(struct shortlist *l, struct error *err)
{
	struct bottomup *b = bottomup_new(l->in->tree, l->roots.list, l->roots.n, err);
	struct bottomup_node node;
	int status = 0;

	if (!b)
		return -1;
	l->footer = (struct footer){.what = "branch", .plural = "branches"};
	while (!status && bottomup_next(b, &node)) {
		if (is_hidden(l, &node)) {
			bottomup_skip(b);
		} else if (!heaviest_take(&l->top, node.weight)) {
			l->footer.beyond++;
			bottomup_skip(b);
		} else if (write_node(l, &node)) {
			status = error_memory(err);
		}
	}
	bottomup_free(b);
	return status;
}

static void write_roots(const struct shortlist *l)
{
	if (!l->roots.n)
		return;
	out_text(l->out, "root function: ");
	out_name_fit(l->out, l->roots.title, strlen(l->roots.title),
		     (int)strlen("root function: "));
	out_text(l->out, "\n");
}

static int write_tree(struct shortlist *l, struct error *err)
{
	int status;

	if (view_input_is_rows(l->in->options)) {
		rows_begin(&l->rows, l->out, "bottomup", l->in);
		status = write_nodes(l, err);
		rows_end(&l->rows);
		return status;
	}
	caption_write(l->out, "Bottom-Up Tree Profile", l->in);
	write_roots(l);
	caption_parent(l->out, l->in->options, "percentages are of the parent's weight");
	name_text_heading(l->out, "weight %", "outer %", weight_count_width(l->in->tree->hits));
	status = write_nodes(l, err);
	footer_write(l->out, &l->footer, l->in->options, l->threshold);
	return status;
}

static int emit(const struct view_input *in, struct out *o, struct error *err)
{
	struct shortlist l = {
		.in = in,
		.out = o,
		.threshold = view_input_threshold(in->options, TEXT_THRESHOLD),
		.top = {.n = in->options->top},
	};
	int status;

	if (compared(in))
		return compared_bottomup(in, o, err);
	if (side_by_side(in))
		return side_by_side_bottomup(in, o, TEXT_THRESHOLD, err);
	if (in->options->root && function_names_of_tree(&l.roots, in->tree, in->options->root, err))
		return -1;
	status = weigh_nodes(&l, err);
	if (!status)
		status = write_tree(&l, err);
	function_names_free(&l.roots);
	heaviest_free(&l.top);
	free(l.weights);
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
