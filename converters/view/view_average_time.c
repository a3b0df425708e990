/* SPDX-License-Identifier: MIT */
/*
 * view_average_time.c - the functions for which gprof's average time assumption misleads (Spivey
 * 2004).
 *
 * In: struct graph. Out: functions with several callers, and the callers' shares by calls and by
 * time.
 */
#include <string.h>

#include "contexts/arc_times.h"
#include "graph/function_names.h"
#include "view/view.h"
#include "write/caption.h"
#include "write/footer.h"
#include "write/looks.h"
#include "write/name_text.h"
#include "write/rows.h"
#include "write/weight.h"

#define TEXT_THRESHOLD 0.5
#define CALLS	       "calls:" /* the names of resources that count calls begin so */
#define INDENT	       2	/* of the names of callers */
#define NOTHING	       0.005	/* percent, which are written as 0.00 */
#define SHARE_WIDTH    8
#define NAME_ROOM      16 /* columns, below which columns of figures are left out */

enum { CALLS_SHARE, TIME_SHARE, BY_CALLS, MEASURED, COLUMNS };

struct shortlist {
	const struct view_input *in;
	const struct graph *graph;
	struct caller_shares *sharing;
	struct out *out;
	struct weight_scale scale;
	struct looks_columns columns;
	double threshold;
	size_t end; /* the first `end` functions of `sharing` are shown */
};

static bool is_small(const struct shortlist *l, double misplaced)
{
	return misplaced * 100 < l->threshold * (double)l->graph->total;
}

/* ---- for people ------------------------------------------------------------------------------ */

static void write_heading(const struct shortlist *l)
{
	caption_write(l->out, "Average Time Assumption", l->in);
	caption_text(
		l->out,
		"\nFunctions whose time would go to the wrong callers, if each call took the same\n"
		"time, as gprof assumes: the callers' shares of calls and of the time measured.\n");
	caption_calls(l->out, l->in);
	if (!l->graph->has_calls)
		caption_text(l->out, "Calls are those that were counted: from one object to "
				     "another, of the functions\n"
				     "that the resources name.\n");
	out_text(l->out, "\n");
	looks_headings(l->out, &l->columns);
	out_text(l->out, " function, its callers\n");
	caption_rule(l->out);
}

static void write_name(const struct shortlist *l, uint32_t function, int indent)
{
	const struct tree_function *f = &l->graph->functions[function];

	out_format(l->out, "%*s", indent, "");
	name_text_last(l->out, l->graph->strings, f->name, f->is_inline,
		       looks_width(&l->columns) + 1 + indent);
	out_text(l->out, "\n");
}

static void write_shares(const struct shortlist *l, const struct caller_shares_function *f,
			 const struct caller_shares_arc *a)
{
	char by_calls[WEIGHT_BYTES], measured[WEIGHT_BYTES];

	looks_format(l->out, &l->columns, CALLS_SHARE, "%.2f", caller_shares_of_calls(f, a) * 100);
	looks_format(l->out, &l->columns, TIME_SHARE, "%.2f", caller_shares_of_time(f, a) * 100);
	looks_cell(l->out, &l->columns, BY_CALLS,
		   weight_text(by_calls, l->scale, caller_shares_by_calls(f, a)));
	looks_cell(l->out, &l->columns, MEASURED, weight_text(measured, l->scale, a->time));
	out_text(l->out, " ");
}

/* Whether both shares would be 0.00. */
static bool says_nothing(const struct caller_shares_function *f, const struct caller_shares_arc *a)
{
	return caller_shares_of_calls(f, a) < NOTHING / 100 &&
	       caller_shares_of_time(f, a) < NOTHING / 100;
}

/* Write one line for `n` callers below the threshold, or of which there is nothing to say. */
static void write_small(const struct shortlist *l, const struct caller_shares_function *f,
			const struct caller_shares_arc *sum, size_t n)
{
	if (!n)
		return;
	if (says_nothing(f, sum))
		for (size_t i = 0; i < COLUMNS; i++)
			looks_cell(l->out, &l->columns, i, "");
	if (says_nothing(f, sum))
		out_text(l->out, " ");
	else
		write_shares(l, f, sum);
	out_format(l->out, "%*s%zu caller%s off by less than %g %%\n", INDENT, "", n,
		   n == 1 ? "" : "s", l->threshold > NOTHING ? l->threshold : NOTHING);
}

static void write_function(const struct shortlist *l, const struct caller_shares_function *f)
{
	const struct caller_shares_arc *arcs = l->sharing->arcs + f->first;
	struct caller_shares_arc small = {0};
	char text[WEIGHT_BYTES];
	size_t i, n_small = 0;

	for (i = 0; i < MEASURED; i++)
		looks_cell(l->out, &l->columns, i, "");
	looks_cell(l->out, &l->columns, MEASURED, weight_text(text, l->scale, f->time));
	out_text(l->out, " ");
	write_name(l, f->function, 0);
	for (i = 0; i < f->n; i++) {
		if (!is_small(l, caller_shares_misplaced(f, &arcs[i])) &&
		    !says_nothing(f, &arcs[i])) {
			write_shares(l, f, &arcs[i]);
			write_name(l, arcs[i].caller, INDENT);
			continue;
		}
		small.calls += arcs[i].calls;
		small.time += arcs[i].time;
		n_small++;
	}
	write_small(l, f, &small, n_small);
}

static void write_table(const struct shortlist *l, const struct footer *footer)
{
	size_t i;

	write_heading(l);
	for (i = 0; i < l->end; i++)
		write_function(l, &l->sharing->functions[i]);
	if (l->end == 0)
		out_text(l->out,
			 "nothing: no function has callers between whom it would be wrong\n");
	footer_write(l->out, footer, l->in->options, l->threshold);
	looks_say_left_out(l->out, &l->columns);
}

/* ---- for programs ---------------------------------------------------------------------------- */

static void write_row(struct rows *r, const struct shortlist *l,
		      const struct caller_shares_function *f, const struct caller_shares_arc *a)
{
	static const char *const columns[] = {
		"callee", "caller",	  "calls",	"calls_share",
		"total2", "total2_share", "difference", "misplaced_fraction",
		NULL,
	};
	const struct graph *g = l->graph;
	double by_calls = caller_shares_of_calls(f, a), by_time = caller_shares_of_time(f, a);

	rows_row(r, columns);
	rows_name(r, g->strings, g->functions[f->function].name);
	rows_name(r, g->strings, g->functions[a->caller].name);
	rows_count(r, a->calls);
	rows_fraction(r, by_calls);
	rows_count(r, a->time);
	rows_fraction(r, by_time);
	rows_fraction(r, by_time - by_calls);
	rows_fraction(r, g->total ? caller_shares_misplaced(f, a) / (double)g->total : 0);
}

static void write_rows(const struct shortlist *l)
{
	struct rows r;
	size_t i, k;

	rows_begin(&r, l->out, "average-time", l->in);
	for (i = 0; i < l->end; i++) {
		const struct caller_shares_function *f = &l->sharing->functions[i];
		const struct caller_shares_arc *arcs = l->sharing->arcs + f->first;

		for (k = 0; k < f->n && !is_small(l, caller_shares_misplaced(f, &arcs[k])); k++)
			write_row(&r, l, f, &arcs[k]);
	}
	rows_end(&r);
}

/* ---- the choice of functions ----------------------------------------------------------------- */

/* Why functions with several callers that were counted cannot be compared, or NULL: they have not got them, or nothing is in the
 * way. */
static const char *why_unlike(const struct graph *g, const struct function_names *names)
{
	const char *why = NULL;
	size_t n_counted = 0;

	for (size_t i = 0; g->has_calls && g->tree && i < g->n_arcs; i++) {
		const struct graph_arc *a = &g->arcs[i];
		const struct tree_function *caller = &g->functions[a->caller],
					   *callee = &g->functions[a->callee];

		if (a->caller == a->callee || !function_names_has(names, callee->name))
			continue;
		n_counted += a->is_counted;
		if (!a->weight || a->is_counted)
			continue;
		if (caller->is_inline || callee->is_inline)
			why = "inlining has changed who is seen to call it: --no-inlines";
		else if (!why)
			why = "some of who calls it does not tell of calls";
	}
	return n_counted > 1 ? why : NULL;
}

/* With --root, only the root functions are shown, with all of their callers unless --threshold is
 * given. */
static int choose_roots(struct shortlist *l, const char *root, struct error *err)
{
	const struct graph *g = l->graph;
	struct caller_shares *shares = l->sharing;
	struct function_names names;
	const char *why;
	size_t i, n = 0;

	if (function_names_of_graph(&names, g, root, err))
		return -1;
	for (i = 0; i < shares->n; i++)
		if (function_names_has(&names, g->functions[shares->functions[i].function].name))
			shares->functions[n++] = shares->functions[i];
	shares->n = l->end = n;
	why = n == 0 ? why_unlike(g, &names) : NULL;
	if (why)
		error_set(err,
			  "--root: the callers of \"%s\" in samples are not those that were "
			  "counted: %s",
			  names.title, why);
	else if (n == 0 && names.n > 0)
		error_set(err, "--root: the function \"%s\" has not got several callers",
			  names.title);
	l->threshold = view_input_threshold(l->in->options, 0);
	i = names.n;
	function_names_free(&names);
	return n == 0 && i > 0 ? -1 : 0;
}

static int choose(struct shortlist *l, struct footer *footer, struct error *err)
{
	const struct view_options *options = l->in->options;
	size_t heavy = 0;

	*footer = (struct footer){.what = "function"};
	l->threshold = view_input_threshold(options, TEXT_THRESHOLD);
	if (options->root)
		return choose_roots(l, options->root, err);
	while (heavy < l->sharing->n && !is_small(l, l->sharing->functions[heavy].misplaced))
		heavy++;
	l->end = options->top && options->top < heavy ? (size_t)options->top : heavy;
	footer->small = l->sharing->n - heavy;
	footer->beyond = heavy - l->end;
	return 0;
}

/* ---- what has calls -------------------------------------------------------------------------- */

static bool is_calls(const struct profile *p, uint32_t resource)
{
	return !strncmp(strings_get(p->strings, resource, NULL), CALLS, strlen(CALLS));
}

/* The first resource of the inputs that counts calls, or NULL. */
static const char *recorded_calls(const struct profile *p)
{
	for (size_t i = 0; i < p->n_processes; i++)
		for (size_t k = 0; k < p->processes[i].n_resources; k++)
			if (is_calls(p, p->processes[i].resources[k].name))
				return strings_get(p->strings, p->processes[i].resources[k].name,
						   NULL);
	return NULL;
}

/* Samples count no calls, and how often a function occurs on stacks is no number of calls: it follows its time. */
static int check_counts(const struct view_input *in, struct error *err)
{
	const struct profile *p = in->profile;
	const char *counted = recorded_calls(p);

	if (in->calls)
		return 0;
	if (in->calls_why && !counted)
		return error_usage(
			err, "--average-time: calls were counted, and cannot be had of a part: %s",
			in->calls_why);
	if (in->graph->has_calls)
		return in->graph->has_weights && !in->graph->has_shares
			       ? 0
			       : error_set(err,
					   "%s has not measured what calls take, but "
					   "assumes an average: --average-time needs stacks, or "
					   "callgrind's output",
					   in->graph->has_shares ? "profile.py" : "gprof");
	if (!counted)
		return error_usage(
			err, "--average-time: samples count no calls; record a program that was "
			     "compiled with -pg, or calls of the "
			     "function, cpsample -r cpu,calls:FUNCTION, and show both, "
			     "--resource cpu,calls:FUNCTION");
	for (size_t i = 0; i < p->n_columns || i < 2; i++)
		if (i >= p->n_columns || is_calls(p, p->columns[i].resource) != (i > 0))
			return error_usage(err,
					   "--average-time needs what is shared, and then calls: "
					   "--resource cpu,%s",
					   counted);
	if (in->tree->unit == TREE_HITS)
		return error_usage(err, "--average-time: a sample is no call, so --unit samples "
					"cannot be had");
	return 0;
}

static int write_all(const struct view_input *in, struct out *o, struct error *err)
{
	const struct graph *g = in->graph;
	struct caller_shares sharing = {0};
	struct shortlist l = {
		.in = in,
		.graph = g,
		.sharing = &sharing,
		.out = o,
		.scale = weight_scale(in->profile, g->unit, g->total),
	};
	struct footer footer;
	int status;

	if (check_counts(in, err))
		return -1;
	l.columns = (struct looks_columns){
		.list = {{"calls %", SHARE_WIDTH, 0},
			 {"time %", SHARE_WIDTH, 0},
			 {"by calls", l.scale.width, 2},
			 {"measured", l.scale.width, 1}},
		.n = COLUMNS,
	};
	looks_fit(&l.columns, o, NAME_ROOM);
	status = caller_shares_of_graph(&sharing, g, err);
	if (!status)
		status = choose(&l, &footer, err);
	if (!status && view_input_is_rows(in->options))
		write_rows(&l);
	else if (!status)
		write_table(&l, &footer);
	caller_shares_free(&sharing);
	return status;
}

static int emit(const struct view_input *in, struct out *o, struct error *err)
{
	return view_with_calls(in, o, write_all, err);
}

const struct view view_average_time = {
	.name = "average-time",
	.help = "where sharing time by numbers of calls would mislead",
	.needs = VIEW_NEEDS_GRAPH | VIEW_TAKES_CALLS,
	.has_rows = true,
	.has_columns = true,
	.options = VIEW_OPTIONS("root", "threshold", "calls-from"),
	.commands = {{.argument = VIEW_ARGUMENT_FUNCTION,
		      .help = "where sharing time by numbers of calls misleads"}},
	.emit = emit,
};
