/* SPDX-License-Identifier: MIT */
/*
 * view_functions.c - the flat profile (Naganov, "flat view"), the function profile and the body
 * profile (Hall & Goldberg, sections 4.4, 5.2).
 *
 * In: struct tree, or a call graph without stacks. Out: functions by self, or by total.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "graph/call_counts.h"
#include "tree/callpath.h"
#include "view/view.h"
#include "write/caption.h"
#include "write/table.h"

/* All columns have the same functions in the same order. Parts are numbered in the order of their names. */
struct functions {
	const struct view_input *in;
	struct tree_function *list; /* of the first column */
	uint32_t *place;	    /* by part: its index in the list */
	uint32_t *order;	    /* of the parts */
	size_t n;
	bool by_total;	     /* weights are totals, not selfs */
	bool is_flat;	     /* both weights sort the rows of one profile */
	bool is_total_first; /* of them the total is the first */
	bool is_marked;	     /* a row has the mark */
	bool leaves_starts;  /* on a narrow terminal, what only leads to main has no row */
	bool *is_start;	     /* by part: it is such a function; or NULL */
	size_t n_starts;
	struct call_counts counts; /* without names if there are none */
	bool *is_group;		   /* by part: it is a group of --by; or NULL */
};

enum { SELF, TOTAL, SELF_HITS, HITS, CALLS };

#define CALLS_WIDTH	  12
#define WIDE		  80  /* columns of a terminal that has room for all functions */
#define SELF_CONSIDERABLE 1.0 /* percent */
#define NEARLY_ALL	  99.0

/* ---- the list -------------------------------------------------------------------------------- */

static int compare_names(const void *a, const void *b, void *context)
{
	const struct functions *f = context;

	return strings_compare(f->in->profile->strings, f->list[*(const uint32_t *)a].name,
			       f->list[*(const uint32_t *)b].name);
}

/* By self and then total, or the other way round. */
static int compare_parts(const void *a, const void *b, void *context)
{
	const struct functions *f = context;
	uint32_t i = *(const uint32_t *)a, k = *(const uint32_t *)b;
	const struct tree_function *x = &f->list[f->place[i]], *y = &f->list[f->place[k]];
	uint64_t x_first = f->is_total_first ? x->total : x->self;
	uint64_t y_first = f->is_total_first ? y->total : y->self;
	uint64_t x_then = f->is_total_first ? x->self : x->total;
	uint64_t y_then = f->is_total_first ? y->self : y->total;

	if (x_first != y_first)
		return x_first < y_first ? 1 : -1;
	if (x_then != y_then)
		return x_then < y_then ? 1 : -1;
	return (i > k) - (i < k);
}

/* Calls are counted, or read, or neither. For programs what was called and never sampled has a row, too. */
static int count_calls(struct functions *f, size_t *n, struct error *err)
{
	const struct view_input *in = f->in;
	struct tree_function *more;
	size_t room = *n;
	bool *is_there;

	if (table_shape(in) != TABLE_ONE)
		return 0;
	if (!in->calls)
		return in->graph && in->graph->has_calls
			       ? call_counts_of_graph(&f->counts, in->graph, err)
			       : 0;
	if (call_counts_build(&f->counts, in->calls, err))
		return -1;
	if (!view_input_is_rows(in->options) || f->is_flat)
		return 0;
	more = realloc(f->list, (*n + f->counts.n_names + 1) * sizeof(*more));
	is_there = calloc(f->counts.n_names + 1, sizeof(*is_there));
	f->list = more ? more : f->list;
	for (size_t i = 0; more && is_there && i < room; i++)
		is_there[more[i].name] = true;
	for (uint32_t i = 0; more && is_there && i < f->counts.n_names; i++)
		if (f->counts.is_known[i] && !is_there[i])
			more[(*n)++] = (struct tree_function){.name = i};
	free(is_there);
	return more && is_there ? 0 : error_memory(err);
}

/* List all functions, or only those that were running. */
static int list_functions(struct functions *f, bool only_innermost, struct error *err)
{
	size_t n;

	f->list = view_input_functions(f->in, &n, err);
	if (!f->list || count_calls(f, &n, err))
		return -1;
	f->place = calloc(n + 1, sizeof(*f->place));
	f->order = calloc(n + 1, sizeof(*f->order));
	if (!f->place || !f->order)
		return error_memory(err);
	for (size_t i = 0; i < n; i++)
		if (!only_innermost || f->list[i].is_innermost)
			f->place[f->n++] = (uint32_t)i;
	qsort_r(f->place, f->n, sizeof(*f->place), compare_names, f);
	for (size_t i = 0; i < f->n; i++)
		f->order[i] = (uint32_t)i;
	qsort_r(f->order, f->n, sizeof(*f->order), compare_parts, f);
	return 0;
}

static int weigh(void *context, const struct tree *t, uint64_t *weights, struct error *err)
{
	const struct functions *f = context;
	bool is_first = t == f->in->tree;
	size_t n;
	struct tree_function *list =
		is_first ? f->list : view_input_functions_of(f->in, t, &n, err);

	for (size_t i = 0; list && i < f->n; i++)
		weights[i] = f->by_total ? list[f->place[i]].total : list[f->place[i]].self;
	if (!is_first)
		free(list);
	return list ? 0 : -1;
}

/* Naganov: such a function does all its work itself, so that it is the one to be made faster. */
static bool does_all_itself(const struct tree_function *f)
{
	return f->self && (unsigned __int128)f->self * 10 >= (unsigned __int128)f->total * 9;
}

static int describe(void *context, uint32_t part, struct table_row *row, struct error *err)
{
	struct functions *f = context;
	const struct tree_function *function = &f->list[f->place[part]];

	(void)err;
	row->name = function->name;
	row->is_inline = function->is_inline;
	row->values[SELF] = function->self;
	row->values[TOTAL] = function->total;
	row->values[SELF_HITS] = function->self_hits;
	row->values[HITS] = function->hits;
	row->has_calls = call_counts_knows(&f->counts, function->name);
	row->values[CALLS] = row->has_calls ? f->counts.calls[function->name] : 0;
	row->mark = does_all_itself(function) ? '=' : ' ';
	f->is_marked |= row->mark == '=';
	return 0;
}

/* Whether the function has all and uses next to nothing itself: from _start to main. */
static bool only_leads(const struct functions *f, const struct tree_function *function)
{
	const struct tree *t = f->in->tree;
	enum callpath_start start = callpath_start_of(t->strings, function->name);

	return start != CALLPATH_NO_START &&
	       weight_below(function->self, t->total, SELF_CONSIDERABLE) &&
	       (start == CALLPATH_ABOVE_MAIN ||
		!weight_below(function->total, t->total, NEARLY_ALL));
}

/* There is little room for what says nothing, if nobody asks for it. */
static int find_starts(struct functions *f, const struct out *o, struct error *err)
{
	if (!out_width(o) || out_width(o) >= WIDE || !f->in->tree || f->in->options->root ||
	    view_input_is_rows(f->in->options) || table_shape(f->in) != TABLE_ONE)
		return 0;
	f->is_start = calloc(f->n + 1, sizeof(*f->is_start));
	if (!f->is_start)
		return error_memory(err);
	for (size_t i = 0; i < f->n; i++) {
		f->is_start[i] = only_leads(f, &f->list[f->place[i]]);
		f->n_starts += f->is_start[i];
	}
	return 0;
}

static int write_starts(struct table *t, void *context, struct error *err)
{
	const struct functions *f = context;
	const char *first = "main", *last = "main";

	(void)err;
	if (!f->n_starts)
		return 0;
	for (size_t i = 0; i < f->n; i++) {
		const char *name =
			strings_shown(f->in->tree->strings, f->list[f->place[i]].name, NULL);

		if (f->is_start[i] && !strcmp(name, "_start"))
			first = name;
	}
	out_format(t->out,
		   "not shown: %zu function%s from %s to %s, which only lead%s to the rest "
		   "(--root %s shows %s)\n",
		   f->n_starts, f->n_starts == 1 ? "" : "s", first, last,
		   f->n_starts == 1 ? "s" : "", first, f->n_starts == 1 ? "it" : "them");
	return 0;
}

/* What stacks are grouped by has no self, and so none of the heaviest rows. */
static int find_groups(struct functions *f, struct error *err)
{
	const struct profile *p = f->in->profile;
	bool *named;

	if (!p->by || !f->in->tree)
		return 0;
	named = calloc(strings_count(p->strings) + 1, sizeof(*named));
	f->is_group = calloc(f->n + 1, sizeof(*f->is_group));
	for (size_t i = 1; named && i < p->n_nodes; i++)
		if (profile_is_group(p, i))
			named[p->frames[p->nodes[i].frame].name] = true;
	for (size_t i = 0; named && f->is_group && i < f->n; i++)
		f->is_group[i] = named[f->list[f->place[i]].name];
	free(named);
	return named && f->is_group ? 0 : error_memory(err);
}

static int show(struct functions *f, struct out *o, struct table_about *about, bool only_innermost,
		struct error *err)
{
	int status = list_functions(f, only_innermost, err);
	struct table_parts parts = {
		.n = f->n,
		.measure = {weigh, f},
		.order = f->is_flat && table_shape(f->in) == TABLE_ONE ? f->order : NULL,
	};

	about->what = "function";
	about->label = TABLE_NAME;
	about->describe = about->describe ? about->describe : describe;
	about->context = f;
	about->has_looks = about->has_numbers = about->hides_nil = true;
	if (!status && f->leaves_starts)
		status = find_starts(f, o, err);
	if (!status && f->is_flat)
		status = find_groups(f, err);
	parts.is_said = f->is_start;
	parts.is_apart = f->is_group;
	if (!status)
		status = table_parts(f->in, o, about, &parts, err);
	free(f->is_start);
	free(f->is_group);
	free(f->list);
	free(f->place);
	free(f->order);
	call_counts_free(&f->counts);
	return status;
}

/* ---- the flat profile ------------------------------------------------------------------------ */

static void write_totals(struct table *t, void *context)
{
	(void)context;
	if (t->is_rows)
		return;
	caption_totals(t->out, t->in);
	caption_calls(t->out, t->in);
}

static void write_self(struct table *t, void *context)
{
	write_totals(t, context);
	if (t->is_rows)
		return;
	caption_self(t->out, t->in);
	caption_libraries(t->out, t->in);
	caption_generated(t->out, t->in);
}

/* What the mark means, if a row has it. */
static int write_legend(struct table *t, void *context, struct error *err)
{
	const struct functions *f = context;

	(void)err;
	if (f->is_marked && !t->is_rows)
		caption_text(
			t->out,
			view_input_is_of_program(t->in)
				? "= self is nine tenths of the total or more: no other function "
				  "of the program is\n  below it\n"
				: "= self is nine tenths of the total or more: it does the work "
				  "itself\n");
	return 0;
}

/* What was counted, as callgrind does, has no samples. */
static int samples_width(const struct profile *p)
{
	return p->given_calls && p->given_calls->has_inclusive ? -1 : weight_count_width(p->hits);
}

static int write_flat(const struct view_input *in, struct out *o, struct error *err)
{
	const struct table_column columns[] = {
		TABLE_COLUMN("self", NULL, COUNT, SELF),
		TABLE_COLUMN("total", NULL, COUNT, TOTAL),
		TABLE_COLUMN("self_fraction", "self %", SHARE, SELF),
		TABLE_COLUMN("total_fraction", "total %", SHARE, TOTAL, .is_marked = true),
		TABLE_COLUMN(NULL, "self", WEIGHT, SELF),
		TABLE_COLUMN(NULL, "samples", SAMPLES, SELF_HITS),
		TABLE_COLUMN(NULL, in->calls ? "calls" : NULL, CALLS, CALLS, .width = CALLS_WIDTH),
		TABLE_COLUMN("name", "function", LABEL, 0),
		TABLE_COLUMN("self_samples", NULL, SAMPLES, SELF_HITS),
		TABLE_COLUMN("total_samples", NULL, SAMPLES, HITS),
		{0},
	};
	bool is_one = table_shape(in) == TABLE_ONE, by_total = in->options->by_total;
	/* The threshold of one profile is of totals, whatever rows are sorted by. */
	struct functions f = {
		.in = in,
		.by_total = is_one || by_total,
		.is_flat = true,
		.is_total_first = by_total,
	};
	struct table_about about = {
		.view = "flat",
		.title = "Flat Profile",
		.columns = columns,
		.scales = {weight_scale(in->profile, view_input_unit(in->options),
					view_input_total(in))},
		.samples_width = samples_width(in->profile),
		.last = by_total ? "function (total)" : "function (self)",
		.above = write_self,
		.below = write_legend,
	};

	return show(&f, o, &about, false, err);
}

static int emit_flat(const struct view_input *in, struct out *o, struct error *err)
{
	return view_below_root(in, o, write_flat, err);
}

const struct view view_flat = {
	.name = "flat",
	.help = "functions by self, with self and total",
	.fits_screen = true,
	.needs = VIEW_NEEDS_TREE | VIEW_TAKES_CALLS,
	.has_rows = true,
	.has_base = true,
	.has_columns = true,
	.options = VIEW_OPTIONS("root", "sort", "self", "threshold", "calls-from"),
	.commands = {{.argument = VIEW_ARGUMENT_COUNT, .help = "functions with both, as a table"}},
	.emit = emit_flat,
};

/* ---- functions and bodies, as the paper prints them -------------------------------------------- */

static int describe_usage(void *context, uint32_t part, struct table_row *row, struct error *err)
{
	const struct functions *f = context;
	bool is_one = table_shape(f->in) == TABLE_ONE;
	int n = 0;

	describe(context, part, row, err);
	row->is_inline = row->is_inline && !is_one;
	if (samples_width(f->in->profile) >= 0)
		n = snprintf(row->suffix, sizeof(row->suffix), " [%" PRIu64 "]",
			     (uint64_t)row->values[f->by_total ? HITS : SELF_HITS]);
	if (f->by_total && f->in->calls && row->has_calls)
		snprintf(row->suffix + n, sizeof(row->suffix) - (size_t)n, " %" PRIu64 " call%s",
			 (uint64_t)row->values[CALLS], row->values[CALLS] == 1 ? "" : "s");
	return 0;
}

static const char *format(const struct view_input *in, bool has_calls)
{
	if (samples_width(in->profile) < 0)
		return "format: usage_fraction function_name\n";
	if (profile_is_measured(in->profile))
		return has_calls ? "format: usage_fraction function_name [#contexts] #calls\n"
				 : "format: usage_fraction function_name [#contexts]\n";
	return has_calls ? "format: usage_fraction function_name [#raw_samples] #calls\n"
			 : "format: usage_fraction function_name [#raw_samples]\n";
}

static int write_functions(const struct view_input *in, struct out *o, struct error *err)
{
	static const struct table_column columns[] = {
		TABLE_COLUMN("total", NULL, COUNT, TOTAL),
		TABLE_COLUMN("total_fraction", "", FRACTION, TOTAL, .width = 4),
		TABLE_COLUMN("name", "", LABEL, 0),
		TABLE_COLUMN("total_samples", NULL, SAMPLES, HITS),
		TABLE_COLUMN("calls", NULL, CALLS, CALLS),
		{0},
	};
	struct functions f = {.in = in, .by_total = true, .leaves_starts = true};
	struct table_about about = {
		.view = "functions",
		.title = "Body+Descendants Function Profile",
		.below = write_starts,
		.text_threshold = 1,
		.columns = columns,
		.format = format(in, in->calls),
		.last = "function (total)",
		.above = write_totals,
		.describe = describe_usage,
	};

	return show(&f, o, &about, false, err);
}

static int write_bodies(const struct view_input *in, struct out *o, struct error *err)
{
	static const struct table_column columns[] = {
		TABLE_COLUMN("self", NULL, COUNT, SELF),
		TABLE_COLUMN("self_fraction", "", FRACTION, SELF, .width = 4),
		TABLE_COLUMN("name", "", LABEL, 0),
		TABLE_COLUMN("self_samples", NULL, SAMPLES, SELF_HITS),
		{0},
	};
	struct functions f = {.in = in};
	struct table_about about = {
		.view = "bodies",
		.title = "Body Function Profile",
		.text_threshold = 1,
		.columns = columns,
		.format = format(in, false),
		.last = "function (self)",
		.above = write_self,
		.describe = describe_usage,
	};

	return show(&f, o, &about, table_shape(in) == TABLE_ONE, err);
}

static int emit_functions(const struct view_input *in, struct out *o, struct error *err)
{
	return view_below_root(in, o, write_functions, err);
}

const struct view view_functions = {
	.name = "functions",
	.help = "functions by total, bodies and descendants",
	.fits_screen = true,
	.needs = VIEW_NEEDS_TREE | VIEW_TAKES_CALLS,
	.has_rows = true,
	.has_base = true,
	.has_columns = true,
	.options = VIEW_OPTIONS("root", "threshold", "calls-from"),
	.commands = {{.argument = VIEW_ARGUMENT_COUNT,
		      .help = "functions by what they and their callees used"}},
	.emit = emit_functions,
};

static int emit_bodies(const struct view_input *in, struct out *o, struct error *err)
{
	return view_below_root(in, o, write_bodies, err);
}

const struct view view_bodies = {
	.name = "bodies",
	.help = "functions by self, bodies alone",
	.fits_screen = true,
	.needs = VIEW_NEEDS_TREE | VIEW_TAKES_CALLS,
	.has_rows = true,
	.has_base = true,
	.has_columns = true,
	.options = VIEW_OPTIONS("root", "self", "threshold"),
	.ignores = VIEW_OPTIONS("by"),
	.commands = {{.argument = VIEW_ARGUMENT_COUNT,
		      .help = "functions by what they used themselves"}},
	.emit = emit_bodies,
};
