/* SPDX-License-Identifier: MIT */
/*
 * view_text.h - what a view makes of folded text, as a string.
 */
#ifndef VIEW_TEXT_H
#define VIEW_TEXT_H

#include "folded_text.h"
#include "graph.h"
#include "out_text.h"
#include "view.h"

__attribute__((unused)) static const struct view_options defaults = {
	.threshold = -1, .node_threshold = -1, .edge_threshold = -1};

/* What the view writes; free() it. */
__attribute__((unused)) static char *show(const struct view *v, struct profile *p,
					  const struct view_options *options)
{
	struct view_input in = {.profile = p, .options = options};
	char *text;
	struct error err;
	struct tree *t = tree_build(
		p, NULL, &(struct tree_options){.unit = (enum tree_unit)options->unit}, &err);
	struct graph *g = graph_build(t, &err);
	struct out *o = open_text();

	in.tree = t;
	in.graph = g;
	cr_assert_eq(v->emit(&in, o, &err), 0, "%s", err.text);
	cr_assert_eq(out_close(o, true, &err), 0, "%s", err.text);
	text = text_of_file("text");
	graph_free(g);
	tree_free(t);
	return text;
}

__attribute__((unused)) static void shows(const struct view *v, const char *folded,
					  struct view_options options, const char *want)
{
	struct profile *p = profile_of(folded);
	char *text = show(v, p, &options);

	cr_assert_str_eq(text, want);
	free(text);
	profile_free(p);
}

#endif
