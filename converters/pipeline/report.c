/* SPDX-License-Identifier: MIT */
/*
 * report.c - runs the stages between files and views, and tells the user about it.
 *
 * In: files, options. Out: what the stages make; progress and warnings on standard error.
 */
#include "pipeline/report.h"

#include <stdlib.h>

#include "pipeline/load.h"
#include "pipeline/progress.h"
#include "pipeline/warnings.h"

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
