/* SPDX-License-Identifier: MIT */
/*
 * compared_blocks.c - shows functions of two programs, each with the calls that it takes part in.
 *
 * In: struct tree whose columns are runs. Out: text, or rows.
 *
 * All runs have the same functions and the same calls in the same order. Functions are judged among
 * functions and calls among calls.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "contexts/arc_times.h"
#include "graph/function_names.h"
#include "graph/graph.h"
#include "view/compared.h"
#include "write/caption.h"
#include "write/name_text.h"

/* Parts of a tree, judged. */
struct ranking {
	struct comparison_row *rows; /* by part */
	uint32_t *order;	     /* the parts as compared_table_compare sorts them */
	size_t n;
};

struct call {
	uint32_t caller, callee; /* functions */
};

/* Calls of a function, as a part of an array. */
struct call_lists {
	uint32_t *list;	 /* sorted by function, then as compared_table_compare sorts them */
	uint32_t *first; /* by function; one more behind the last */
};

struct blocks {
	struct compared_table table;
	bool has_callers; /* gprof's report, where a call may weigh less in the block of the caller */
	bool has_roots;	  /* only the blocks of these functions are shown */
	struct function_names roots;
	struct tree_function *functions;
	size_t n;
	struct call *calls;
	size_t n_calls;
	struct ranking of_functions;
	struct ranking into, out; /* of calls, in the callee's block and in the caller's */
	struct call_lists callers, callees; /* those into a function, and those out of it */
	uint64_t n_small;		    /* calls that are left out of the blocks */
};

/* ---- rankings -------------------------------------------------------------------------------- */

static int compare_rows(const void *a, const void *b, void *context)
{
	const struct comparison_row *rows = context;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	int order = compared_table_compare(&rows[x], &rows[y]);

	return order ? order : (x > y) - (x < y);
}

static int ranking_make(struct ranking *r, const struct comparison *c,
			const struct comparison_measure *measure, size_t n, struct error *err)
{
	*r = (struct ranking){.n = n, .rows = comparison_parts(c, measure, n, err)};
	if (!r->rows)
		return -1;
	r->order = calloc(n + 1, sizeof(*r->order));
	if (!r->order)
		return error_memory(err);
	for (size_t i = 0; i < n; i++)
		r->order[i] = (uint32_t)i;
	qsort_r(r->order, n, sizeof(*r->order), compare_rows, r->rows);
	return 0;
}

static void ranking_free(struct ranking *r)
{
	free(r->rows);
	free(r->order);
	*r = (struct ranking){0};
}

/* ---- measures -------------------------------------------------------------------------------- */

static int weigh_functions(void *context, const struct tree *t, uint64_t *weights,
			   struct error *err)
{
	size_t n;
	struct tree_function *f = tree_functions(t, &n, err);

	(void)context;
	for (size_t i = 0; f && i < n; i++)
		weights[i] = f[i].total;
	free(f);
	return f ? 0 : -1;
}

static int weigh_graph(void *context, const struct tree *t, uint64_t *weights, struct error *err)
{
	struct graph *g = graph_build(t, err);

	(void)context;
	for (size_t i = 0; g && i < g->n_arcs; i++)
		weights[i] = g->arcs[i].weight;
	graph_free(g);
	return g ? 0 : -1;
}

/* `context` points to whether the calls are those out of the caller, or those into the callee. */
static int weigh_arcs(void *context, const struct tree *t, uint64_t *weights, struct error *err)
{
	const bool *is_out = context;
	struct arc_times *a = arc_times_build(t, err);

	for (size_t i = 0; a && i < a->n; i++)
		weights[i] = *is_out ? a->arcs[i].self1 + a->arcs[i].child1
				     : a->arcs[i].self2 + a->arcs[i].child2;
	arc_times_free(a);
	return a ? 0 : -1;
}

/* ---- functions and calls --------------------------------------------------------------------- */

/* The number of each function, by its name; the caller frees it. NULL: memory. */
static uint32_t *number_functions(const struct blocks *b)
{
	uint32_t *number =
		calloc(strings_count(b->table.in->profile->strings) + 1, sizeof(*number));

	for (size_t i = 0; number && i < b->n; i++)
		number[b->functions[i].name] = (uint32_t)i;
	return number;
}

static int take_arcs(struct blocks *b, const uint32_t *number, struct error *err)
{
	struct arc_times *a = arc_times_build(b->table.in->tree, err);

	if (!a)
		return -1;
	b->calls = calloc(a->n + 1, sizeof(*b->calls));
	for (size_t i = 0; b->calls && i < a->n; i++)
		b->calls[i] = (struct call){number[a->arcs[i].caller], number[a->arcs[i].callee]};
	b->n_calls = a->n;
	arc_times_free(a);
	return b->calls ? 0 : error_memory(err);
}

static int take_graph(struct blocks *b, const uint32_t *number, struct error *err)
{
	const struct graph *g = b->table.in->graph;

	b->calls = calloc(g->n_arcs + 1, sizeof(*b->calls));
	if (!b->calls)
		return error_memory(err);
	for (size_t i = 0; i < g->n_arcs; i++)
		b->calls[i] = (struct call){number[g->functions[g->arcs[i].caller].name],
					    number[g->functions[g->arcs[i].callee].name]};
	b->n_calls = g->n_arcs;
	return 0;
}

static int take(struct blocks *b, struct error *err)
{
	uint32_t *number;
	int status;

	b->functions = tree_functions(b->table.in->tree, &b->n, err);
	if (!b->functions)
		return -1;
	number = number_functions(b);
	if (!number)
		return error_memory(err);
	status = b->has_callers ? take_arcs(b, number, err) : take_graph(b, number, err);
	free(number);
	return status;
}

static int compare(struct blocks *b, struct error *err)
{
	bool is_out = true, is_into = false;
	const struct comparison_measure functions = {weigh_functions, NULL},
					graph = {weigh_graph, NULL}, out = {weigh_arcs, &is_out},
					into = {weigh_arcs, &is_into};
	const struct comparison *c = &b->table.comparison;

	if (ranking_make(&b->of_functions, c, &functions, b->n, err) ||
	    ranking_make(&b->out, c, b->has_callers ? &out : &graph, b->n_calls, err))
		return -1;
	return b->has_callers ? ranking_make(&b->into, c, &into, b->n_calls, err) : 0;
}

/* A counting sort, which leaves the calls of a function in the order of the ranking. */
static int sort_calls(struct call_lists *to, const struct blocks *b, const struct ranking *r,
		      bool by_caller)
{
	to->list = calloc(b->n_calls + 1, sizeof(*to->list));
	to->first = calloc(b->n + 2, sizeof(*to->first));
	if (!to->list || !to->first)
		return -1;
	for (size_t i = 0; i < b->n_calls; i++)
		to->first[(by_caller ? b->calls[i].caller : b->calls[i].callee) + 2]++;
	for (size_t i = 2; i < b->n + 2; i++)
		to->first[i] += to->first[i - 1];
	for (size_t i = 0; i < b->n_calls; i++) {
		const struct call *call = &b->calls[r->order[i]];

		to->list[to->first[(by_caller ? call->caller : call->callee) + 1]++] = r->order[i];
	}
	return 0;
}

static int prepare(struct blocks *b, struct error *err)
{
	if (take(b, err) || compare(b, err))
		return -1;
	if (sort_calls(&b->callees, b, &b->out, true) ||
	    (b->has_callers && sort_calls(&b->callers, b, &b->into, false)))
		return error_memory(err);
	return 0;
}

static void blocks_free(struct blocks *b)
{
	compared_table_free(&b->table);
	ranking_free(&b->of_functions);
	ranking_free(&b->into);
	ranking_free(&b->out);
	free(b->functions);
	free(b->calls);
	free(b->callers.list);
	free(b->callers.first);
	free(b->callees.list);
	free(b->callees.first);
	function_names_free(&b->roots);
}

static bool is_meant(const struct blocks *b, uint32_t function)
{
	return !b->has_roots || function_names_has(&b->roots, b->functions[function].name);
}

/* ---- text ------------------------------------------------------------------------------------ */

static void write_line(struct blocks *b, const struct comparison_row *row, const char *before,
		       size_t function)
{
	const struct tree_function *f = &b->functions[function];

	compared_table_row(&b->table, row, NULL);
	out_text(b->table.out, before);
	name_text_last(b->table.out, b->table.in->profile->strings, f->name, f->is_inline,
		       COMPARED_COLUMN + (int)strlen(before));
	compared_table_row_end(&b->table, row);
}

static void write_calls(struct blocks *b, const struct call_lists *calls, const struct ranking *r,
			size_t function)
{
	for (uint32_t i = calls->first[function]; i < calls->first[function + 1]; i++) {
		const struct comparison_row *row = &r->rows[calls->list[i]];
		const struct call *call = &b->calls[calls->list[i]];

		if (!row->sum_before && !row->sum_after)
			continue;
		if (compared_table_is_small(&b->table, row))
			b->n_small++;
		else if (calls == &b->callers)
			write_line(b, row, "    ", call->caller);
		else
			write_line(b, row, b->has_callers ? "    " : "  -> ", call->callee);
	}
}

static void write_blocks(struct blocks *b)
{
	for (size_t i = 0; i < b->n; i++) {
		uint32_t function = b->of_functions.order[i];
		const struct comparison_row *row = &b->of_functions.rows[function];

		if (!is_meant(b, function) || compared_table_hides(&b->table, row))
			continue;
		if (b->has_callers && b->table.n_shown > 1)
			caption_rule(b->table.out);
		if (b->has_callers)
			write_calls(b, &b->callers, &b->into, function);
		write_line(b, row, "", function);
		write_calls(b, &b->callees, &b->out, function);
	}
}

static void write_text(struct blocks *b)
{
	if (b->has_callers)
		compared_table_head(&b->table, "Call Graph Profile", "callgraph",
				    "callers, function, callees");
	else
		compared_table_head(&b->table, "Call Graph", "graph", "function, and its calls");
	write_blocks(b);
	compared_table_end(&b->table);
	if (b->n_small)
		out_format(b->table.out,
			   "not shown: %" PRIu64
			   " call%s without * whose change is below %g %% of the total\n",
			   b->n_small, b->n_small == 1 ? "" : "s", b->table.threshold);
}

/* ---- rows ------------------------------------------------------------------------------------ */

/* Functions, and then calls: of gprof's report, as they are in the block of the callee. */
static void write_rows(struct blocks *b)
{
	static const char *const of_function[] = {COMPARED_KEYS, "name", NULL};
	static const char *const of_call[] = {COMPARED_KEYS, "caller", "callee", NULL};
	const struct ranking *calls = b->has_callers ? &b->into : &b->out;
	const struct strings *strings = b->table.in->profile->strings;
	struct compared_table *t = &b->table;

	compared_table_head(t, "", b->has_callers ? "callgraph" : "graph", "");
	for (size_t i = 0; i < b->n; i++) {
		uint32_t function = b->of_functions.order[i];

		if (!is_meant(b, function) ||
		    compared_table_hides(t, &b->of_functions.rows[function]))
			continue;
		compared_table_row(t, &b->of_functions.rows[function], of_function);
		rows_name(&t->rows, strings, b->functions[function].name);
	}
	for (size_t i = 0; i < b->n_calls; i++) {
		const struct call *call = &b->calls[calls->order[i]];

		if (!is_meant(b, call->caller) && !is_meant(b, call->callee))
			continue;
		if (compared_table_hides(t, &calls->rows[calls->order[i]]))
			continue;
		compared_table_row(t, &calls->rows[calls->order[i]], of_call);
		rows_name(&t->rows, strings, b->functions[call->caller].name);
		rows_name(&t->rows, strings, b->functions[call->callee].name);
	}
	compared_table_end(t);
}

static int show(struct blocks *b, const struct view_input *in, struct out *o, struct error *err)
{
	int status = compared_table_begin(&b->table, in, o, "function", err);

	if (b->has_roots) {
		b->table.root = b->roots.title;
		b->table.threshold = view_input_threshold(in->options, 0);
	}
	if (!status)
		status = prepare(b, err);
	if (!status && view_input_is_rows(in->options))
		write_rows(b);
	else if (!status)
		write_text(b);
	blocks_free(b);
	return status;
}

int compared_graph(const struct view_input *in, struct out *o, struct error *err)
{
	const struct view_options *options = in->options;
	struct blocks b = {0};

	if (options->root || options->leaf || options->depth)
		return error_usage(err, "--root, --leaf and --depth: the whole graph is compared");
	if (options->totals == VIEW_PROPAGATED)
		return error_usage(err, "--totals propagated: exact totals are compared");
	return show(&b, in, o, err);
}

int compared_callgraph(const struct view_input *in, struct out *o, struct error *err)
{
	struct blocks b = {.has_callers = true, .has_roots = in->options->root};

	if (b.has_roots && function_names_of_tree(&b.roots, in->tree, in->options->root, err))
		return -1;
	return show(&b, in, o, err);
}
