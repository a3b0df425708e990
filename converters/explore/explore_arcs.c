/* SPDX-License-Identifier: MIT */
/*
 * explore_arcs.c - lists the callers or the callees of a function.
 *
 * In: struct graph and a function. Out: a table of its callers or callees, by weight.
 *
 * A stack counts once for each caller, even if the caller calls the function several times in the
 * stack. A stack of a recursive program may have several callers of the function, so that the
 * shares of the callers may add up to more than 100 %. The same holds for callees.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "explore/explore_command.h"
#include "graph/function_names.h"
#include "write/caption.h"
#include "write/name_text.h"
#include "write/row_numbers.h"
#include "write/looks.h"
#include "write/rows.h"
#include "write/weight.h"

#define SHARE_WIDTH 8
#define NAME_ROOM   24 /* columns, below which columns of figures are left out */
#define ARROW	    " -> "

enum { SHARE, TOTAL, WEIGHT, CALLS, COLUMNS };

struct arcs {
	const struct graph *graph;
	const struct view_options *options;
	bool *is_ours; /* by number of the graph: the chosen function, or a place in it */
	size_t n_ours;
	bool is_up; /* callers are listed, not callees */
	uint64_t total, self;
	struct graph_arc *list;
	size_t n;
	/* Weight of the stacks in which the function has no caller because it is outermost, or no
	 * callee because it is running. */
	uint64_t rest;
	struct weight_scale scale;
	struct looks_columns columns;
};

/* ---- which arcs ------------------------------------------------------------------------------ */

static int choose_functions(struct arcs *a, const char *name, struct error *err)
{
	const struct graph *g = a->graph;
	struct function_names names;
	size_t i;

	if (function_names_of_graph(&names, g, name, err))
		return -1;
	a->is_ours = calloc(g->n_functions + 1, sizeof(*a->is_ours));
	for (i = 0; a->is_ours && i < g->n_functions; i++) {
		a->is_ours[i] = function_names_has(&names, g->functions[i].name);
		a->n_ours += a->is_ours[i];
	}
	function_names_free(&names);
	return a->is_ours ? 0 : error_memory(err);
}

static bool is_wanted(const struct arcs *a, const struct graph_arc *arc)
{
	return a->is_ours[a->is_up ? arc->callee : arc->caller];
}

/* Sorts by weight of stacks, then by caller, then by callee. The numbers of functions are in the
 * order of their names. */
static int compare(const void *a, const void *b)
{
	const struct graph_arc *x = a, *y = b;

	if (x->stacks != y->stacks)
		return x->stacks < y->stacks ? 1 : -1;
	if (x->caller != y->caller)
		return x->caller < y->caller ? -1 : 1;
	return (x->callee > y->callee) - (x->callee < y->callee);
}

static int collect(struct arcs *a, struct error *err)
{
	const struct graph *g = a->graph;
	size_t i;

	a->list = calloc(g->n_arcs + 1, sizeof(*a->list));
	if (!a->list)
		return error_memory(err);
	for (i = 0; i < g->n_arcs; i++)
		if (is_wanted(a, &g->arcs[i]))
			a->list[a->n++] = g->arcs[i];
	qsort(a->list, a->n, sizeof(*a->list), compare);
	return 0;
}

/* Adds the weights of all stacks with the function. Each stack counts once, even if it has several
 * places in the function. */
static int weigh_stacks(struct arcs *a, struct error *err)
{
	const struct tree *t = a->graph->tree;
	bool *is_name = calloc(strings_count(t->strings) + 1, sizeof(*is_name));
	size_t i;

	if (!is_name)
		return error_memory(err);
	for (i = 0; i < a->graph->n_functions; i++)
		is_name[a->graph->functions[i].name] = a->is_ours[i];
	for (i = 1; i < t->n_nodes;) {
		if (!is_name[t->nodes[i].name]) {
			i++;
			continue;
		}
		a->total += t->nodes[i].total;
		if (a->is_up && t->nodes[i].depth == 0)
			a->rest += t->nodes[i].total;
		i = t->nodes[i].end;
	}
	free(is_name);
	return 0;
}

static int weigh(struct arcs *a, struct error *err)
{
	const struct graph *g = a->graph;
	size_t i;

	for (i = 0; i < g->n_functions; i++)
		if (a->is_ours[i])
			a->self += g->functions[i].self;
	if (!a->is_up)
		a->rest = a->self;
	if (g->tree)
		return weigh_stacks(a, err);
	for (i = 0; i < g->n_functions; i++) {
		if (!a->is_ours[i])
			continue;
		a->total += g->functions[i].total;
		if (a->is_up && g->has_weights)
			a->rest += g->starts[i].weight;
	}
	return 0;
}

/* ---- lines ----------------------------------------------------------------------------------- */

static void set_widths(struct arcs *a, const struct view_input *in, const struct out *o)
{
	uint64_t calls = 0;
	size_t i;

	a->scale = weight_scale(in->profile, a->graph->unit, a->total);
	for (i = 0; i < a->n; i++)
		calls = a->list[i].calls > calls ? a->list[i].calls : calls;
	a->columns = (struct looks_columns){
		.list = {{"share %", SHARE_WIDTH, 0},
			 {"total %", SHARE_WIDTH, 1},
			 {"weight", a->scale.width, 2},
			 {"calls", a->graph->has_calls ? weight_count_width(calls) : 0, 3}},
		.n = COLUMNS,
	};
	looks_fit(&a->columns, o, NAME_ROOM + row_numbers_width(in));
}

static void write_weight(struct out *o, const struct arcs *a, uint64_t weight)
{
	char text[WEIGHT_BYTES];

	looks_format(o, &a->columns, SHARE, "%.2f", weight_fraction(weight, a->total) * 100);
	looks_format(o, &a->columns, TOTAL, "%.2f", weight_fraction(weight, a->graph->total) * 100);
	looks_cell(o, &a->columns, WEIGHT, weight_text(text, a->scale, weight));
}

static void write_name(struct out *o, const struct arcs *a, uint32_t function, int column)
{
	const struct tree_function *f = &a->graph->functions[function];

	name_text_last(o, a->graph->strings, f->name, f->is_inline,
		       column + looks_width(&a->columns) + 1);
}

/* Writes an arc. If the function has several places, both ends of the arc are written, which shows
 * the place. */
static void write_line(struct out *o, const struct arcs *a, const struct graph_arc *arc,
		       const struct view_input *in)
{
	uint32_t other = a->is_up ? arc->caller : arc->callee;
	int column = row_numbers_row(o, in, a->graph->functions[other].name);

	write_weight(o, a, arc->stacks);
	looks_format(o, &a->columns, CALLS, "%" PRIu64, arc->calls);
	out_text(o, " ");
	if (a->n_ours > 1) {
		write_name(o, a, arc->caller, column);
		out_text(o, ARROW);
		write_name(o, a, arc->callee, column);
	} else {
		write_name(o, a, other, column);
	}
	out_text(o, "\n");
}

static bool is_shown(const struct arcs *a, size_t i)
{
	const struct view_options *options = a->options;

	return i < a->n &&
	       !weight_below(a->list[i].stacks, a->graph->total,
			     view_input_threshold(options, 0)) &&
	       (!options->top || i < options->top);
}

static void write_heading(struct out *o, const struct arcs *a, const struct view_input *in)
{
	const char *what = a->n_ours > 1 ? "caller -> callee" : a->is_up ? "caller" : "callee";

	caption_write(o, a->is_up ? "Callers" : "Callees", in);
	out_text(o, "function: ");
	out_name_fit(o, in->options->root, strlen(in->options->root), 10);
	out_format(o, "\ntotal %.2f %%, self %.2f %%\n\n",
		   weight_fraction(a->total, a->graph->total) * 100,
		   weight_fraction(a->self, a->graph->total) * 100);
	row_numbers_heading(o, in, is_shown(a, 1) ? a->n : is_shown(a, 0));
	looks_headings(o, &a->columns);
	out_format(o, " %s\n", what);
	caption_rule(o);
}

static void write_table(struct out *o, struct arcs *a, const struct view_input *in)
{
	size_t i;

	set_widths(a, in, o);
	write_heading(o, a, in);
	for (i = 0; is_shown(a, i); i++)
		write_line(o, a, &a->list[i], in);
	if (a->rest) {
		if (in->numbers && in->numbers->is_shown)
			out_text(o, "    ");
		write_weight(o, a, a->rest);
		looks_cell(o, &a->columns, CALLS, "");
		out_format(o, " %s\n",
			   a->is_up ? "(none: it is outermost)" : "(none: it is running)");
	}
	caption_rule(o);
	if (i < a->n)
		out_format(o, "not shown: %zu lighter one%s\n", a->n - i, a->n - i == 1 ? "" : "s");
	looks_say_left_out(o, &a->columns);
}

static void write_rows(struct out *o, const struct arcs *a, const struct view_input *in)
{
	static const char *const of_callee[] = {"stacks", "callee_fraction", "stacks_fraction",
						"caller", "callee",	     NULL};
	static const char *const of_caller[] = {"stacks", "caller_fraction", "stacks_fraction",
						"caller", "callee",	     NULL};
	const struct graph *g = a->graph;
	struct rows r;
	size_t i;

	rows_begin(&r, o, a->is_up ? "callers" : "callees", in);
	for (i = 0; is_shown(a, i); i++) {
		const struct graph_arc *arc = &a->list[i];

		rows_row(&r, a->is_up ? of_callee : of_caller);
		rows_count(&r, arc->stacks);
		rows_fraction(&r, weight_fraction(arc->stacks, a->total));
		rows_fraction(&r, weight_fraction(arc->stacks, g->total));
		rows_name(&r, g->strings, g->functions[arc->caller].name);
		rows_name(&r, g->strings, g->functions[arc->callee].name);
	}
	rows_end(&r);
}

static int emit(const struct view_input *in, struct out *o, bool is_up, struct error *err)
{
	struct arcs a = {.graph = in->graph, .options = in->options, .is_up = is_up};
	int status = choose_functions(&a, in->options->root, err);

	if (!status)
		status = collect(&a, err) || weigh(&a, err) ? -1 : 0;
	if (!status && view_input_is_rows(in->options))
		write_rows(o, &a, in);
	else if (!status)
		write_table(o, &a, in);
	free(a.is_ours);
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
