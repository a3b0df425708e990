/* SPDX-License-Identifier: MIT */
/*
 * report.c - runs the stages between files and views, and tells the user about it.
 */
#include <stdio.h>
#include <stdlib.h>

#include "compare/assertion.h"
#include "graph/call_counts.h"
#include "graph/function_names.h"
#include "graph/propagate.h"
#include "pipeline/calls_from.h"
#include "pipeline/load.h"
#include "pipeline/message.h"
#include "pipeline/report.h"
#include "pipeline/runs.h"
#include "symbols/short_names.h"
#include "symbols/symbols_locate.h"
#include "write/weight.h"

/* ---- shorten --------------------------------------------------------------------------------- */
/*
 * Settles how the functions of a tree or graph are shown to people.
 *
 * In: names, an option. Out: what strings_shown returns.
 */

/* List the distinct names of the tree, and of the calls that were counted. */
static uint32_t *list_names(const struct tree *t, const struct tree *calls, size_t *n)
{
	size_t n_strings = strings_count(t->strings), i;
	unsigned char *is_there = calloc(n_strings + 1, 1);
	uint32_t *list = malloc((n_strings + 1) * sizeof(*list));

	*n = 0;
	for (i = 1; is_there && i < t->n_nodes; i++)
		is_there[t->nodes[i].name] = 1;
	for (i = 1; is_there && calls && i < calls->n_nodes; i++)
		is_there[calls->nodes[i].name] = 1;
	for (i = 0; is_there && list && i < n_strings; i++)
		if (is_there[i])
			list[(*n)++] = (uint32_t)i;
	if (!is_there) {
		free(list);
		list = NULL;
	}
	free(is_there);
	return list;
}

/* Show the functions of the tree as the options of the symbols say. Returns -1 if memory is out. */
static int shorten_tree(struct symbols *s, const struct tree *t, const struct tree *calls,
			struct error *err)
{
	size_t n;
	uint32_t *list = list_names(t, calls, &n);
	int status = list ? symbols_shorten(s, list, n, err) : error_memory(err);

	free(list);
	return status;
}

/* The same for a graph that was read without stacks: its names are only text. */
static int shorten_graph(struct strings *strings, const struct graph *g, struct error *err)
{
	struct short_names none = {0};
	uint32_t *list = malloc((g->n_functions + 1) * sizeof(*list));
	int status = -1;

	if (list) {
		for (size_t i = 0; i < g->n_functions; i++)
			list[i] = g->functions[i].name;
		status = short_names_settle(&none, strings, list, g->n_functions, true);
	}
	free(list);
	short_names_clear(&none);
	return status ? error_memory(err) : 0;
}

/* ---- analysis -------------------------------------------------------------------------------- */

static int look_up_names(struct analysis *s, const struct options *opt, bool with_lines,
			 struct error *err)
{
	s->of_symbols = opt->of_symbols;
	s->of_symbols.lines |= with_lines;
	strings_show_all(s->profile->strings);
	s->symbols = symbols_new(s->profile, &s->of_symbols, err);
	return s->symbols ? entry_points_name(s->symbols, s->profile, err) : -1;
}

static void drop_names(struct analysis *s);

static void drop_lines(struct analysis *s)
{
	if (s->by_line)
		drop_names(s->by_line);
	free(s->by_line);
	s->by_line = NULL;
}

static void free_filter(struct filter **f)
{
	if (*f)
		filter_clear(*f);
	free(*f);
	*f = NULL;
}

static void drop_tree(struct analysis *s)
{
	drop_lines(s);
	graph_free(s->graph);
	tree_free(s->tree);
	tree_free(s->calls);
	s->calls = NULL;
	s->calls_why = NULL;
	free_filter(&s->calls_filter);
	s->graph = NULL;
	s->tree = NULL;
	free_filter(&s->filter);
}

static void drop_names(struct analysis *s)
{
	drop_tree(s);
	if (s->symbols)
		symbols_free(s->symbols);
	s->symbols = NULL;
}

/* What calls cannot honour, or NULL. A call has no time and no state, and the machine of a thread is handed on to others. */
static const char *calls_refusal(const struct profile *p, const struct options *opt)
{
	const struct filter *f = &opt->filter;

	for (size_t i = 0; i < p->n_processes; i++)
		if (p->processes[i].calls.has_lost)
			return "some are lost";
	if (p->threads)
		return "--thread";
	if (p->from_ns || p->to_ns)
		return "--from, --to";
	if (p->states)
		return "--state";
	if (p->by)
		return "--by";
	if (opt->of_symbols.granularity != SYMBOLS_BY_FUNCTION)
		return "--granularity";
	if (f->of[FILTER_HIDE].n_values || f->of[FILTER_COLLAPSE].n_values)
		return f->of[FILTER_HIDE].n_values ? "--hide" : "--collapse";
	if (p->counted->has_cut && filter_drops(f))
		return f->of[FILTER_FOCUS].n_values ? "--focus" : "--ignore";
	return NULL;
}

/* The calls have a filter of their own, since it remembers what it has matched. */
static int build_calls(struct analysis *s, const struct options *opt, struct error *err)
{
	const struct profile *p = s->profile;

	if (!p->counted || p->n_columns)
		return 0;
	s->calls_why = calls_refusal(p, opt);
	if (s->calls_why)
		return 0;
	s->calls_filter = calloc(1, sizeof(*s->calls_filter));
	if (!s->calls_filter)
		return error_memory(err);
	if (filter_copy(s->calls_filter, &opt->filter, err))
		return -1;
	s->calls = counted_tree_build(p, s->symbols, s->calls_filter, err);
	return s->calls ? 0 : -1;
}

/* The tree borrows the filter that it is built with. It gets a copy, because the options may
 * change. */
static int build_tree(struct analysis *s, const struct options *opt, struct error *err)
{
	struct tree_options how = {.unit = view_input_unit(&opt->of_view)};

	s->filter = calloc(1, sizeof(*s->filter));
	if (!s->filter)
		return error_memory(err);
	if (filter_copy(s->filter, &opt->filter, err))
		return -1;
	how.filter = s->filter;
	s->tree = tree_build(s->profile, s->symbols, &how, err);
	if (!s->tree || build_calls(s, opt, err) ||
	    shorten_tree(s->symbols, s->tree, s->calls, err))
		return -1;
	return suggest_focus(s->filter, s->profile, s->symbols, err);
}

static int grow_tree(struct analysis *s, const struct options *opt, struct error *err)
{
	if (!build_tree(s, opt, err))
		return 0;
	drop_tree(s);
	return -1;
}

/* The view needs stacks, and the profile has none. The error lists the views that need none. */
static int refuse_calls(const struct profile *p, struct error *err)
{
	size_t i, n = 0;

	error_set(err, "%s: it has calls without stacks; of it can be shown:",
		  strings_get(p->strings, p->processes[0].file, NULL));
	for (i = 0; views[i]; i++)
		if (views[i]->needs & VIEW_TAKES_CALLS)
			error_append(err, "%s --%s", n++ ? "," : "", views[i]->name);
	return -1;
}

/* If the file does not say the totals of functions, they have to be propagated along the calls,
 * because there are no stacks to add up. */
static int shape_calls(struct analysis *s, const struct options *opt, struct error *err)
{
	if (filter_is_set(&opt->filter))
		return error_usage(
			err, "--focus, --ignore, --hide and --collapse need stacks, and the input "
			     "has calls without stacks");
	if (opt->of_symbols.granularity == SYMBOLS_BY_MODULE)
		return error_usage(err, "--granularity module needs recordings, and the input has "
					"calls without stacks");
	s->graph = graph_of_calls(s->profile, view_input_unit(&opt->of_view), err);
	if (!s->graph || (symbols_wants_short(&opt->of_symbols) &&
			  shorten_graph(s->profile->strings, s->graph, err)))
		return -1;
	if (s->graph->has_totals)
		return 0;
	return propagate_totals(s->graph, err);
}

static bool has_sources(const struct profile *p, const struct options *opt)
{
	size_t i;

	if (p->n_base)
		return false; /* two programs have two sources */
	for (i = 0; p->packs && p->packs->names && i < p->packs->n; i++)
		if (p->packs->names[i].n_excerpts)
			return true;
	return opt->of_view.with_source;
}

/* To look names up settles anew how people are shown them, so that of the other tree is settled once more. */
static int grow_lines(struct analysis *s, const struct options *opt, struct error *err)
{
	struct tree_options how = {.unit = view_input_unit(&opt->of_view)};
	struct analysis *l = calloc(1, sizeof(*l));

	s->by_line = l;
	if (!l)
		return error_memory(err);
	l->of_symbols = opt->of_symbols;
	l->of_symbols.granularity = SYMBOLS_BY_SOURCE;
	l->filter = how.filter = calloc(1, sizeof(*l->filter));
	if (!l->filter)
		return error_memory(err);
	if (filter_copy(l->filter, &opt->filter, err))
		return -1;
	l->symbols = symbols_new(s->profile, &l->of_symbols, err);
	if (!l->symbols || entry_points_name(l->symbols, s->profile, err))
		return -1;
	l->tree = tree_build(s->profile, l->symbols, &how, err);
	return l->tree ? shorten_tree(s->symbols, s->tree, s->calls, err) : -1;
}

int analysis_shape(struct analysis *s, unsigned needs, const struct options *opt, struct error *err)
{
	bool takes_calls = needs & VIEW_TAKES_CALLS;
	bool with_lines = needs & (VIEW_NEEDS_LINES | VIEW_WANTS_LINES) ||
			  filter_wants_lines(&opt->filter) || *opt->of_view.paths;
	bool with_sources = needs & VIEW_WANTS_SOURCES;

	needs &= ~(unsigned)(VIEW_TAKES_CALLS | VIEW_NEEDS_TIMES | VIEW_NEEDS_MOMENTS |
			     VIEW_WANTS_LINES | VIEW_WANTS_SOURCES | VIEW_NEEDS_SQUARES |
			     VIEW_TELLS_THREADS);
	if (s->profile->given_calls && !takes_calls)
		return refuse_calls(s->profile, err);
	if (s->profile->given_calls && s->profile->given_calls->has_inclusive &&
	    view_input_unit(&opt->of_view) == TREE_HITS)
		return error_usage(err, "--unit samples: the input has calls without stacks, of "
					"which no samples are known");
	if (s->profile->given_calls)
		return needs && !s->graph ? shape_calls(s, opt, err) : 0;
	if (needs & VIEW_NEEDS_LINES && filter_is_set(&opt->filter))
		return error_usage(err, "this view has whole stacks: --focus, --ignore, --hide and "
					"--collapse are for the program that reads it");
	if (needs & VIEW_NEEDS_LINES && s->profile->counted)
		s->calls_why = calls_refusal(s->profile, opt);
	if (with_lines && s->symbols && !symbols_wants_lines(&s->of_symbols))
		drop_names(s);
	if (needs && !s->symbols && look_up_names(s, opt, with_lines, err))
		return -1;
	if (needs & (VIEW_NEEDS_TREE | VIEW_NEEDS_GRAPH) && !s->tree && grow_tree(s, opt, err))
		return -1;
	if (with_sources && !s->by_line && has_sources(s->profile, opt) &&
	    grow_lines(s, opt, err)) {
		drop_lines(s);
		return -1;
	}
	if (needs & VIEW_NEEDS_GRAPH && !s->graph) {
		s->graph = graph_build(s->tree, err);
		if (s->graph && s->calls && call_counts_mark(s->graph, s->calls, err))
			return -1;
	}
	return needs & VIEW_NEEDS_GRAPH && !s->graph ? -1 : 0;
}

/* Were the names made with these options? The other options of names never change for a profile. */
static bool has_names(const struct analysis *s, const struct options *opt)
{
	return s->of_symbols.granularity == opt->of_symbols.granularity &&
	       s->of_symbols.names == opt->of_symbols.names &&
	       s->of_symbols.inlines == opt->of_symbols.inlines;
}

void analysis_share_names(struct analysis *s, const struct analysis *from,
			  const struct options *opt)
{
	if (s->symbols || !from->symbols || !has_names(from, opt))
		return;
	s->symbols = symbols_share(from->symbols);
	s->of_symbols = from->of_symbols;
}

void analysis_adapt(struct analysis *s, const struct options *opt)
{
	if (!has_names(s, opt))
		drop_names(s);
	if (s->tree && (s->tree->unit != view_input_unit(&opt->of_view) ||
			!filter_is_equal(s->filter, &opt->filter)))
		drop_tree(s);
	if (s->profile->given_calls && s->graph &&
	    (s->graph->unit != view_input_unit(&opt->of_view) || filter_is_set(&opt->filter)))
		drop_tree(s);
}

struct view_input analysis_input(const struct analysis *s, const struct view_options *options)
{
	return (struct view_input){
		.profile = s->profile,
		.symbols = s->symbols,
		.tree = s->tree,
		.by_line = s->by_line ? s->by_line->tree : NULL,
		.symbols_by_line = s->by_line ? s->by_line->symbols : NULL,
		.graph = s->graph,
		.calls = s->calls,
		.calls_why = s->calls_why,
		.options = options,
	};
}

void analysis_free(struct analysis *s)
{
	drop_names(s);
	profile_free(s->profile);
	*s = (struct analysis){0};
}

/* ---- assertions ------------------------------------------------------------------------------ */

/* A figure in percent, or with its unit. */
static const char *figure(char text[WEIGHT_BYTES], const struct assertion *a,
			  const struct analysis *s, double value)
{
	if (a->against == ASSERTION_SHARE)
		snprintf(text, WEIGHT_BYTES, "%.2f %%", value);
	else if (s->tree->unit == TREE_HITS || !weight_is_scaled(s->profile))
		snprintf(text, WEIGHT_BYTES, "%.1f", value);
	else
		weight_alone(text, s->profile, (uint64_t)(value + 0.5));
	return text;
}

static void say(const struct assertion *a, const struct analysis *s,
		const struct assertion_result *r)
{
	char value[WEIGHT_BYTES], limit[WEIGHT_BYTES], error[WEIGHT_BYTES];

	if (r->is_blind) {
		message("--assert %s: not certain: one run tells nothing of totals (%s, the limit "
			"is %s); "
			"cpsample --repeat 5 records more runs, --normalize compares shares",
			a->text, figure(value, a, s, r->value), figure(limit, a, s, r->limit));
		return;
	}
	message("--assert %s: %s: %s +- %s (95 %%), the limit is %s%s", a->text,
		r->is_broken ? "does not hold" : "not certain", figure(value, a, s, r->value),
		figure(error, a, s, r->plus_minus), figure(limit, a, s, r->limit),
		r->is_broken   ? ""
		: r->is_single ? "; more runs tell more (cpsample --repeat)"
			       : "; more runs tell more");
}

/* A name that nothing knows is one that was mistyped. What no sample has met may be known by what the filter has
 * dropped, or by a symbol. */
static int check_known(const struct assertion *a, const struct analysis *s, struct error *err)
{
	struct function_names names;
	struct error unclear, similar;
	struct tree *all = tree_build(s->profile, s->symbols, &(struct tree_options){0}, err);
	bool is_known;

	if (!all)
		return -1;
	is_known = function_names_if_any(&names, all, a->name, &unclear) != 0;
	if (!is_known) {
		is_known = names.n > 0;
		function_names_free(&names);
	}
	if (!is_known && s->symbols)
		is_known = symbols_has_function(s->symbols, a->name);
	if (!is_known)
		suggest_functions(all, a->name, &similar);
	tree_free(all);
	if (!is_known)
		return error_usage(err, "--assert %s: %s", a->text, similar.text);
	message("warning: --assert %s: no sample has met %s, which counts as 0", a->text, a->name);
	return 0;
}

static int check(const struct options *opt, const struct analysis *s, struct error *err)
{
	int status = ASSERTIONS_HOLD;

	for (size_t i = 0; i < opt->n_asserts; i++) {
		struct assertion_result r = {0};
		struct assertion a;
		int rc = assertion_parse(&a, opt->asserts[i], err);

		if (!rc)
			rc = assertion_check(
				&a, s->profile, s->tree, opt->of_view.normalize,
				view_input_options_are_of_program(&opt->of_view, s->profile), &r,
				err);
		if (!rc && r.is_absent)
			rc = check_known(&a, s, err);
		if (!rc && !r.holds) {
			say(&a, s, &r);
			if (status != ASSERTIONS_BROKEN)
				status = r.is_broken ? ASSERTIONS_BROKEN : ASSERTIONS_UNCERTAIN;
		}
		assertion_free(&a);
		if (rc)
			return -1;
	}
	return status;
}

static int read_runs(struct analysis *s, const struct sources *from, const struct options *opt,
		     struct error *err)
{
	struct load_result result;

	if (load_profiles(from, opt, LOAD_AS_RUNS, &result, err))
		return -1;
	s->profile = result.list[0];
	free(result.list);
	selection_match_free(&result.match);
	return analysis_shape(s, VIEW_NEEDS_TREE, opt, err);
}

int assertions_check(const struct options *opt, const struct sources *from,
		     const struct analysis *compared, struct error *err)
{
	struct sources again = *from;
	struct analysis s = {0};
	struct runs runs;
	int status;

	if (!opt->n_asserts)
		return 0;
	if (from->runs && compared->tree)
		return check(opt, compared, err);
	if (from->is_read_once_only)
		return error_usage(err, "--assert reads inputs twice, which a pipe does not allow");
	status = runs_find(&runs, from, from->n, err);
	again.runs = &runs;
	if (!status)
		status = read_runs(&s, &again, opt, err);
	if (!status)
		status = check(opt, &s, err);
	analysis_free(&s);
	runs_free(&runs);
	return status;
}

/* ---- report ---------------------------------------------------------------------------------- */

int report_read(struct analysis *s, const struct sources *from, const struct options *opt,
		struct error *err)
{
	bool is_list = selection_count_resources(&opt->chosen) > 1;
	enum load_as as = is_list ? LOAD_AS_COLUMNS : LOAD_AS_ONE;
	struct load_result result;

	if (load_profiles(from, opt, from->runs ? LOAD_AS_RUNS : as, &result, err))
		return -1;
	s->profile = result.list[0];
	free(result.list);
	warnings_unmatched(&result.match.threads, "thread");
	selection_match_free(&result.match);
	if (opt->kernel)
		warnings_kernel(s->profile->has_kernel || !s->profile->hits);
	if (calls_from_join(s->profile, opt, err))
		return -1;
	/* Nothing can be claimed of what was lost. */
	return warnings_profile(s->profile, opt->strict || opt->n_asserts, err);
}

static void warn_of_names(const struct analysis *s, const struct patterns *p)
{
	char similar[SUGGEST_BYTES];
	const char *text;

	for (size_t i = 0; (text = patterns_unmatched(p, i)); i++)
		if (s->symbols && patterns_is_file(text))
			message("warning: %s: no function or file matches \"%s\"%s", p->option,
				text, suggest_files(s->profile, s->symbols, text, similar));
		else
			message("warning: %s: no function matches \"%s\"", p->option, text);
}

/* The tree has just been built, with all names. */
static void warn_of_tree(struct analysis *s)
{
	for (int kind = 0; kind < FILTER_KINDS; kind++)
		warn_of_names(s, &s->filter->of[kind]);
	if (!s->has_warned)
		warnings_modules(s->profile, s->symbols);
	s->has_warned = true;
}

int report_shape(struct analysis *s, unsigned needs, const struct options *opt, struct error *err)
{
	bool had_tree = s->tree != NULL;
	int status;

	progress_begin(s->profile->n_modules ? "looking up names" : "adding up stacks");
	status = analysis_shape(s, needs, opt, err);
	progress_end();
	if (!status && s->calls_why && needs & VIEW_NEEDS_LINES && !(needs & VIEW_NEEDS_MOMENTS))
		message("calls were counted, and are left out: %s", s->calls_why);
	if (s->tree && !had_tree) {
		warn_of_tree(s);
		if (!status)
			status = calls_from_tell(s->tree, s->calls, s->calls_why, opt, err);
	}
	return status;
}
