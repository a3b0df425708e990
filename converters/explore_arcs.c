/* SPDX-License-Identifier: MIT */
/*
 * explore_arcs.c - who calls a function, and whom it calls.
 *
 * Explore room. In: struct graph and a function. Out: a table of its callers or callees, by weight.
 *
 * A stack counts once for a caller, however often that calls the function in it. Several callers may
 * stand in one stack of a recursive program: then their shares add up to more than 100 %.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "amount.h"
#include "caption.h"
#include "explore_command.h"
#include "rows.h"

#define NAME_COLUMN 34

struct arcs {
	const struct graph *graph;
	uint32_t function; /* whose: an index in graph->functions */
	bool is_up;	   /* its callers */
	struct graph_arc *list;
	size_t n;
	uint64_t
		rest; /* stacks that have no caller, or no callee: it was outermost, it was running */
};

static uint32_t other_end(const struct arcs *a, const struct graph_arc *arc)
{
	return a->is_up ? arc->caller : arc->callee;
}

static int compare(const void *a, const void *b, void *context)
{
	const struct graph_arc *x = a, *y = b;
	const struct arcs *all = context;

	if (x->stacks != y->stacks)
		return x->stacks < y->stacks ? 1 : -1;
	return other_end(all, x) < other_end(all, y) ? -1 : 1; /* functions are sorted by name */
}

static int find_function(struct arcs *a, const char *name, struct error *err)
{
	uint32_t number = strings_find(a->graph->strings, name, strlen(name));

	for (a->function = 0; a->function < a->graph->n_functions; a->function++)
		if (a->graph->functions[a->function].name == number)
			return 0;
	return error_set(err, "no function \"%s\" in the profile", name);
}

static int collect(struct arcs *a, struct error *err)
{
	const struct graph *g = a->graph;
	size_t i;

	a->list = calloc(g->n_arcs + 1, sizeof(*a->list));
	if (!a->list)
		return error_memory(err);
	for (i = 0; i < g->n_arcs; i++)
		if ((a->is_up ? g->arcs[i].callee : g->arcs[i].caller) == a->function)
			a->list[a->n++] = g->arcs[i];
	qsort_r(a->list, a->n, sizeof(*a->list), compare, a);
	a->rest = a->is_up ? g->starts[a->function].weight : g->functions[a->function].self;
	return 0;
}

static void write_line(struct out *o, const struct arcs *a, struct amount_scale scale,
		       uint64_t weight, const char *name, size_t n)
{
	char text[AMOUNT_BYTES];

	out_format(o, "%8.2f %8.2f %12s  ",
		   amount_fraction(weight, a->graph->functions[a->function].total) * 100,
		   amount_fraction(weight, a->graph->total) * 100,
		   amount_text(text, scale, weight));
	out_name_fit(o, name, n, NAME_COLUMN);
	out_text(o, "\n");
}

static void write_rest(struct out *o, const struct arcs *a, struct amount_scale scale)
{
	const char *text = a->is_up ? "(none: it is outermost)" : "(none: it is running)";

	if (a->rest)
		write_line(o, a, scale, a->rest, text, strlen(text));
}

static void write_heading(struct out *o, const struct arcs *a, const struct view_input *in)
{
	const struct tree_function *f = &a->graph->functions[a->function];
	const struct strings *strings = a->graph->strings;
	char title[16];
	size_t n;
	const char *name = strings_get(strings, f->name, &n);

	strcpy(title, a->is_up ? "Callers" : "Callees");
	caption_write(o, title, in);
	out_text(o, "function: ");
	out_name_fit(o, name, n, 10);
	out_format(o, "\ntotal %.2f %%, self %.2f %%\n\n",
		   amount_fraction(f->total, a->graph->total) * 100,
		   amount_fraction(f->self, a->graph->total) * 100);
	out_format(o, " share %%  total %%       weight  %s\n", a->is_up ? "caller" : "callee");
	caption_rule(o);
}

static bool is_shown(const struct arcs *a, const struct graph_arc *arc, size_t shown,
		     const struct view_options *options)
{
	return !amount_below(arc->stacks, a->graph->total, view_threshold(options, 0)) &&
	       (!options->top || shown < options->top);
}

static void write_table(struct out *o, const struct arcs *a, const struct view_input *in)
{
	const struct graph *g = a->graph;
	struct amount_scale scale =
		amount_scale(in->profile, g->unit, g->functions[a->function].total);
	size_t i, shown = 0;

	write_heading(o, a, in);
	for (i = 0; i < a->n; i++) {
		uint32_t name = g->functions[other_end(a, &a->list[i])].name;
		size_t n;
		const char *bytes = strings_get(g->strings, name, &n);

		if (!is_shown(a, &a->list[i], shown, in->options))
			break;
		write_line(o, a, scale, a->list[i].stacks, bytes, n);
		shown++;
	}
	write_rest(o, a, scale);
	caption_rule(o);
	if (shown < a->n)
		out_format(o, "not shown: %zu lighter one%s\n", a->n - shown,
			   a->n - shown == 1 ? "" : "s");
}

static void write_rows(struct out *o, const struct arcs *a, const struct view_input *in)
{
	static const char *const columns[] = {"weight", "share", "fraction", "name", NULL};
	const struct graph *g = a->graph;
	struct rows r;
	size_t i;

	rows_begin(&r, o, a->is_up ? "callers" : "callees", in);
	for (i = 0; i < a->n && is_shown(a, &a->list[i], i, in->options); i++) {
		rows_row(&r, columns);
		rows_count(&r, a->list[i].stacks);
		rows_fraction(&r,
			      amount_fraction(a->list[i].stacks, g->functions[a->function].total));
		rows_fraction(&r, amount_fraction(a->list[i].stacks, g->total));
		rows_name(&r, g->strings, g->functions[other_end(a, &a->list[i])].name);
	}
	rows_end(&r);
}

static int emit(const struct view_input *in, struct out *o, bool is_up, struct error *err)
{
	struct arcs a = {.graph = in->graph, .is_up = is_up};
	int status = find_function(&a, in->options->root, err) || collect(&a, err) ? -1 : 0;

	if (!status && view_is_rows(in->options))
		write_rows(o, &a, in);
	else if (!status)
		write_table(o, &a, in);
	free(a.list);
	return status;
}

static int emit_callers(const struct view_input *in, struct out *o, struct error *err)
{
	return emit(in, o, true, err);
}

static int emit_callees(const struct view_input *in, struct out *o, struct error *err)
{
	return emit(in, o, false, err);
}

const struct view explore_callers = {
	.name = "callers",
	.needs = VIEW_NEEDS_GRAPH | VIEW_TAKES_CALLS,
	.has_rows = true,
	.emit = emit_callers,
};

const struct view explore_callees = {
	.name = "callees",
	.needs = VIEW_NEEDS_GRAPH | VIEW_TAKES_CALLS,
	.has_rows = true,
	.emit = emit_callees,
};
