/* SPDX-License-Identifier: MIT */
/*
 * assertions.c - checks what --assert claims of the runs that were read.
 *
 * In: options, runs. Out: messages on standard error.
 */
#include "pipeline/assertions.h"

#include <stdio.h>
#include <stdlib.h>

#include "compare/assertion.h"
#include "pipeline/load.h"
#include "pipeline/message.h"
#include "pipeline/runs.h"
#include "write/weight.h"

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
