/* SPDX-License-Identifier: MIT */
/*
 * explore_state.c - shapes the current profile as a command wants it.
 *
 * In: the options of a command. Out: a tree, a graph, a view. The shape is kept, so that the next
 * command need not wait for it if it wants the same.
 */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "explore/explore.h"
#include "pipeline/pager.h"
#include "pipeline/report.h"

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

struct out *explore_open(const struct explore *e, const char *output, struct error *err)
{
	struct out *o = NULL;

	if (!sources_check_output(e->from, output, err))
		o = out_open(output, err);
	if (o && !output && e->is_terminal)
		out_page(o, pager_of(e->pager));
	return o;
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
	s = explore_shape(e, view->needs, opt, err);
	if (!s)
		return -1;
	in = analysis_input(s, &opt->of_view);
	if (format && sources_check_output(e->from, output, err))
		return -1;
	if (format)
		return picture_write(view, &in, format, output, err);
	o = explore_open(e, output, err);
	if (!o)
		return -1;
	if (!output) {
		in.is_introduced = &explore_current(e)->is_introduced;
		in.numbers = &e->numbers;
		e->numbers.is_shown = e->is_terminal;
	}
	status = view->emit(&in, o, err);
	if (out_close(o, !status, status ? &unused : err))
		status = -1;
	return status;
}

int explore_emit(struct explore *e, const struct view *view, const struct options *opt,
		 const char *output, struct error *err)
{
	struct options with_base = *opt;
	int status = 0;

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
