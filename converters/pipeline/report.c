/* SPDX-License-Identifier: MIT */
/*
 * report.c - runs the stages between files and views, and tells the user about it.
 */
#include <stdio.h>
#include <stdlib.h>

#include "compare/assertion.h"
#include "pipeline/load.h"
#include "pipeline/message.h"
#include "pipeline/progress.h"
#include "pipeline/report.h"
#include "pipeline/runs.h"
#include "symbols/short_names.h"
#include "write/weight.h"

/* ---- shorten --------------------------------------------------------------------------------- */
/*
 * Settles how the functions of a tree or graph are shown to people.
 *
 * In: names, an option. Out: what strings_shown returns.
 */

/* List the distinct names of the tree. */
static uint32_t *list_names(const struct tree *t, size_t *n)
{
	size_t n_strings = strings_count(t->strings), i;
	unsigned char *is_there = calloc(n_strings + 1, 1);
	uint32_t *list = malloc((n_strings + 1) * sizeof(*list));

	*n = 0;
	for (i = 1; is_there && i < t->n_nodes; i++)
		is_there[t->nodes[i].name] = 1;
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

int shorten_tree(struct symbols *s, const struct tree *t, struct error *err)
{
	size_t n;
	uint32_t *list = list_names(t, &n);
	int status = list ? symbols_shorten(s, list, n, err) : error_memory(err);

	free(list);
	return status;
}

int shorten_graph(struct strings *strings, const struct graph *g, struct error *err)
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

/* ---- assertions ------------------------------------------------------------------------------ */
/*
 * Checks what --assert claims of the runs that were read.
 *
 * In: options, runs. Out: messages on standard error.
 */

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

	message("--assert %s: %s: %s +- %s (95 %%), the limit is %s%s", a->text,
		r->is_broken ? "does not hold" : "not certain", figure(value, a, s, r->value),
		figure(error, a, s, r->plus_minus), figure(limit, a, s, r->limit),
		r->is_broken   ? ""
		: r->is_single ? "; more runs tell more (cpsample --repeat)"
			       : "; more runs tell more");
}

static int check(const struct options *opt, const struct analysis *s, struct error *err)
{
	int status = 0;

	for (size_t i = 0; i < opt->n_asserts; i++) {
		struct assertion_result r;
		struct assertion a;
		int rc = assertion_parse(&a, opt->asserts[i], err);

		if (!rc)
			rc = assertion_check(&a, s->profile, s->tree, opt->of_view.normalize, &r,
					     err);
		if (!rc && !r.holds) {
			say(&a, s, &r);
			status = 1;
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
/*
 * Runs the stages between files and views, and tells the user about it.
 *
 * In: files, options. Out: what the stages make; progress and warnings on standard error.
 */

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
	/* Nothing can be claimed of what was lost. */
	return warnings_profile(s->profile, opt->strict || opt->n_asserts, err);
}

/* The tree has just been built, with all names. */
static void warn_of_tree(struct analysis *s)
{
	for (int kind = 0; kind < FILTER_KINDS; kind++)
		warnings_unmatched(&s->filter->of[kind], "function");
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
	if (s->tree && !had_tree)
		warn_of_tree(s);
	return status;
}
