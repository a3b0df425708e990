/* SPDX-License-Identifier: MIT */
/*
 * view_edges.c - the call graph as a table (Naganov, "call graph").
 *
 * In: struct graph. Out: a line for each pair of caller and callee.
 */
#include <stdlib.h>
#include <string.h>

#include "view/compared.h"
#include "view/view.h"
#include "write/caption.h"
#include "write/footer.h"
#include "write/rows.h"
#include "write/weight.h"

#define TEXT_THRESHOLD 0.5
#define ARROW	       " -> "

/* Arcs are sorted by weight. Calls of a function to itself have none; they follow, sorted by stacks. */
static int compare_weights(const void *a, const void *b, void *context)
{
	const struct graph *g = context;
	uint32_t i = *(const uint32_t *)a, k = *(const uint32_t *)b;
	const struct graph_arc *x = &g->arcs[i], *y = &g->arcs[k];

	if (x->weight != y->weight)
		return x->weight < y->weight ? 1 : -1;
	if (x->stacks != y->stacks)
		return x->stacks < y->stacks ? 1 : -1;
	if (x->calls != y->calls)
		return x->calls < y->calls ? 1 : -1;
	return (i > k) - (i < k);
}

static int compare_numbers(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

/* Put the arcs that are shown at the beginning of the array, for people the heaviest first. Returns
 * their number. */
static size_t choose(const struct view_input *in, double threshold, uint32_t *arcs,
		     struct footer *footer)
{
	const struct graph *g = in->graph;
	size_t i, n = 0, top = (size_t)in->options->top;

	*footer = (struct footer){.what = "edge"};
	for (i = 0; i < g->n_arcs; i++) {
		if (weight_below(g->arcs[i].stacks, g->total, threshold))
			footer->small++;
		else
			arcs[n++] = (uint32_t)i;
	}
	if (!top && view_input_is_rows(in->options))
		return n;
	/* The comparison only reads; qsort_r has no const context. */
	qsort_r(arcs, n, sizeof(*arcs), compare_weights, (void *)(uintptr_t)g);
	if (!top || n <= top)
		return n;
	footer->beyond = n - top;
	return top;
}

static void write_row(struct rows *r, const struct graph *g, const struct graph_arc *arc)
{
	static const char *const columns[] = {"caller", "callee",      "total",
					      "stacks", "occurrences", NULL};
	static const char *const of_calls[] = {"caller",      "callee", "total", "stacks",
					       "occurrences", "calls",	NULL};

	rows_row(r, g->has_calls ? of_calls : columns);
	rows_name(r, g->strings, g->functions[arc->caller].name);
	rows_name(r, g->strings, g->functions[arc->callee].name);
	rows_count(r, arc->weight);
	rows_count(r, arc->stacks);
	rows_count(r, arc->occurrences);
	if (g->has_calls)
		rows_count(r, arc->calls);
}

/* On a terminal each of the two names has half of the line that is left from `column` on. */
static void write_name(struct out *o, const struct graph *g, uint32_t function, int column)
{
	int width = out_width(o), room = (width - column - (int)strlen(ARROW)) / 2;
	size_t n;
	const char *name = strings_shown(g->strings, g->functions[function].name, &n);

	out_name_fit(o, name, n, width - room);
}

/* All weights of a column have the same unit, so that they can be compared. */
struct scales {
	struct weight_scale weight, occurrences;
};

static unsigned __int128 often(const struct graph *g, const struct graph_arc *arc)
{
	return g->has_calls ? arc->calls : arc->occurrences;
}

static struct scales scales(const struct view_input *in)
{
	const struct graph *g = in->graph;
	unsigned __int128 occurrences = 0;
	uint64_t weight = 0;
	size_t i;

	for (i = 0; i < g->n_arcs; i++) {
		const struct graph_arc *arc = &g->arcs[i];

		weight = arc->weight > weight ? arc->weight : weight;
		if (often(g, arc) > occurrences)
			occurrences = often(g, arc);
	}
	return (struct scales){
		weight_scale(in->profile, g->unit, weight),
		weight_scale(in->profile, g->has_calls ? TREE_HITS : g->unit, occurrences),
	};
}

static void write_line(struct out *o, const struct view_input *in, const struct graph_arc *arc,
		       const struct scales *scales)
{
	const struct graph *g = in->graph;
	uint64_t whole = in->options->of_parent ? g->functions[arc->caller].total : g->total;
	int column = 9 + scales->weight.width + 1 + scales->occurrences.width + 2;
	char weight[WEIGHT_BYTES], occurrences[WEIGHT_BYTES];

	out_format(o, "%8.2f %*s %*s  ", weight_fraction(arc->weight, whole) * 100,
		   scales->weight.width, weight_text(weight, scales->weight, arc->weight),
		   scales->occurrences.width,
		   weight_text(occurrences, scales->occurrences, often(g, arc)));
	write_name(o, g, arc->caller, column);
	out_text(o, ARROW);
	write_name(o, g, arc->callee, column);
	out_text(o, "\n");
}

static void write_table(struct out *o, const struct view_input *in, const uint32_t *arcs, size_t n)
{
	struct scales both = scales(in);
	size_t i;

	caption_write(o, "Call Graph Edges", in);
	if (!in->graph->has_weights)
		caption_totals(o, in);
	caption_parent(o, in->options, "percentages are of the caller's total");
	out_format(o, "\nweight %% %*s %*s  caller -> callee\n", both.weight.width, "weight",
		   both.occurrences.width, in->graph->has_calls ? "calls" : "occurrences");
	caption_rule(o);
	for (i = 0; i < n; i++)
		write_line(o, in, &in->graph->arcs[arcs[i]], &both);
}

/* In the order of the graph: by caller, then callee. */
static void write_rows(struct out *o, const struct view_input *in, uint32_t *arcs, size_t n)
{
	struct rows r;
	size_t i;

	qsort(arcs, n, sizeof(*arcs), compare_numbers);
	rows_begin(&r, o, "edges", in);
	for (i = 0; i < n; i++)
		write_row(&r, in->graph, &in->graph->arcs[arcs[i]]);
	rows_end(&r);
}

static int emit(const struct view_input *in, struct out *o, struct error *err)
{
	double threshold = view_input_threshold(in->options, TEXT_THRESHOLD);
	uint32_t *arcs = malloc((in->graph->n_arcs + 1) * sizeof(*arcs));
	struct footer footer;
	size_t n;

	if (!arcs)
		return error_memory(err);
	if (compared(in)) {
		free(arcs);
		return compared_edges(in, o, err);
	}
	n = choose(in, threshold, arcs, &footer);
	if (view_input_is_rows(in->options)) {
		write_rows(o, in, arcs, n);
	} else {
		write_table(o, in, arcs, n);
		footer_write(o, &footer, in->options, threshold);
	}
	free(arcs);
	return 0;
}

const struct view view_edges = {
	.name = "edges",
	.help = "who calls whom, with the weight of the calls",
	.fits_screen = true,
	.needs = VIEW_NEEDS_GRAPH | VIEW_TAKES_CALLS,
	.has_rows = true,
	.has_base = true,
	.options = VIEW_OPTIONS("threshold", "percent"),
	.commands = {{.argument = VIEW_ARGUMENT_COUNT, .help = "who calls whom, as a table"}},
	.emit = emit,
};
