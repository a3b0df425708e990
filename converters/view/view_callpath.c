/* SPDX-License-Identifier: MIT */
/*
 * view_callpath.c - the downward or upward call path profile (Hall & Goldberg, section 4), and the
 * sequences of calls that recur under several callers.
 *
 * In: struct tree and a root function. Out: call paths by weight, in the paper's format.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "graph/function_names.h"
#include "tree/callpath.h"
#include "tree/recurring.h"
#include "view/view.h"
#include "write/caption.h"
#include "write/name_list.h"
#include "write/path_text.h"
#include "write/table.h"
#include "write/weight.h"

#define TEXT_THRESHOLD 1.0

/* The trees of all columns have the same nodes, and so the same paths with the same numbers. Part i is path i + 1,
 * because path 0 is none. */
struct paths {
	const struct view_input *in;
	struct function_names roots;
	struct callpaths *first;
	uint32_t *order, *depths, *parents; /* by part */
	bool *is_said;	 /* by part, on a terminal: a longer path has the same weight */
	uint32_t *names; /* room for the longest path */
	uint32_t *
		lines; /* by path, on a terminal: how many lines there are of it and of longer ones; or NULL */
	unsigned char *keep; /* likewise: enum path_text_keep */
	uint32_t *uses; /* by name: how many lines of an upward profile it stands for (find_own) */
	bool recurs;	/* a line ends with a function that it has already */
};

static struct callpaths *find_paths(const struct paths *p, const struct tree *t, struct error *err)
{
	const struct view_options *options = p->in->options;
	const struct callpath_limits limits = {options->depth, CALLPATH_UP_MOST};

	return options->up ? callpath_up(t, p->roots.list, p->roots.n, &limits, err)
			   : callpath_down(t, p->roots.list, p->roots.n, err);
}

static int weigh(void *context, const struct tree *t, uint64_t *weights, struct error *err)
{
	const struct paths *p = context;
	bool is_first = t == p->in->tree;
	struct callpaths *c = is_first ? p->first : find_paths(p, t, err);

	for (size_t i = 0; c && i + 1 < p->first->n_paths; i++)
		weights[i] = c->paths[i + 1].weight;
	if (!is_first)
		callpath_free(c);
	return c ? 0 : -1;
}

/* A path that goes on with the same weight is in the longer path's line. */
static void find_said(const struct paths *p)
{
	const struct callpaths *c = p->first;
	uint64_t depth = p->in->options->depth;

	for (size_t i = 1; i < c->n_paths; i++) {
		const struct callpath *path = &c->paths[i];
		bool is_long = depth && path->length > depth;

		if (!is_long && path->parent && path->weight == c->paths[path->parent].weight)
			p->is_said[path->parent - 1] = true;
	}
}

static bool is_line(const struct paths *p, uint32_t path)
{
	const struct view_options *options = p->in->options;
	const struct callpath *its = &p->first->paths[path];

	return !p->is_said[path - 1] && !(options->depth && its->length > options->depth) &&
	       !weight_below(its->weight, p->in->tree->total,
			     view_input_threshold(options, TEXT_THRESHOLD));
}

/* Whether other lines go on otherwise here, or end. */
static bool is_fork(const struct paths *p, uint32_t path)
{
	return p->lines[p->first->paths[path].parent] > p->lines[path];
}

/* The function of the program that is nearest to the root function of an upward path, of those that no other line has as
 * a part of its path; 0: there is none. */
static uint32_t find_own(const struct paths *p, uint32_t path)
{
	const struct callpath *paths = p->first->paths;
	const struct tree *t = p->in->tree;
	uint32_t own = 0, name;

	for (bool is_alone = true; path && is_alone; path = paths[path].parent) {
		name = paths[path].name;
		if (tree_origin(t, name) != TREE_OF_SYSTEM &&
		    (!own || tree_origin(t, name) >= tree_origin(t, paths[own].name)))
			own = path;
		is_alone = !is_fork(p, path);
	}
	return own;
}

/* Count the lines of each path and of the paths that go on from it. */
static int count_lines(struct paths *p, struct error *err)
{
	const struct callpaths *c = p->first;
	uint64_t top = p->in->options->top ? p->in->options->top : UINT64_MAX, n = 0;
	uint32_t own;

	p->lines = calloc(c->n_paths, sizeof(*p->lines));
	p->uses = calloc(strings_count(p->in->tree->strings) + 1, sizeof(*p->uses));
	if (!p->lines || !p->uses)
		return error_memory(err);
	for (size_t i = 0; i + 1 < c->n_paths && n < top; i++)
		if (is_line(p, c->order[i]))
			n += ++p->lines[c->order[i]];
	for (size_t i = c->n_paths; i-- > 1;)
		p->lines[c->paths[i].parent] += p->lines[i];
	for (size_t i = 0; c->up && i + 1 < c->n_paths && n > 0; i++)
		if (is_line(p, c->order[i])) {
			own = find_own(p, c->order[i]);
			if (own)
				p->uses[c->paths[own].name]++;
			n--;
		}
	return 0;
}

/* Which names of a downward path tell it from those of other lines, and which are of the program: of these the innermost one is
 * needed, if the path ends in a library. Where a function of a library tells, the nearest one of the program that it calls in the
 * end does instead, unless lines fork before, or it is the last one. */
static void find_telling_down(const struct paths *p, uint32_t path)
{
	const struct callpath *paths = p->first->paths;
	const struct tree *t = p->in->tree;
	enum tree_origin best = TREE_OF_SYSTEM;
	uint32_t last = path, own = 0, needed = 0;

	for (uint32_t i = path; i; i = paths[i].parent)
		if (tree_origin(t, paths[i].name) > best && tree_is_function(t, paths[i].name))
			best = tree_origin(t, paths[i].name);
	for (; path; path = paths[path].parent) {
		bool is_own = best != TREE_OF_SYSTEM && tree_origin(t, paths[path].name) == best &&
			      tree_is_function(t, paths[path].name);
		unsigned char *keep = &p->keep[paths[path].length - 1];

		*keep = is_own ? PATH_TEXT_OWN : PATH_TEXT_REST;
		own = is_own && path != last ? path : own;
		needed = is_own && !needed ? path : needed;
		if (!is_fork(p, path))
			continue;
		*keep = own ? *keep : PATH_TEXT_TELLING;
		if (own)
			p->keep[paths[own].length - 1] = PATH_TEXT_TELLING;
		own = 0;
	}
	if (needed && needed != last)
		p->keep[paths[needed].length - 1] = PATH_TEXT_NEEDED;
}

/* Which names of an upward path do. If a function of the program does, none of a library is needed. */
static void find_telling_up(const struct paths *p, uint32_t path)
{
	const struct callpath *paths = p->first->paths;
	uint32_t length = paths[path].length, own = find_own(p, path);
	bool has_own = own && p->uses[paths[own].name] == 1;

	if (own == path && !has_own)
		own = 0;
	for (bool is_first = true; path; path = paths[path].parent) {
		bool is_telling = is_fork(p, path) && !(is_first && has_own);

		is_first = is_first && !is_fork(p, path);
		p->keep[length - paths[path].length] =
			is_telling || path == own ? PATH_TEXT_TELLING : PATH_TEXT_REST;
	}
}

static int prepare(struct paths *p, struct error *err)
{
	const struct callpaths *c = p->first = find_paths(p, p->in->tree, err);
	uint32_t longest = 0;

	if (!c)
		return -1;
	p->order = calloc(c->n_paths, sizeof(*p->order));
	p->depths = calloc(c->n_paths, sizeof(*p->depths));
	p->parents = calloc(c->n_paths, sizeof(*p->parents));
	p->is_said = calloc(c->n_paths, sizeof(*p->is_said));
	if (!p->order || !p->depths || !p->parents || !p->is_said)
		return error_memory(err);
	for (size_t i = 0; i + 1 < c->n_paths; i++) {
		const struct callpath *path = &c->paths[i + 1];

		p->order[i] = c->order[i] - 1;
		p->depths[i] = path->length - 1;
		p->parents[i] = path->parent ? path->parent - 1 : TABLE_NO_PART;
		longest = path->length > longest ? path->length : longest;
	}
	p->names = calloc((size_t)longest + 1, sizeof(*p->names));
	p->keep = calloc((size_t)longest + 1, sizeof(*p->keep));
	return p->names && p->keep ? 0 : error_memory(err);
}

static int describe(void *context, uint32_t part, struct table_row *row, struct error *err)
{
	struct paths *p = context;
	const struct callpath *path = &p->first->paths[part + 1];

	(void)err;
	callpath_names(p->first, part + 1, p->names);
	for (uint32_t i = 0; !p->first->up && i + 1 < path->length; i++)
		p->recurs |= p->names[i] == path->name;
	row->path = p->names;
	row->length = path->length;
	row->is_up = p->first->up;
	if (p->lines) {
		if (p->first->up)
			find_telling_up(p, part + 1);
		else
			find_telling_down(p, part + 1);
		row->keep = p->keep;
	}
	row->values[0] = path->weight;
	row->values[1] = path->hits;
	snprintf(row->suffix, sizeof(row->suffix), " [%" PRIu64 "]", path->hits);
	return 0;
}

/* Returns the weight of the stacks that contain no root function. */
static uint64_t without_roots(const struct paths *p)
{
	const struct tree *t = p->in->tree;
	uint64_t rest = t->nodes[0].total;
	size_t i = 1;

	while (i < t->n_nodes) {
		bool is_root = function_names_has(&p->roots, t->nodes[i].name);

		rest -= is_root ? t->nodes[i].total : 0;
		i = is_root ? t->nodes[i].end : i + 1;
	}
	return rest;
}

/* Without --root, the default root is main. Because the user did not choose it, say what it leaves
 * out: for example the stacks of threads, which do not contain main. */
static void write_rest(const struct table *table, const struct paths *p)
{
	const struct tree *t = p->in->tree;
	uint64_t rest = p->in->options->root || p->roots.n == 0 ? 0 : without_roots(p);
	size_t n;
	const char *name;

	if (rest == 0 || weight_below(rest, t->total, table->threshold))
		return;
	name = strings_shown(t->strings, p->roots.list[0], &n);
	out_format(table->out, "not shown: %.2f %% of all, in stacks without ",
		   100 * weight_fraction(rest, t->total));
	name_list_write(table->out, name, n);
	out_text(table->out, "; --root chooses others\n");
}

static int write_below(struct table *t, void *context, struct error *err)
{
	const struct paths *p = context;

	(void)err;
	if (t->is_rows)
		return 0;
	if (p->first->is_cut)
		out_format(t->out, "not shown: call paths of more than %" PRIu64 " functions\n",
			   t->in->options->depth);
	if (p->recurs && out_width(t->out))
		caption_text(
			t->out,
			"a path such as (f g f) is a recursion of any depth, whose calls "
			"go on from the first f;\na stack counts in each of its paths, so that "
			"paths below one may have the same usage\n");
	write_rest(t, p);
	return 0;
}

static int show(struct paths *p, struct out *o, struct error *err)
{
	const struct view_options *options = p->in->options;
	bool is_one = table_shape(p->in) == TABLE_ONE;
	/* The paper prints five decimals downward and four upward. */
	const struct table_column columns[] = {
		TABLE_COLUMN("total", NULL, COUNT, 0),
		TABLE_COLUMN(options->of_parent ? "parent_fraction" : "total_fraction", "",
			     FRACTION, 0, .width = options->up ? 4 : 5),
		TABLE_COLUMN("path", "", LABEL, 0),
		TABLE_COLUMN("total_samples", NULL, SAMPLES, 1),
		{0},
	};
	const struct table_about about = {
		.view = "callpath",
		.title = options->up ? "Upward Call Path Profile" : "Downward Call Path Profile",
		.what = "call path",
		.label = TABLE_PATH,
		.text_threshold = TEXT_THRESHOLD,
		.columns = columns,
		.format = profile_is_measured(p->in->profile)
				  ? "format: usage_fraction (call_path) [#contexts]\n"
				  : "format: usage_fraction (call_path) [#raw_samples]\n",
		.last = "(call_path)",
		.of_parent = is_one ? "fractions are of the parent path"
				    : "percentages are of the parent path",
		.below = write_below,
		.describe = describe,
		.context = p,
	};
	struct table_parts parts;
	int status = prepare(p, err);

	if (status)
		return -1;
	if (is_one && out_width(o) && !view_input_is_rows(options)) {
		if (!options->of_parent)
			find_said(p);
		if (count_lines(p, err))
			return -1;
	}
	parts = (struct table_parts){
		.n = p->first->n_paths - 1,
		.measure = {weigh, p},
		.order = p->order,
		.depths = p->depths,
		.parents = p->parents,
		.is_said = p->is_said,
	};
	return table_parts(p->in, o, &about, &parts, err);
}

/* ---- what recurs ------------------------------------------------------------------------------ */

struct recurrences {
	struct recurring *found;
	uint32_t *order; /* as they are found: by weight */
	uint32_t *names; /* has room for the names of the longest sequence */
};

static int weigh_sequences(void *context, const struct tree *t, uint64_t *weights,
			   struct error *err)
{
	const struct recurrences *r = context;

	(void)t;
	(void)err;
	for (size_t i = 0; i < r->found->n; i++)
		weights[i] = r->found->list[i].weight;
	return 0;
}

static int describe_sequence(void *context, uint32_t part, struct table_row *row, struct error *err)
{
	const struct recurrences *r = context;
	const struct recurring_sequence *s = &r->found->list[part];

	(void)err;
	recurring_names(r->found, s, r->names);
	row->path = r->names;
	row->length = s->length;
	row->values[0] = s->weight;
	row->values[1] = s->hits;
	row->values[2] = s->callers;
	snprintf(row->suffix, sizeof(row->suffix), " [%" PRIu64 "] %" PRIu32 " callers", s->hits,
		 s->callers);
	return 0;
}

static void write_meaning(struct table *t, void *context)
{
	(void)context;
	if (!t->is_rows)
		caption_text(
			t->out,
			"calls that several functions make, none of them nine tenths; without "
			"those that\na longer path with nine tenths of their usage explains\n");
}

/* What to do with a line. */
static int write_hint(struct table *t, void *context, struct error *err)
{
	const struct recurrences *r = context;

	(void)err;
	if (t->is_rows)
		return 0;
	out_text(t->out, r->found->n ? "who makes these calls: --callpath --up --root NAME, or "
				       "--bottomup --root NAME\n"
				     : "no sequence of calls recurs: each has one caller that "
				       "makes nine tenths of it\n");
	return 0;
}

static int show_sequences(const struct view_input *in, struct out *o, struct recurrences *r,
			  struct error *err)
{
	static const struct table_column columns[] = {
		TABLE_COLUMN("total", NULL, COUNT, 0),
		TABLE_COLUMN("total_fraction", "", FRACTION, 0, .width = 5),
		TABLE_COLUMN("path", "", LABEL, 0),
		TABLE_COLUMN("callers", NULL, COUNT, 2),
		TABLE_COLUMN("total_samples", NULL, SAMPLES, 1),
		{0},
	};
	const struct table_about about = {
		.view = "callpath",
		.title = "Recurring Call Path Profile",
		.what = "call path",
		.label = TABLE_PATH,
		.text_threshold = TEXT_THRESHOLD,
		.columns = columns,
		.format = profile_is_measured(in->profile)
				  ? "format: usage_fraction (call_path) [#contexts] #callers\n"
				  : "format: usage_fraction (call_path) [#raw_samples] #callers\n",
		.above = write_meaning,
		.below = write_hint,
		.describe = describe_sequence,
		.context = r,
	};
	struct table_parts parts = {.n = r->found->n, .measure = {weigh_sequences, r}};
	uint32_t longest = 0;

	r->order = calloc(parts.n + 1, sizeof(*r->order));
	for (size_t i = 0; r->order && i < parts.n; i++) {
		r->order[i] = (uint32_t)i;
		if (r->found->list[i].length > longest)
			longest = r->found->list[i].length;
	}
	r->names = calloc((size_t)longest + 1, sizeof(*r->names));
	parts.order = r->order;
	return r->order && r->names ? table_parts(in, o, &about, &parts, err) : error_memory(err);
}

/* Options whose meaning needs one root function, or one column of weights: what recurs in one need not in another. */
static int check_recurring(const struct view_input *in, struct error *err)
{
	if (in->options->up)
		return error_usage(err, "--up needs a function: --root '*' lists what recurs under "
					"several callers, from wherever it begins");
	if (in->options->of_parent)
		return error_usage(err, "--percent parent: with --root '*' a path has no parent");
	if (table_shape(in) == TABLE_COMPARED)
		return error_usage(err, "--base: --root '*' lists what recurs in one profile; "
					"compare with --callpath --root NAME");
	if (table_shape(in) == TABLE_SEVERAL)
		return error_usage(err, "--root '*' shows one resource; choose it by --resource");
	return 0;
}

static int emit_recurring(const struct view_input *in, struct out *o, struct error *err)
{
	struct recurrences r = {0};
	int status = check_recurring(in, err);

	if (!status)
		r.found = recurring_find(in->tree, in->options->depth, err);
	status = r.found ? show_sequences(in, o, &r, err) : -1;
	recurring_free(r.found);
	free(r.order);
	free(r.names);
	return status;
}

/* ---- the view -------------------------------------------------------------------------------- */

static int emit(const struct view_input *in, struct out *o, struct error *err)
{
	const char *root = in->options->root;
	struct paths p = {.in = in};
	int status;

	if (root && strcmp(root, "*") == 0)
		return emit_recurring(in, o, err);
	status = root ? function_names_of_tree(&p.roots, in->tree, root, err)
		      : function_names_default(&p.roots, in->tree, err);
	if (status)
		return -1;
	status = show(&p, o, err);
	callpath_free(p.first);
	function_names_free(&p.roots);
	free(p.order);
	free(p.depths);
	free(p.parents);
	free(p.is_said);
	free(p.names);
	free(p.lines);
	free(p.uses);
	free(p.keep);
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
	.ignores = VIEW_OPTIONS("by"), /* groups are above main; with --root they can be named */
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
