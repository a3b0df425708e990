/* SPDX-License-Identifier: MIT */
/*
 * view_callpath.c - the downward or upward call path profile (Hall & Goldberg, section 4).
 *
 * In: struct tree and a root function. Out: call paths by weight, in the paper's format.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "graph/function_names.h"
#include "tree/callpath.h"
#include "view/compared.h"
#include "view/recurring_paths.h"
#include "view/side_by_side.h"
#include "view/view.h"
#include "write/caption.h"
#include "write/footer.h"
#include "write/name_list.h"
#include "write/path_text.h"
#include "write/rows.h"
#include "write/weight.h"

#define TEXT_THRESHOLD 1.0

struct shortlist {
	const struct callpaths *paths;
	const struct view_options *options;
	uint32_t *names; /* has room for the names of the longest path */
	const struct function_names *roots;
	bool is_rows; /* the output is rows for programs */
	/* On a terminal: paths that a longer one explains, with the same weight. */
	bool *explained;
	struct rows rows;
	struct out *out;
};

static int shortlist_begin(struct shortlist *l, const struct callpaths *c,
			   const struct view_options *options, struct out *o)
{
	uint32_t longest_path = 0;
	size_t i;

	for (i = 1; i < c->n_paths; i++)
		if (c->paths[i].length > longest_path)
			longest_path = c->paths[i].length;
	l->paths = c;
	l->options = options;
	l->out = o;
	l->names = malloc((longest_path + 1) * sizeof(*l->names));
	return l->names ? 0 : -1;
}

/* Returns the path's fraction of all samples, or with --percent parent, of the parent path, which
 * lacks the name that is farthest from the root function. */
static double fraction(const struct shortlist *l, const struct callpath *path)
{
	const struct callpaths *c = l->paths;

	if (l->options->of_parent && path->parent != 0)
		return weight_fraction(path->weight, c->paths[path->parent].weight);
	return weight_fraction(path->weight, c->tree->total);
}

/* A path that goes on with the same weight is in the longer path's line. */
static int find_explained(struct shortlist *l)
{
	const struct callpaths *c = l->paths;
	size_t i;

	if (!out_width(l->out) || l->is_rows || l->options->of_parent)
		return 0;
	l->explained = calloc(c->n_paths + 1, sizeof(*l->explained));
	for (i = 1; l->explained && i < c->n_paths; i++) {
		const struct callpath *path = &c->paths[i];
		bool is_long = l->options->depth && path->length > l->options->depth;

		if (!is_long && path->weight == c->paths[path->parent].weight)
			l->explained[path->parent] = true;
	}
	return l->explained ? 0 : -1;
}

/* The paper prints five decimals downward and four upward. */
static void write_line(const struct shortlist *l, uint32_t number)
{
	const struct callpath *path = &l->paths->paths[number];
	int digits = l->paths->up ? 4 : 5;
	char end[32];

	snprintf(end, sizeof(end), ") [%" PRIu64 "]", path->hits);
	out_format(l->out, "%.*f ", digits, fraction(l, path));
	callpath_names(l->paths, number, l->names);
	path_text_write(l->out, l->paths->tree->strings, l->names, path->length, end, digits + 3);
	out_text(l->out, "\n");
}

static void write_row(struct shortlist *l, uint32_t number)
{
	static const char *const of_whole[] = {"total", "total_fraction", "path", "total_samples",
					       NULL};
	static const char *const of_parent[] = {"total", "parent_fraction", "path", "total_samples",
						NULL};
	const struct callpath *path = &l->paths->paths[number];
	const struct tree *t = l->paths->tree;
	uint32_t i;

	rows_row(&l->rows, l->options->of_parent ? of_parent : of_whole);
	rows_count(&l->rows, path->weight);
	rows_fraction(&l->rows, fraction(l, path));
	callpath_names(l->paths, number, l->names);
	rows_path_begin(&l->rows);
	for (i = 0; i < path->length; i++)
		rows_path_name(&l->rows, t->strings, l->names[i]);
	rows_path_end(&l->rows);
	rows_json_count(&l->rows, path->hits);
}

/* Paths are sorted by weight, so that the first one below the threshold ends the profile. */
static struct footer write_paths(struct shortlist *l, double threshold)
{
	const struct callpaths *c = l->paths;
	const struct view_options *options = l->options;
	struct footer footer = {.what = "call path"};
	uint64_t shown = 0;
	size_t i;

	for (i = 0; i + 1 < c->n_paths; i++) {
		const struct callpath *path = &c->paths[c->order[i]];

		if (weight_below(path->weight, c->tree->total, threshold)) {
			footer.small = c->n_paths - 1 - i;
			break;
		}
		if (l->explained && l->explained[c->order[i]]) {
			continue;
		} else if (options->depth && path->length > options->depth) {
			footer.deep++;
		} else if (options->top && shown == options->top) {
			footer.beyond++;
		} else {
			if (l->is_rows)
				write_row(l, c->order[i]);
			else
				write_line(l, c->order[i]);
			shown++;
		}
	}
	return footer;
}

/* Returns the weight of the stacks that contain no root function. */
static uint64_t without_roots(const struct shortlist *l)
{
	const struct tree *t = l->paths->tree;
	uint64_t rest = t->nodes[0].total;
	size_t i = 1;

	while (i < t->n_nodes) {
		bool is_root = function_names_has(l->roots, t->nodes[i].name);

		rest -= is_root ? t->nodes[i].total : 0;
		i = is_root ? t->nodes[i].end : i + 1;
	}
	return rest;
}

/* Without --root, the default root is main. Because the user did not choose it, say what it leaves
 * out: for example the stacks of threads, which do not contain main. */
static void write_rest(const struct shortlist *l, double threshold)
{
	const struct tree *t = l->paths->tree;
	uint64_t rest = l->options->root || l->roots->n == 0 ? 0 : without_roots(l);
	struct out_mark begin = out_mark(l->out);
	size_t n;
	const char *name;

	if (rest == 0 || weight_below(rest, t->total, threshold))
		return;
	name = strings_shown(t->strings, l->roots->list[0], &n);
	out_format(l->out, "not shown: %.2f %% of all, in stacks without ",
		   100 * weight_fraction(rest, t->total));
	name_list_write(l->out, name, n);
	out_text(l->out, "; --root chooses others\n");
	out_fold(l->out, begin);
}

static void write_profile(const struct view_input *in, struct shortlist *l)
{
	double threshold = view_input_threshold(in->options, TEXT_THRESHOLD);
	struct footer footer;

	if (view_input_is_rows(in->options)) {
		l->is_rows = true;
		rows_begin(&l->rows, l->out, "callpath", in);
		write_paths(l, threshold);
		rows_end(&l->rows);
		return;
	}
	caption_write(l->out,
		      l->paths->up ? "Upward Call Path Profile" : "Downward Call Path Profile", in);
	caption_parent(l->out, in->options, "fractions are of the parent path");
	out_text(l->out, "format: usage_fraction (call_path) [#raw_samples]\n");
	caption_rule(l->out);
	footer = write_paths(l, threshold);
	footer_write(l->out, &footer, in->options, threshold);
	if (l->paths->is_cut)
		out_format(l->out, "not shown: call paths of more than %" PRIu64 " functions\n",
			   in->options->depth);
	write_rest(l, threshold);
}

static int list(const struct view_input *in, const struct callpaths *c,
		const struct function_names *roots, struct out *o, struct error *err)
{
	struct shortlist l = {.roots = roots, .is_rows = view_input_is_rows(in->options)};
	int status = 0;

	if (shortlist_begin(&l, c, in->options, o))
		status = error_memory(err);
	else if (find_explained(&l))
		status = error_memory(err);
	else
		write_profile(in, &l);
	free(l.explained);
	free(l.names);
	return status;
}

static int emit(const struct view_input *in, struct out *o, struct error *err)
{
	const struct tree *t = in->tree;
	const struct view_options *options = in->options;
	const struct callpath_limits limits = {options->depth, CALLPATH_UP_MOST};
	struct function_names roots;
	struct callpaths *c;
	int status;

	if (recurring_paths_are_meant(options))
		return recurring_paths(in, o, TEXT_THRESHOLD, err);
	if (compared(in))
		return compared_callpath(in, o, err);
	if (side_by_side(in))
		return side_by_side_callpath(in, o, TEXT_THRESHOLD, err);
	status = options->root ? function_names_of_tree(&roots, t, options->root, err)
			       : function_names_default(&roots, t, err);
	if (status)
		return -1;
	c = options->up ? callpath_up(t, roots.list, roots.n, &limits, err)
			: callpath_down(t, roots.list, roots.n, err);
	status = c ? list(in, c, &roots, o, err) : -1;
	function_names_free(&roots);
	callpath_free(c);
	return status;
}

const struct view view_callpath = {
	.name = "callpath",
	.help = "call paths from a root function, by usage (--root)",
	.fits_screen = true,
	.needs = VIEW_NEEDS_TREE,
	.has_rows = true,
	.has_base = true,
	.has_columns = true,
	.options = VIEW_OPTIONS("root", "up", "threshold", "depth", "percent"),
	.commands = {{.name = "down",
		      .argument = VIEW_ARGUMENT_FUNCTION,
		      .help = "what the calls below a function cost, path by path"},
		     {.name = "up",
		      .argument = VIEW_ARGUMENT_FUNCTION,
		      .is_needed = true,
		      .option = "up",
		      .help = "on which call paths a function's cost arises"}},
	.emit = emit,
};
