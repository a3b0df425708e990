/* SPDX-License-Identifier: MIT */
/*
 * explore_state.c - reads the profiles, and shapes the current one as a command wants it.
 */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "explore/explore.h"
#include "explore/explore_command.h"
#include "pipeline/load.h"
#include "pipeline/message.h"
#include "pipeline/pager.h"
#include "pipeline/report.h"
#include "pipeline/runs.h"

/* ---- explore base ---------------------------------------------------------------------------- */
/*
 * Compares the current resource with earlier recordings, in the views that can.
 *
 * In: files. Out: a profile whose columns are runs, beside the profile that is explored.
 */

struct explore_comparison {
	struct sources from;
	struct runs runs;
	struct explore_profile of;
};

/* The profile that commands are about, or while a view compares, its comparison. */
static struct explore_profile *explore_current(const struct explore *e)
{
	struct explore_profile *p = &e->profiles[e->current];

	return e->compares && p->comparison ? &p->comparison->of : p;
}

static void explore_comparison_free(struct explore_profile *p)
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

/* Read the comparison of the current profile with the base, unless it has been. */
static int explore_read_base(struct explore *e, struct error *err)
{
	struct explore_profile *p = &e->profiles[e->current];

	if (p->comparison)
		return 0;
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

static int show(struct explore *e, const char *output, struct error *err)
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
	return explore_close(e, o, err);
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

/* ---- explore load ---------------------------------------------------------------------------- */
/*
 * Reads and frees the profiles that cpprof explores.
 *
 * In: files. Out: a profile for each resource, and warnings.
 */

/* The profiles are e's from now on, also after an error. */
static int take_profiles(struct explore *e, struct profile **list, size_t n, struct error *err)
{
	e->profiles = calloc(n, sizeof(*e->profiles));
	if (!e->profiles) {
		for (size_t i = 0; i < n; i++)
			profile_free(list[i]);
		return error_memory(err);
	}
	e->size = n;
	for (; e->n < n; e->n++)
		e->profiles[e->n] = (struct explore_profile){
			.analysis.profile = list[e->n],
			.states = e->options.chosen.states,
			.at = e->options.chosen.at,
		};
	return 0;
}

int explore_load(struct explore *e, const struct sources *from, struct error *err)
{
	struct load_result result;
	bool has_kernel = !e->options.kernel;
	int status;

	e->from = from;
	if (load_profiles(from, &e->options, LOAD_BY_RESOURCE, &result, err))
		return -1;
	status = take_profiles(e, result.list, result.n, err);
	free(result.list);
	for (size_t i = 0; !status && i < result.n; i++) {
		has_kernel |= e->profiles[i].analysis.profile->has_kernel;
		status = warnings_profile(e->profiles[i].analysis.profile, e->options.strict, err);
	}
	warnings_kernel(status || has_kernel);
	if (!status)
		warnings_unmatched(&result.match.threads, "thread");
	selection_match_free(&result.match);
	return status;
}

void explore_profile_clear(struct explore_profile *p)
{
	explore_comparison_free(p);
	explore_names_free(&p->names);
	explore_names_free(&p->once_names);
	p->once.profile = NULL; /* `analysis` owns it */
	analysis_free(&p->once);
	analysis_free(&p->analysis);
}

void explore_free(struct explore *e)
{
	size_t i;

	for (i = 0; i < e->n; i++)
		explore_profile_clear(&e->profiles[i]);
	for (i = 0; i < e->n_kept; i++)
		free(e->kept[i]);
	for (i = 0; i < e->n_shown; i++)
		free(e->shown[i]);
	free(e->shown);
	free(e->bases);
	row_numbers_free(&e->numbers);
	explore_undo_free(e);
	free(e->profiles);
	free(e->kept);
}

/* ---- explore state --------------------------------------------------------------------------- */
/*
 * Shapes the current profile as a command wants it.
 *
 * In: the options of a command. Out: a tree, a graph, a view. The shape is kept, so that the next
 * command need not wait for it if it wants the same.
 */

/* Do these options shape the profile as the settings do? */
static bool is_as_set(const struct explore *e, const struct options *opt)
{
	const struct options *set = &e->options;

	return set->of_view.unit == opt->of_view.unit &&
	       set->of_symbols.granularity == opt->of_symbols.granularity &&
	       set->of_symbols.inlines == opt->of_symbols.inlines &&
	       filter_is_equal(&set->filter, &opt->filter);
}

struct analysis *explore_shape(struct explore *e, unsigned needs, const struct options *opt,
			       struct error *err)
{
	struct explore_profile *p = explore_current(e);
	bool is_set = is_as_set(e, opt);
	const struct tree *before;
	int status;
	struct analysis *s = is_set ? &p->analysis : &p->once;

	s->profile = p->analysis.profile;
	s->has_warned |= p->analysis.has_warned;
	analysis_adapt(s, opt);
	analysis_share_names(s, is_set ? &p->once : &p->analysis, opt);
	before = s->tree;
	status = report_shape(s, needs, opt, err);
	if (!before || s->tree != before)
		explore_names_free(is_set ? &p->names : &p->once_names);
	return status ? NULL : s;
}

int explore_reshape(struct explore *e, const struct options *wanted, struct error *err)
{
	struct explore_profile *p = explore_current(e);
	struct explore_names names = p->names;
	struct analysis analysis;

	if (!explore_shape(e, EXPLORE_FUNCTIONS, wanted, err))
		return -1;
	if (is_as_set(e, wanted))
		return 0;
	analysis = p->analysis;
	p->analysis = p->once;
	p->names = p->once_names;
	p->once = analysis;
	p->once_names = names;
	return 0;
}

const struct explore_names *explore_functions(struct explore *e, const struct options *opt,
					      struct error *err)
{
	struct explore_profile *p = explore_current(e);
	struct explore_names *names = is_as_set(e, opt) ? &p->names : &p->once_names;
	struct analysis *s = explore_shape(e, EXPLORE_FUNCTIONS, opt, err);

	if (!s || (!names->names && explore_names_fill(names, s->tree, s->graph, err)))
		return NULL;
	return names;
}

/* Whether the current profile has one resource, which is what a command shows. -1: error. */
static int explore_check_one(const struct explore *e, const char *command, struct error *err)
{
	if (!e->profiles[e->current].analysis.profile->n_columns)
		return 0;
	return error_set(err, "%s shows one resource; choose it: resources NAME", command);
}

static struct out *open_output(const struct explore *e, const char *output, struct error *err)
{
	struct out *o = NULL;

	if (!sources_check_output(e->from, output, err))
		o = out_open(output, err);
	if (o && !output && e->is_terminal)
		out_page(o, pager_of(e->pager));
	return o;
}

struct out *explore_open(struct explore *e, const char *output, struct error *err)
{
	struct out *o = open_output(e, output, err);

	e->sheet = (struct sheet){0};
	if (o && out_width(o))
		sheet_begin(&e->sheet, o, out_width(o));
	return o;
}

int explore_close(struct explore *e, struct out *o, struct error *err)
{
	if (out_width(o))
		sheet_end(&e->sheet, o);
	return out_close(o, true, err);
}

static int emit(struct explore *e, const struct view *view, const struct options *opt,
		const char *output, struct error *err)
{
	const char *format = picture_format(view, output);
	struct view_input in;
	struct error unused;
	struct analysis *s;
	struct out *o;
	int status;

	if (options_check_format(opt, view, err) ||
	    (!view->has_columns && explore_check_one(e, view->name, err)))
		return -1;
	s = explore_shape(e, view_needs(view, filter_drops(&opt->filter)), opt, err);
	if (!s)
		return -1;
	in = analysis_input(s, &opt->of_view);
	if (format && sources_check_output(e->from, output, err))
		return -1;
	if (format)
		return picture_write(view, &in, format, output, err);
	o = open_output(e, output, err);
	if (!o)
		return -1;
	if (!output) {
		in.is_introduced = &explore_current(e)->is_introduced;
		in.numbers = &e->numbers;
		e->numbers.is_shown = e->is_terminal;
	}
	status = view_show(view, &in, o, err);
	if (out_close(o, !status, status ? &unused : err))
		status = -1;
	return status;
}

int explore_emit(struct explore *e, const struct view *view, const struct options *opt,
		 const char *output, struct error *err)
{
	bool has_several = e->profiles[e->current].analysis.profile->n_columns;
	struct options with_base = *opt;
	int status = 0;

	if (e->n_bases && view->has_base && has_several && !view->has_rows)
		return error_set(err, "--%s compares one resource; choose it: resources NAME",
				 view->name);
	if (e->n_bases && view->has_base) {
		with_base.n_bases = e->n_bases;
		status = options_check_base(&with_base, view, err);
		status = status || explore_read_base(e, err) ? -1 : 0;
		e->compares = true;
	}
	if (!status)
		status = emit(e, view, opt, output, err);
	e->compares = false;
	return status;
}

const char *explore_keep(struct explore *e, const char *text)
{
	char *copy;

	if (!array_reserve(&e->kept, &e->kept_size, e->n_kept + 1, sizeof(*e->kept)))
		return NULL;
	copy = strdup(text);
	if (copy)
		e->kept[e->n_kept++] = copy;
	return copy;
}
