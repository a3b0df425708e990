/* SPDX-License-Identifier: MIT */
/*
 * view_average_time.c - the functions for which gprof's average time assumption misleads (Spivey
 * 2004).
 *
 * In: struct graph. Out: functions with several callers, and the callers' shares by calls and by
 * time.
 */
#include "contexts/arc_times.h"
#include "graph/function_names.h"
#include "view/view.h"
#include "write/caption.h"
#include "write/footer.h"
#include "write/name_text.h"
#include "write/rows.h"
#include "write/weight.h"

#define TEXT_THRESHOLD 0.5
#define INDENT	       2 /* of the names of callers */

struct shortlist {
	const struct view_input *in;
	const struct graph *graph;
	struct caller_shares *sharing;
	struct out *out;
	struct weight_scale scale;
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
	out_text(
		l->out,
		"\nFunctions whose time would go to the wrong callers, if each call took the same\n"
		"time, as gprof assumes: the callers' shares of calls and of the time measured.\n");
	if (!l->graph->has_calls)
		out_text(l->out, "Samples count no calls. Occurrences on stacks stand for them; "
				 "these differ from\n"
				 "the time only for functions that are called again while they are "
				 "active.\n");
	out_format(l->out, "\n calls %%   time %% %*s %*s  function, its callers\n", l->scale.width,
		   "by calls", l->scale.width, "measured");
	caption_rule(l->out);
}

static void write_name(const struct shortlist *l, uint32_t function, int indent)
{
	const struct tree_function *f = &l->graph->functions[function];

	out_format(l->out, "%*s", indent, "");
	name_text_last(l->out, l->graph->strings, f->name, f->is_inline,
		       18 + 2 * l->scale.width + 3 + indent);
	out_text(l->out, "\n");
}

static void write_shares(const struct shortlist *l, const struct caller_shares_function *f,
			 const struct caller_shares_arc *a)
{
	char by_calls[WEIGHT_BYTES], measured[WEIGHT_BYTES];

	out_format(l->out, "%8.2f %8.2f %*s %*s  ", caller_shares_of_calls(f, a) * 100,
		   caller_shares_of_time(f, a) * 100, l->scale.width,
		   weight_text(by_calls, l->scale, caller_shares_by_calls(f, a)), l->scale.width,
		   weight_text(measured, l->scale, a->time));
}

/* Write one line for all callers below the threshold. They are the last ones, because callers are
 * sorted by misplaced time. */
static void write_small(const struct shortlist *l, const struct caller_shares_function *f,
			size_t from)
{
	const struct caller_shares_arc *arcs = l->sharing->arcs + f->first;
	struct caller_shares_arc sum = {0};
	size_t i;

	if (from == f->n)
		return;
	for (i = from; i < f->n; i++) {
		sum.calls += arcs[i].calls;
		sum.time += arcs[i].time;
	}
	write_shares(l, f, &sum);
	out_format(l->out, "%*s%zu caller%s off by less than %g %%\n", INDENT, "", f->n - from,
		   f->n - from == 1 ? "" : "s", l->threshold);
}

static void write_function(const struct shortlist *l, const struct caller_shares_function *f)
{
	const struct caller_shares_arc *arcs = l->sharing->arcs + f->first;
	char text[WEIGHT_BYTES];
	size_t i;

	out_format(l->out, "%*s %*s  ", 18 + l->scale.width, "", l->scale.width,
		   weight_text(text, l->scale, f->time));
	write_name(l, f->function, 0);
	for (i = 0; i < f->n && !is_small(l, caller_shares_misplaced(f, &arcs[i])); i++) {
		write_shares(l, f, &arcs[i]);
		write_name(l, arcs[i].caller, INDENT);
	}
	write_small(l, f, i);
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
}

/* ---- for programs ---------------------------------------------------------------------------- */

static void write_row(struct rows *r, const struct shortlist *l,
		      const struct caller_shares_function *f, const struct caller_shares_arc *a)
{
	static const char *const of_calls[] = {
		"callee", "caller",	  "calls",	"calls_share",
		"total2", "total2_share", "difference", "misplaced_fraction",
		NULL,
	};
	static const char *const of_stacks[] = {
		"callee", "caller",	  "occurrences", "occurrences_share",
		"total2", "total2_share", "difference",	 "misplaced_fraction",
		NULL,
	};
	const struct graph *g = l->graph;
	double by_calls = caller_shares_of_calls(f, a), by_time = caller_shares_of_time(f, a);

	rows_row(r, g->has_calls ? of_calls : of_stacks);
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

/* With --root, only the root functions are shown, with all of their callers unless --threshold is
 * given. */
static int choose_roots(struct shortlist *l, const char *root, struct error *err)
{
	const struct graph *g = l->graph;
	struct caller_shares *shares = l->sharing;
	struct function_names names;
	size_t i, n = 0;

	if (function_names_of_graph(&names, g, root, err))
		return -1;
	for (i = 0; i < shares->n; i++)
		if (function_names_has(&names, g->functions[shares->functions[i].function].name))
			shares->functions[n++] = shares->functions[i];
	shares->n = l->end = n;
	if (n == 0 && names.n > 0)
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

static int emit(const struct view_input *in, struct out *o, struct error *err)
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

	if (g->has_calls && !g->has_weights)
		return error_set(err,
				 "gprof has not measured what calls take, but assumes an average: "
				 "--average-time needs stacks, or callgrind's output");
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

const struct view view_average_time = {
	.name = "average-time",
	.help = "where sharing time by numbers of calls would mislead",
	.needs = VIEW_NEEDS_GRAPH | VIEW_TAKES_CALLS,
	.has_rows = true,
	.options = VIEW_OPTIONS("root", "threshold"),
	.commands = {{.argument = VIEW_ARGUMENT_FUNCTION,
		      .help = "where sharing time by numbers of calls misleads"}},
	.emit = emit,
};
