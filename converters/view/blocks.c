/* SPDX-License-Identifier: MIT */
/*
 * blocks.c - shows functions of several resources or two programs, each with the calls that it takes part in.
 *
 * In: struct tree with columns. Out: text, or rows.
 *
 * All columns have the same functions and the same calls in the same order. Functions are judged
 * among functions and calls among calls.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "contexts/arc_times.h"
#include "graph/function_names.h"
#include "graph/graph.h"
#include "view/compared.h"
#include "write/caption.h"
#include "write/pruned_graph.h"
#include "write/table.h"

struct call {
	uint32_t caller, callee; /* functions */
};

/* Calls of a function, as a part of an array. */
struct call_lists {
	uint32_t *list;	 /* sorted by function, then as they are ranked */
	uint32_t *first; /* by function; one more behind the last */
};

struct blocks {
	const struct view_input *in;
	struct table *table;
	bool has_callers; /* gprof's report, where a call may weigh less in the block of the caller */
	double of_calls; /* threshold of calls, in percent */
	bool *is_meant;	 /* by function: it has a block; NULL: all have */
	struct tree_function *functions;
	size_t n;
	struct call *calls;
	size_t n_calls;
	struct table_parts parts[3];
	struct table_ranking of_functions;
	struct table_ranking into, out; /* of calls, in the callee's block and in the caller's */
	struct call_lists callers, callees; /* those into a function, and those out of it */
	uint64_t n_small;		    /* calls that are left out of the blocks */
};

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
	uint32_t *number = calloc(strings_count(b->in->profile->strings) + 1, sizeof(*number));

	for (size_t i = 0; number && i < b->n; i++)
		number[b->functions[i].name] = (uint32_t)i;
	return number;
}

static int take_arcs(struct blocks *b, const uint32_t *number, struct error *err)
{
	struct arc_times *a = arc_times_build(b->in->tree, err);

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
	const struct graph *g = b->in->graph;
	bool *reached = pruned_graph_reached(g, b->in, err);

	if (!reached)
		return -1;
	b->calls = calloc(g->n_arcs + 1, sizeof(*b->calls));
	b->is_meant = calloc(b->n + 1, sizeof(*b->is_meant));
	for (size_t i = 0; b->is_meant && i < g->n_functions; i++)
		b->is_meant[number[g->functions[i].name]] = reached[i];
	free(reached);
	if (!b->calls || !b->is_meant)
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

	b->functions = tree_functions(b->in->tree, &b->n, err);
	if (!b->functions)
		return -1;
	number = number_functions(b);
	if (!number)
		return error_memory(err);
	status = b->has_callers ? take_arcs(b, number, err) : take_graph(b, number, err);
	free(number);
	return status;
}

static int rank(struct blocks *b, struct error *err)
{
	static bool is_out = true, is_into = false;
	struct table_parts *p = b->parts;

	p[0] = (struct table_parts){.n = b->n, .measure = {weigh_functions, NULL}};
	p[1] = (struct table_parts){.n = b->n_calls, .measure = {weigh_graph, NULL}};
	if (b->has_callers)
		p[1].measure = (struct comparison_measure){weigh_arcs, &is_out};
	p[2] = (struct table_parts){.n = b->n_calls, .measure = {weigh_arcs, &is_into}};
	if (table_rank(&b->of_functions, b->table, &p[0], err) ||
	    table_rank(&b->out, b->table, &p[1], err))
		return -1;
	return b->has_callers ? table_rank(&b->into, b->table, &p[2], err) : 0;
}

/* A counting sort, which leaves the calls of a function in the order of the ranking. */
static int sort_calls(struct call_lists *to, const struct blocks *b, const struct table_ranking *r,
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

static void blocks_free(struct blocks *b)
{
	table_ranking_free(&b->of_functions);
	table_ranking_free(&b->into);
	table_ranking_free(&b->out);
	free(b->is_meant);
	free(b->functions);
	free(b->calls);
	free(b->callers.list);
	free(b->callers.first);
	free(b->callees.list);
	free(b->callees.first);
}

/* ---- what is shown --------------------------------------------------------------------------- */

static bool is_meant(const struct blocks *b, uint32_t function)
{
	return !b->is_meant || b->is_meant[function];
}

/* Whether the call has a row: of a report one of its functions is meant, of a graph both are. */
static bool is_call_meant(const struct blocks *b, const struct call *call)
{
	return b->has_callers ? is_meant(b, call->caller) || is_meant(b, call->callee)
			      : is_meant(b, call->caller) && is_meant(b, call->callee);
}

static bool is_small(const struct blocks *b, const struct table_ranking *r, uint32_t part,
		     double threshold)
{
	const struct table *t = b->table;

	return r->changes ? compared_table_is_small(&t->compared, table_change(r, part))
			  : table_is_small(t, &r->weights[(size_t)part * t->n_columns], threshold);
}

/* Whether nothing was used in it at all. */
static bool is_nothing(const struct blocks *b, const struct table_ranking *r, uint32_t part)
{
	size_t n = b->table->n_columns;

	if (r->changes)
		return compared_table_is_nothing(&b->table->compared, table_change(r, part));
	for (size_t k = 0; k < n; k++)
		if (r->weights[part * n + k])
			return false;
	return true;
}

/* The same of a function, or a row for programs; it is counted. */
static bool is_hidden(struct blocks *b, const struct table_ranking *r, uint32_t part,
		      double threshold, uint64_t *n_shown)
{
	struct table *t = b->table;
	uint64_t top = t->in->options->top;

	if (r->changes)
		return compared_table_hides(&t->compared, table_change(r, part));
	if (is_small(b, r, part, threshold))
		t->footer.small++;
	else if (top && *n_shown >= top)
		t->footer.beyond++;
	else
		return ++*n_shown == 0;
	return true;
}

static int write_row(struct blocks *b, const struct table_ranking *r, uint32_t part,
		     struct table_row row, struct error *err)
{
	if (r->weights)
		row.weights = &r->weights[(size_t)part * b->table->n_columns];
	return table_row(b->table, &row, table_change(r, part), err);
}

/* ---- text ------------------------------------------------------------------------------------ */

static int write_line(struct blocks *b, const struct table_ranking *r, uint32_t part,
		      const char *before, uint32_t function, struct error *err)
{
	const struct tree_function *f = &b->functions[function];
	const struct table_row row = {.name = f->name, .is_inline = f->is_inline, .before = before};

	return write_row(b, r, part, row, err);
}

/* As in gprof's report, the heaviest caller is next to the function's line; of two programs the one that changed most is
 * first. */
static int write_calls(struct blocks *b, const struct call_lists *calls,
		       const struct table_ranking *r, uint32_t function, struct error *err)
{
	bool are_callers = calls == &b->callers;
	const char *before = b->has_callers ? "    " : "  -> ";
	uint32_t first = calls->first[function], end = calls->first[function + 1];
	int status = 0;

	for (uint32_t i = first; !status && i < end; i++) {
		uint32_t part = calls->list[are_callers && r->weights ? end - 1 - (i - first) : i];
		const struct call *call = &b->calls[part];

		if (is_nothing(b, r, part) || !is_call_meant(b, call))
			continue;
		if (is_small(b, r, part, b->of_calls))
			b->n_small++;
		else
			status = write_line(b, r, part, before,
					    are_callers ? call->caller : call->callee, err);
	}
	return status;
}

static int write_block(struct blocks *b, uint32_t function, bool is_first, struct error *err)
{
	if (b->has_callers && !is_first)
		caption_rule(b->table->out);
	if (b->has_callers && write_calls(b, &b->callers, &b->into, function, err))
		return -1;
	return write_line(b, &b->of_functions, function, "", function, err) ||
			       write_calls(b, &b->callees, &b->out, function, err)
		       ? -1
		       : 0;
}

static int write_text(struct blocks *b, struct error *err)
{
	struct table *t = b->table;
	uint64_t n = 0, n_shown = 0;

	for (size_t i = 0; i < b->n; i++) {
		uint32_t function = b->of_functions.order[i];

		if (is_meant(b, function) &&
		    !is_hidden(b, &b->of_functions, function, t->threshold, &n_shown) &&
		    write_block(b, function, n++ == 0, err))
			return -1;
	}
	return 0;
}

static void write_small(const struct blocks *b)
{
	const struct table *t = b->table;

	if (!b->n_small)
		return;
	out_format(t->out, "not shown: %" PRIu64 " call%s ", b->n_small,
		   b->n_small == 1 ? "" : "s");
	if (t->shape == TABLE_COMPARED)
		out_format(t->out, "without * whose change is below %g %% of the total\n",
			   t->compared.threshold);
	else
		out_format(t->out, "below %g %%\n", b->of_calls);
}

/* ---- rows ------------------------------------------------------------------------------------ */

/* Functions, and then calls: of gprof's report, as they are in the block of the callee. */
static int write_rows(struct blocks *b, struct error *err)
{
	const struct table_ranking *calls = b->has_callers ? &b->into : &b->out;
	uint64_t n_functions = 0, n_calls = 0;
	int status = 0;

	for (size_t i = 0; !status && i < b->n; i++) {
		uint32_t function = b->of_functions.order[i];

		if (is_meant(b, function) &&
		    !is_hidden(b, &b->of_functions, function, b->table->threshold, &n_functions))
			status = write_line(b, &b->of_functions, function, "", function, err);
	}
	for (size_t i = 0; !status && i < b->n_calls; i++) {
		const struct call *call = &b->calls[calls->order[i]];
		const struct table_row row = {
			.name = b->functions[call->caller].name,
			.callee = b->functions[call->callee].name,
			.is_call = true,
		};

		if (is_call_meant(b, call) &&
		    !is_hidden(b, calls, calls->order[i], b->of_calls, &n_calls))
			status = write_row(b, calls, calls->order[i], row, err);
	}
	return status;
}

/* ---- the views ------------------------------------------------------------------------------- */

static int fill(struct table *t, const void *from, struct error *err)
{
	struct blocks *b = t->about->context;
	int status;

	(void)from;
	b->table = t;
	if (b->has_callers) {
		b->of_calls = t->threshold;
	} else if (t->shape == TABLE_SEVERAL) {
		t->threshold = pruned_graph_node_threshold(t->in->options);
		b->of_calls = pruned_graph_edge_threshold(t->in->options);
	}
	if (b->has_callers && t->in->options->root) {
		t->threshold = b->of_calls = view_input_threshold(t->in->options, 0);
		t->compared.threshold = t->threshold;
	}
	if (rank(b, err))
		return -1;
	if (sort_calls(&b->callees, b, &b->out, true) ||
	    (b->has_callers && sort_calls(&b->callers, b, &b->into, false)))
		return error_memory(err);
	if (table_begin(t, err))
		return -1;
	status = t->is_rows ? write_rows(b, err) : write_text(b, err);
	status = table_end(t, status, err);
	if (!t->is_rows)
		write_small(b);
	return status;
}

static int show(struct blocks *b, const char *root, struct out *o, struct error *err)
{
	const struct table_about about = {
		.view = b->has_callers ? "callgraph" : "graph",
		.title = b->has_callers ? "Call Graph Profile" : "Call Graph",
		.what = "function",
		.text_threshold = 0.5,
		.last = b->has_callers ? "callers, function, callees" : "function, and its calls",
		.root = root,
		.context = b,
	};

	return table_make(b->in, o, &about, fill, NULL, err);
}

int blocks_graph(const struct view_input *in, struct out *o, struct error *err)
{
	struct blocks b = {.in = in};
	int status;

	if (in->options->totals == VIEW_PROPAGATED)
		return error_usage(err, "--totals propagated: %s",
				   compared(in) ? "exact totals are compared"
						: "several resources have exact totals");
	status = take(&b, err);
	if (!status)
		status = show(&b, NULL, o, err);
	blocks_free(&b);
	return status;
}

static int choose(struct blocks *b, const struct function_names *roots, struct error *err)
{
	b->is_meant = calloc(b->n + 1, sizeof(*b->is_meant));
	for (size_t i = 0; b->is_meant && i < b->n; i++)
		b->is_meant[i] = function_names_has(roots, b->functions[i].name);
	return b->is_meant ? 0 : error_memory(err);
}

int blocks_callgraph(const struct view_input *in, struct out *o, struct error *err)
{
	struct blocks b = {.in = in, .has_callers = true};
	struct function_names roots = {0};
	bool has_roots = in->options->root;
	int status;

	if (has_roots && function_names_of_tree(&roots, in->tree, in->options->root, err))
		return -1;
	status = take(&b, err);
	if (!status && has_roots)
		status = choose(&b, &roots, err);
	if (!status)
		status = show(&b, has_roots ? roots.title : NULL, o, err);
	blocks_free(&b);
	function_names_free(&roots);
	return status;
}
