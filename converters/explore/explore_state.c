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
#include "explore/explore_pager.h"
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
	struct explore_profile *p = &e->profiles[e->current];
	bool is_set = is_as_set(e, opt);
	struct analysis *s = is_set ? &p->analysis : &p->once;

	s->profile = p->analysis.profile;
	s->has_warned |= p->analysis.has_warned;
	analysis_adapt(s, opt);
	analysis_share_names(s, is_set ? &p->once : &p->analysis, opt);
	if (!s->tree)
		explore_names_free(is_set ? &p->names : &p->once_names);
	return report_shape(s, needs, opt, err) ? NULL : s;
}

int explore_reshape(struct explore *e, const struct options *wanted, struct error *err)
{
	struct explore_profile *p = &e->profiles[e->current];
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
	struct explore_profile *p = &e->profiles[e->current];
	struct explore_names *names = is_as_set(e, opt) ? &p->names : &p->once_names;
	struct analysis *s = explore_shape(e, EXPLORE_FUNCTIONS, opt, err);

	if (!s || (!names->names && explore_names_fill(names, s->tree, s->graph, err)))
		return NULL;
	return names;
}

struct out *explore_open(const struct explore *e, const char *output, struct error *err)
{
	struct out *o = out_open(output, err);

	if (o && !output && e->is_terminal)
		out_page(o, explore_pager(e->pager));
	return o;
}

int explore_emit(struct explore *e, const struct view *view, const struct options *opt,
		 const char *output, struct error *err)
{
	struct view_input in;
	struct error unused;
	struct analysis *s;
	struct out *o;
	int status;

	if (options_check_format(opt, view, err))
		return -1;
	s = explore_shape(e, view->needs, opt, err);
	if (!s)
		return -1;
	o = explore_open(e, output, err);
	if (!o)
		return -1;
	in = analysis_input(s, &opt->of_view);
	status = view->emit(&in, o, err);
	if (out_close(o, !status, status ? &unused : err))
		status = -1;
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
