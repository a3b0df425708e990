/* SPDX-License-Identifier: MIT */
/*
 * views.c - the table of views, and what several of them do.
 *
 * In: a name. Out: the view of that name.
 */
#include <stdlib.h>
#include <string.h>

#include "graph/call_counts.h"
#include "graph/function_names.h"
#include "tree/bottomup.h"
#include "view/view.h"
#include "write/sheet.h"

#define ROW(name, place) &view_##name,

const struct view *const views[] = {VIEWS(ROW) NULL};

const struct view *view_find(const char *name)
{
	size_t i;

	for (i = 0; views[i]; i++)
		if (strcmp(views[i]->name, name) == 0)
			return views[i];
	return NULL;
}

unsigned view_needs(const struct view *view, bool is_filtered)
{
	unsigned more = VIEW_NEEDS_TREE | VIEW_NEEDS_MOMENTS;

	return view->needs | (is_filtered && view->needs & VIEW_TELLS_THREADS ? more : 0);
}

bool view_takes_function(const struct view *view)
{
	return view->commands[0].argument == VIEW_ARGUMENT_FUNCTION && view->commands[0].is_needed;
}

static bool has_name(const char *const *list, const char *name)
{
	for (; list && *list; list++)
		if (strcmp(*list, name) == 0)
			return true;
	return false;
}

bool view_names_option(const struct view *view, const char *option)
{
	return has_name(view->options, option);
}

bool view_ignores_option(const struct view *view, const char *option)
{
	return has_name(view->ignores, option);
}

int view_show(const struct view *view, const struct view_input *in, struct out *o,
	      struct error *err)
{
	struct sheet sheet = {.has_colours = true};
	int status;

	if (!out_width(o) || !view->has_rows || view_input_is_rows(in->options))
		return view->emit(in, o, err);
	sheet_begin(&sheet, o, out_width(o));
	status = view->emit(in, o, err);
	sheet_end(&sheet, o);
	return status;
}

/* Of calls whose paths were cut it is not known what is below a function. */
static int calls_below(struct view_input *in, const struct function_names *roots, struct error *err)
{
	if (!in->calls)
		return 0;
	if (in->profile->counted->has_cut) {
		in->calls = NULL;
		in->calls_why = "--root";
		return 0;
	}
	in->calls = subtree_build(in->calls, roots->list, roots->n, err);
	return in->calls ? 0 : -1;
}

int view_below_root(const struct view_input *in, struct out *o, view_emit *emit, struct error *err)
{
	struct view_input rooted = *in;
	struct function_names roots;
	struct tree *below;
	struct graph *graph = NULL;
	int status;

	if (!in->options->root)
		return emit(in, o, err);
	if (!in->tree)
		return error_usage(err,
				   "--root needs stacks, and the input has calls without stacks");
	if (function_names_of_tree(&roots, in->tree, in->options->root, err))
		return -1;
	rooted.root = roots.title;
	rooted.tree = below = subtree_build(in->tree, roots.list, roots.n, err);
	if (below && in->graph)
		rooted.graph = graph = graph_build(below, err);
	status = below && (graph || !in->graph) ? calls_below(&rooted, &roots, err) : -1;
	if (!status)
		status = emit(&rooted, o, err);
	if (rooted.calls != in->calls)
		tree_free((struct tree *)(uintptr_t)rooted.calls);
	graph_free(graph);
	tree_free(below);
	function_names_free(&roots);
	return status;
}

int view_with_calls(const struct view_input *in, struct out *o, view_emit *emit, struct error *err)
{
	struct view_input with = *in;
	struct call_counts counts;
	struct graph *graph = NULL;
	int status;

	if (!in->calls)
		return emit(in, o, err);
	status = call_counts_build(&counts, in->calls, err);
	if (!status)
		with.graph = graph = call_counts_graph(&counts, in->graph, err);
	status = graph ? emit(&with, o, err) : -1;
	graph_free(graph);
	call_counts_free(&counts);
	return status;
}
