/* SPDX-License-Identifier: MIT */
/*
 * explore_state.c - shapes the current profile as a command wants it, and keeps it that way.
 *
 * Explore room. In: options of a command. Out: a tree, a graph, a view. What the next command wants
 * in the same shape is there already.
 */
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "explore.h"
#include "explore_pager.h"

int explore_shape(struct explore *e, unsigned needs, const struct options *opt, struct error *err)
{
	struct explore_profile *p = &e->profiles[e->current];

	stages_adapt(&p->stages, opt);
	if (!p->stages.tree)
		explore_names_free(&p->names);
	return stages_shape(&p->stages, needs, opt, err);
}

const struct explore_names *explore_functions(struct explore *e, const struct options *opt,
					      struct error *err)
{
	struct explore_profile *p = &e->profiles[e->current];

	if (explore_shape(e, EXPLORE_FUNCTIONS, opt, err))
		return NULL;
	if (!p->names.names && explore_names_fill(&p->names, p->stages.tree, p->stages.graph, err))
		return NULL;
	return &p->names;
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
	struct out *o;
	int status;

	if (options_check_format(opt, view, err) || explore_shape(e, view->needs, opt, err))
		return -1;
	o = explore_open(e, output, err);
	if (!o)
		return -1;
	in = stages_input(&e->profiles[e->current].stages, &opt->of_view);
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
