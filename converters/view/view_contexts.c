/* SPDX-License-Identifier: MIT */
/*
 * view_contexts.c - the contexts in which samples were taken (Spivey 2004).
 *
 * In: struct tree. Out: a table of histories with marks; for programs also the times of
 * functions, arcs and cycles that follow from them.
 */
#include <stdlib.h>

#include "contexts/contexts.h"
#include "graph/call_counts.h"
#include "view/view.h"
#include "write/arc_rows.h"
#include "write/caption.h"
#include "write/table.h"

enum { SELF, SELF_HITS, ENTERED, DIRECT };

#define CALLS_WIDTH 12

/* The trees of all columns have the same nodes, and so the same contexts. Their order differs, but the first node of a
 * context is the same. */
struct listing {
	const struct view_input *in;
	struct contexts *contexts;  /* of the first column */
	uint32_t *number;	    /* by the first node of a context: its place in them */
	struct history_item *items; /* of the contexts that are shown */
	struct history_reader reader;
	/* If calls were counted: behind the contexts of samples there are those that no sample has. */
	struct counted_contexts calls;
	size_t *others; /* their numbers among the counted ones */
	size_t n_others;
	struct history_item *other_items;
	struct history_reader other_reader;
	struct history history; /* of the row */
};

static int weigh(void *context, const struct tree *t, uint64_t *weights, struct error *err)
{
	const struct listing *l = context;
	bool is_first = t == l->in->tree;
	struct contexts *c = is_first ? l->contexts : contexts_build(t, false, err);

	for (size_t i = 0; c && i < c->n; i++)
		weights[l->number[c->contexts[i].node]] = c->contexts[i].samples;
	for (size_t i = 0; i < l->n_others; i++)
		weights[l->contexts->n + i] = 0;
	if (!is_first)
		contexts_free(c);
	return c ? 0 : -1;
}

static int prepare(void *context, const uint32_t *parts, size_t n, struct error *err)
{
	struct listing *l = context;

	const size_t n_own = l->contexts->n;
	size_t own = 0, others = 0;

	for (size_t i = 0; i < n; i++) {
		const struct context *c =
			parts[i] < n_own ? &l->contexts->contexts[parts[i]]
					 : &l->calls.counted->contexts[l->others[parts[i] - n_own]];
		const struct history_item item = {c->node, c->length};

		if (parts[i] < n_own)
			l->items[own++] = item;
		else
			l->other_items[others++] = item;
	}
	if (history_open(&l->reader, l->in->tree, l->items, own, err))
		return -1;
	return l->n_others
		       ? history_open(&l->other_reader, l->in->calls, l->other_items, others, err)
		       : 0;
}

/* A context that no sample has. */
static int describe_other(struct listing *l, size_t other, struct table_row *row, struct error *err)
{
	const struct context *c = &l->calls.counted->contexts[l->others[other]];

	row->history = &l->history;
	row->has_calls = true;
	row->values[ENTERED] = c->samples;
	row->values[DIRECT] = c->hits;
	return history_next(&l->other_reader, &l->history, err) > 0 ? 0 : -1;
}

/* Histories come in the order of the rows. */
static int describe(void *context, uint32_t part, struct table_row *row, struct error *err)
{
	struct listing *l = context;
	const struct context *c, *of_calls;

	if (part >= l->contexts->n)
		return describe_other(l, part - l->contexts->n, row, err);
	c = &l->contexts->contexts[part];
	if (l->calls.counted && l->calls.of[part] != COUNTED_CONTEXTS_NONE) {
		of_calls = &l->calls.counted->contexts[l->calls.of[part]];
		row->has_calls = true;
		row->values[ENTERED] = of_calls->samples;
		row->values[DIRECT] = of_calls->hits;
	}
	row->history = &l->history;
	row->values[SELF] = c->samples;
	row->values[SELF_HITS] = c->hits;
	return history_next(&l->reader, &l->history, err) > 0 ? 0 : -1;
}

static void write_summary(struct rows *r, const struct contexts *c)
{
	static const char *const columns[] = {"row", "of", "contexts", "with_samples", NULL};

	rows_row(r, columns);
	rows_word(r, "summary");
	rows_word(r, "contexts");
	rows_count(r, c->n);
	rows_count(r, c->n_with_samples);
}

static void write_above(struct table *t, void *context)
{
	const struct listing *l = context;
	const struct contexts *c = l->contexts;

	if (t->is_rows) {
		write_summary(&t->rows, c);
		return;
	}
	out_format(t->out, "%zu context%s, %zu with samples\n", c->n, c->n == 1 ? "" : "s",
		   c->n_with_samples);
	if (l->calls.counted)
		out_format(t->out,
			   "%zu counted contexts, %zu of them without a sample or not told from "
			   "others\n",
			   l->calls.counted->n, l->n_others);
	out_text(t->out, "\n");
	caption_calls(t->out, t->in);
	caption_text(
		t->out,
		"A context has the last call of each active function, with what called it and\n"
		"what it called; functions in parentheses are earlier calls, there to tell "
		"this.\n");
}

/* Rows of what follows from the contexts. */
static int write_below(struct table *t, void *context, struct error *err)
{
	const struct listing *l = context;
	struct gprof_report report;
	struct arc_choice choice;
	int status;

	if (!t->is_rows)
		return 0;
	status = gprof_report_open(&report, l->in->tree, err);
	if (!status)
		status = arc_rows_choose(&choice, &report, l->in->options, NULL, 0, err);
	if (!status) {
		status = arc_rows_write(&t->rows, &report, &choice, NULL, err);
		arc_rows_choice_free(&choice);
	}
	if (!status)
		status = arc_rows_cycles(&t->rows, l->in->options, l->contexts, err);
	gprof_report_close(&report);
	return status;
}

/* Counted contexts that are beside none of the samples'. */
static int list_others(struct listing *l, struct error *err)
{
	const size_t n = l->calls.counted->n;

	l->others = calloc(n + 1, sizeof(*l->others));
	l->other_items = calloc(n + 1, sizeof(*l->other_items));
	if (!l->others || !l->other_items)
		return error_memory(err);
	for (size_t i = 0; i < n; i++) {
		const struct context *c = &l->calls.counted->contexts[i];

		if (!l->calls.is_there[i] && (c->samples || c->hits))
			l->others[l->n_others++] = i;
	}
	return 0;
}

static int show(struct listing *l, struct out *o, struct error *err)
{
	bool is_counted = l->calls.counted;
	const struct table_column columns[] = {
		TABLE_COLUMN("row", "context", WORD, 0),
		TABLE_COLUMN("self", NULL, COUNT, SELF),
		TABLE_COLUMN(NULL, "%", SHARE, SELF),
		TABLE_COLUMN(NULL, "self", WEIGHT, SELF),
		TABLE_COLUMN(NULL, "samples", SAMPLES, SELF_HITS),
		TABLE_COLUMN(NULL, is_counted ? "entered" : NULL, CALLS, ENTERED,
			     .width = CALLS_WIDTH),
		TABLE_COLUMN(NULL, is_counted ? "direct" : NULL, CALLS, DIRECT,
			     .width = CALLS_WIDTH),
		TABLE_COLUMN("history", "history", LABEL, 0),
		TABLE_COLUMN("self_samples", NULL, SAMPLES, SELF_HITS),
		TABLE_COLUMN(is_counted ? "entered" : NULL, NULL, CALLS, ENTERED),
		TABLE_COLUMN(is_counted ? "direct" : NULL, NULL, CALLS, DIRECT),
		{0},
	};
	const struct tree *t = l->in->tree;
	const struct table_about about = {
		.view = "contexts",
		.title = "Context Profile",
		.what = "context",
		.label = TABLE_HISTORY,
		.text_threshold = 0.5,
		.columns = columns,
		.scales = {weight_scale(l->in->profile, t->unit, t->total)},
		.last = "history (self)",
		.above = write_above,
		.below = write_below,
		.describe = describe,
		.context = l,
	};
	const struct table_parts parts = {
		.n = l->contexts->n + l->n_others,
		.measure = {weigh, l},
		.prepare = prepare,
	};

	l->number = calloc(t->n_nodes, sizeof(*l->number));
	l->items = calloc(l->contexts->n + 1, sizeof(*l->items));
	if (!l->number || !l->items)
		return error_memory(err);
	for (size_t i = 0; i < l->contexts->n; i++)
		l->number[l->contexts->contexts[i].node] = (uint32_t)i;
	return table_parts(l->in, o, &about, &parts, err);
}

static int write_all(const struct view_input *in, struct out *o, struct error *err)
{
	bool with_cycles = view_input_is_rows(in->options) && table_shape(in) == TABLE_ONE;
	struct listing l = {.in = in, .contexts = contexts_build(in->tree, with_cycles, err)};
	struct view_input with = *in;
	int status = l.contexts ? 0 : -1;

	if (in->calls && counted_tree_has_runs(in->calls)) {
		with.calls = NULL;
		with.calls_why = "functions of one name call each other";
		l.in = &with;
	}
	if (!status && l.in->calls)
		status = counted_contexts_build(&l.calls, l.contexts, l.in->calls, err);
	if (!status && l.calls.counted)
		status = list_others(&l, err);
	if (!status)
		status = show(&l, o, err);
	history_close(&l.reader);
	history_close(&l.other_reader);
	counted_contexts_free(&l.calls);
	free(l.others);
	free(l.other_items);
	contexts_free(l.contexts);
	free(l.number);
	free(l.items);
	return status;
}

static int emit(const struct view_input *in, struct out *o, struct error *err)
{
	return view_below_root(in, o, write_all, err);
}

const struct view view_contexts = {
	.name = "contexts",
	.help = "histories of calls with recursion folded, by samples",
	.needs = VIEW_NEEDS_TREE,
	.has_rows = true,
	.has_base = true,
	.has_columns = true,
	.options = VIEW_OPTIONS("root", "threshold"),
	.commands = {{.argument = VIEW_ARGUMENT_COUNT,
		      .help = "stacks without their recursion, by samples"}},
	.emit = emit,
};
