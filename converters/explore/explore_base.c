/* SPDX-License-Identifier: MIT */
/*
 * explore_base.c - compares the current resource with earlier recordings, in the views that can.
 *
 * In: files. Out: a profile whose columns are runs, beside the profile that is explored.
 */
#include <stdlib.h>
#include <string.h>

#include "explore/explore_command.h"
#include "pipeline/load.h"
#include "pipeline/runs.h"

struct explore_comparison {
	struct sources from;
	struct runs runs;
	struct explore_profile of;
};

struct explore_profile *explore_current(const struct explore *e)
{
	struct explore_profile *p = &e->profiles[e->current];

	return e->compares && p->comparison ? &p->comparison->of : p;
}

void explore_comparison_free(struct explore_profile *p)
{
	struct explore_comparison *c = p->comparison;

	p->comparison = NULL;
	if (!c)
		return;
	explore_profile_clear(&c->of);
	runs_free(&c->runs);
	sources_free(&c->from);
	free(c);
}

/* The base first, then what is explored. */
static int find_files(struct explore_comparison *c, const struct explore *e, struct error *err)
{
	struct sources later = {0};
	int status = sources_find(&c->from, e->bases, e->n_bases, NULL, err);

	if (!status)
		status = sources_find(&later, e->from->files, e->from->n, NULL, err);
	if (!status)
		status = runs_compare(&c->runs, &c->from, &later, err);
	sources_free(&later);
	return status;
}

static int read_runs(struct explore *e, struct explore_profile *p, struct error *err)
{
	struct explore_comparison *c = p->comparison;
	struct options opt = e->options;
	struct load_result result;

	opt.chosen.resource = explore_name_resources(e, p->analysis.profile);
	opt.chosen.states = p->states;
	opt.chosen.at = p->at;
	if (!opt.chosen.resource)
		return error_memory(err);
	if (find_files(c, e, err) || load_profiles(&c->from, &opt, LOAD_AS_RUNS, &result, err))
		return -1;
	c->of.analysis.profile = result.list[0];
	free(result.list);
	selection_match_free(&result.match);
	return 0;
}

int explore_read_base(struct explore *e, struct error *err)
{
	struct explore_profile *p = &e->profiles[e->current];

	if (p->comparison)
		return 0;
	if (p->analysis.profile->n_columns)
		return error_set(err,
				 "a base is compared by one resource; choose it: resources NAME");
	if (e->from->is_read_once_only)
		return error_set(err, "an input that can be read only once cannot be read again");
	p->comparison = calloc(1, sizeof(*p->comparison));
	if (!p->comparison)
		return error_memory(err);
	if (!read_runs(e, p, err))
		return 0;
	explore_comparison_free(p);
	return -1;
}

/* ---- the command ----------------------------------------------------------------------------- */

static int show(const struct explore *e, const char *output, struct error *err)
{
	const struct explore_profile *p = &e->profiles[e->current];
	struct out *o = explore_open(e, output, err);

	if (!o)
		return -1;
	out_text(o, "base         ");
	for (size_t i = 0; i < e->n_bases; i++) {
		out_text(o, i ? " " : "");
		out_name(o, e->bases[i], strlen(e->bases[i]));
	}
	if (p->comparison)
		out_format(o, ": %zu run%s before, %zu after", p->comparison->runs.n_base,
			   p->comparison->runs.n_base == 1 ? "" : "s",
			   p->comparison->runs.n - p->comparison->runs.n_base);
	out_text(o, e->n_bases ? "\n" : "none\n");
	return out_close(o, true, err);
}

static void drop(struct explore *e)
{
	for (size_t i = 0; i < e->n; i++)
		explore_comparison_free(&e->profiles[i]);
	free(e->bases);
	e->bases = NULL;
	e->n_bases = 0;
}

static int take(struct explore *e, const struct explore_line *l, struct error *err)
{
	e->bases = calloc(l->n, sizeof(*e->bases));
	if (!e->bases)
		return error_memory(err);
	for (size_t i = 1; i < l->n; i++) {
		e->bases[e->n_bases] = (char *)(uintptr_t)explore_keep(e, l->words[i]);
		if (!e->bases[e->n_bases++])
			return error_memory(err);
	}
	return explore_read_base(e, err);
}

int explore_base(struct explore *e, const struct explore_command *c, const struct explore_line *l,
		 struct error *err)
{
	(void)c;
	if (l->n > 1)
		drop(e);
	if (l->n > 1 && (l->n > 2 || strcmp(l->words[1], "off") != 0) && take(e, l, err)) {
		drop(e);
		return -1;
	}
	return show(e, l->output, err);
}
