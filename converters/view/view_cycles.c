/* SPDX-License-Identifier: MIT */
/*
 * view_cycles.c - the cycles of calls that were really run (Spivey 2004).
 *
 * In: struct tree. Out: a table of cycles, by samples.
 */
#include <stdlib.h>

#include "base/array.h"
#include "contexts/contexts.h"
#include "graph/call_counts.h"
#include "view/view.h"
#include "write/caption.h"
#include "write/table.h"

enum { SELF, TOTAL, CONTEXTS, CALLS };

#define CALLS_WIDTH 12

/* The trees of all columns have the same nodes, and so the same cycles, which are told apart by the first node that closes
 * them. */
struct cycles {
	const struct view_input *in;
	const struct contexts *contexts; /* of the first column */
	uint32_t *number;		 /* by node: the place of its cycle in them */
	uint32_t *order;		 /* for people */
	struct history_item *items;	 /* of the cycles that are shown */
	struct history_reader reader;
	uint32_t *names; /* of the row */
	size_t room;
	/* If calls were counted: behind the cycles of samples there are those that no sample has. */
	struct counted_cycles calls;
	size_t *others; /* their numbers among the counted ones */
	size_t n_others;
	struct history_item *other_items;
	struct history_reader other_reader;
};

static size_t count_all(const struct cycles *l)
{
	return l->contexts->n_cycles + l->n_others;
}

static int weigh(void *context, const struct tree *t, uint64_t *weights, struct error *err)
{
	const struct cycles *l = context;
	bool is_first = t == l->in->tree;
	struct contexts *made = is_first ? NULL : contexts_build(t, true, err);
	const struct contexts *c = is_first ? l->contexts : made;

	for (size_t i = 0; c && i < c->n_cycles; i++)
		weights[l->number[c->cycles[i].node]] = c->cycles[i].total;
	for (size_t i = l->contexts->n_cycles; c && i < count_all(l); i++)
		weights[i] = 0;
	contexts_free(made);
	return c ? 0 : -1;
}

static int compare_totals(const void *a, const void *b, void *context)
{
	const struct context_cycle *cycles = context;
	uint32_t i = *(const uint32_t *)a, k = *(const uint32_t *)b;
	const struct context_cycle *x = &cycles[i], *y = &cycles[k];

	if (x->total != y->total)
		return x->total < y->total ? 1 : -1;
	if (x->samples != y->samples)
		return x->samples < y->samples ? 1 : -1;
	if (x->length != y->length)
		return x->length < y->length ? -1 : 1;
	return (x->node > y->node) - (x->node < y->node);
}

static int prepare(void *context, const uint32_t *parts, size_t n, struct error *err)
{
	struct cycles *l = context;
	const size_t n_own = l->contexts->n_cycles;
	size_t own = 0, others = 0;

	for (size_t i = 0; i < n; i++) {
		bool is_own = parts[i] < n_own;
		const struct context_cycle *c =
			is_own ? &l->contexts->cycles[parts[i]]
			       : &l->calls.counted->cycles[l->others[parts[i] - n_own]];

		*(is_own ? &l->items[own++] : &l->other_items[others++]) =
			(struct history_item){c->node, c->length};
	}
	if (history_open(&l->reader, l->in->tree, l->items, own, err))
		return -1;
	return l->n_others
		       ? history_open(&l->other_reader, l->in->calls, l->other_items, others, err)
		       : 0;
}

/* Paths come in the order of the rows. */
static int describe_path(struct cycles *l, struct history_reader *reader, struct table_row *row,
			 struct error *err)
{
	struct history path;

	if (history_next(reader, &path, err) <= 0)
		return -1;
	if (!array_reserve(&l->names, &l->room, path.length, sizeof(*l->names)))
		return error_memory(err);
	for (uint32_t i = 0; i < path.length; i++)
		l->names[i] = path.entries[i].name;
	row->path = l->names;
	row->length = path.length;
	return 0;
}

static void describe_calls(const struct cycles *l, size_t counted, struct table_row *row)
{
	row->has_calls = counted != COUNTED_CONTEXTS_NONE;
	row->values[CALLS] = row->has_calls ? l->calls.counted->cycles[counted].samples : 0;
}

static int describe(void *context, uint32_t part, struct table_row *row, struct error *err)
{
	struct cycles *l = context;
	const size_t n_own = l->contexts->n_cycles;
	const struct context_cycle *c;

	if (part >= n_own) { /* no sample has it */
		describe_calls(l, l->others[part - n_own], row);
		return describe_path(l, &l->other_reader, row, err);
	}
	c = &l->contexts->cycles[part];
	if (l->calls.counted)
		describe_calls(l, l->calls.of[part], row);
	row->values[SELF] = c->samples;
	row->values[TOTAL] = c->total;
	row->values[CONTEXTS] = c->contexts;
	return describe_path(l, &l->reader, row, err);
}

static void write_above(struct table *t, void *context)
{
	const struct cycles *l = context;
	const struct contexts *c = l->contexts;

	if (t->is_rows)
		return;
	out_format(t->out, "%zu cycle%s in %zu context%s\n", c->n_cycles,
		   c->n_cycles == 1 ? "" : "s", c->n, c->n == 1 ? "" : "s");
	if (l->calls.counted)
		out_format(t->out,
			   "%zu counted cycle%s, %zu of them without a sample or not told from "
			   "others\n",
			   l->calls.counted->n_cycles, l->calls.counted->n_cycles == 1 ? "" : "s",
			   l->n_others);
	out_text(t->out, "\n");
	caption_calls(t->out, t->in);
	caption_text(
		t->out,
		"A cycle is a path of calls that was run, from a function to another call of it.\n"
		"Its self is when that call was running, its total when it was active.\n");
	if (l->calls.counted)
		caption_text(t->out, "Its calls are those that closed it.\n");
}

static int show(struct cycles *l, struct out *o, struct error *err)
{
	bool is_counted = l->calls.counted;
	const struct table_column columns[] = {
		TABLE_COLUMN(NULL, "total %", SHARE, TOTAL),
		TABLE_COLUMN(NULL, "self %", SHARE, SELF),
		TABLE_COLUMN(NULL, "total", WEIGHT, TOTAL),
		TABLE_COLUMN("self", NULL, COUNT, SELF),
		TABLE_COLUMN("contexts", "contexts", COUNT, CONTEXTS, .width = 9),
		TABLE_COLUMN(NULL, is_counted ? "calls" : NULL, CALLS, CALLS, .width = CALLS_WIDTH),
		TABLE_COLUMN("path", "cycle", LABEL, 0),
		TABLE_COLUMN("total", NULL, COUNT, TOTAL, .json_only = true),
		TABLE_COLUMN(is_counted ? "calls" : NULL, NULL, CALLS, CALLS),
		{0},
	};
	const struct tree *t = l->in->tree;
	const struct table_about about = {
		.view = "cycles",
		.title = "Cycle Profile",
		.what = "cycle",
		.label = TABLE_CYCLE,
		.text_threshold = 0.5,
		.columns = columns,
		.scales = {weight_scale(l->in->profile, t->unit, t->total)},
		.last = "cycle (total)",
		.above = write_above,
		.describe = describe,
		.context = l,
	};
	const struct table_parts parts = {
		.n = count_all(l),
		.measure = {weigh, l},
		.order = table_shape(l->in) == TABLE_ONE ? l->order : NULL,
		.prepare = prepare,
	};

	return table_parts(l->in, o, &about, &parts, err);
}

/* Counted cycles that are beside none of the samples'. */
static int list_others(struct cycles *l, struct error *err)
{
	const struct contexts *c = l->calls.counted;

	if (!c)
		return 0;
	l->others = calloc(c->n_cycles + 1, sizeof(*l->others));
	l->other_items = calloc(c->n_cycles + 1, sizeof(*l->other_items));
	if (!l->others || !l->other_items)
		return error_memory(err);
	for (size_t i = 0; i < c->n_cycles; i++)
		if (!l->calls.is_there[i] && c->cycles[i].samples)
			l->others[l->n_others++] = i;
	return 0;
}

/* Programs get the cycles as contexts.h sorts them, and then those without samples. */
static int list(struct cycles *l, struct error *err)
{
	const struct contexts *c = l->contexts;

	if (list_others(l, err))
		return -1;
	l->number = calloc(l->in->tree->n_nodes, sizeof(*l->number));
	l->order = calloc(count_all(l) + 1, sizeof(*l->order));
	l->items = calloc(c->n_cycles + 1, sizeof(*l->items));
	if (!l->number || !l->order || !l->items)
		return error_memory(err);
	for (size_t i = 0; i < count_all(l); i++)
		l->order[i] = (uint32_t)i;
	for (size_t i = 0; i < c->n_cycles; i++)
		l->number[c->cycles[i].node] = (uint32_t)i;
	if (!view_input_is_rows(l->in->options))
		qsort_r(l->order, c->n_cycles, sizeof(*l->order), compare_totals, c->cycles);
	return 0;
}

static void cycles_free(struct cycles *l)
{
	history_close(&l->reader);
	history_close(&l->other_reader);
	counted_cycles_free(&l->calls);
	free(l->number);
	free(l->order);
	free(l->items);
	free(l->names);
	free(l->others);
	free(l->other_items);
}

/* Of contexts that were not kept it is not known which cycles they close. */
static void leave_out_calls(struct view_input *in)
{
	if (in->calls && counted_tree_has_runs(in->calls))
		in->calls_why = "functions of one name call each other";
	else if (in->calls && in->profile->counted->has_cut)
		in->calls_why = "some contexts were not kept";
	if (in->calls_why)
		in->calls = NULL;
}

static int write_all(const struct view_input *in, struct out *o, struct error *err)
{
	struct contexts *c = contexts_build(in->tree, true, err);
	struct view_input with = *in;
	struct cycles l = {.in = &with, .contexts = c};
	int status = c ? 0 : -1;

	leave_out_calls(&with);
	if (!status && with.calls)
		status = counted_cycles_build(&l.calls, c, with.calls, err);
	if (!status)
		status = list(&l, err);
	if (!status)
		status = show(&l, o, err);
	cycles_free(&l);
	contexts_free(c);
	return status;
}

static int emit(const struct view_input *in, struct out *o, struct error *err)
{
	return view_below_root(in, o, write_all, err);
}

const struct view view_cycles = {
	.name = "cycles",
	.help = "cycles of calls that were really run, with their time",
	.needs = VIEW_NEEDS_TREE,
	.has_rows = true,
	.has_base = true,
	.has_columns = true,
	.options = VIEW_OPTIONS("root", "threshold"),
	.commands = {{.argument = VIEW_ARGUMENT_COUNT,
		      .help = "cycles of calls that were really run"}},
	.emit = emit,
};
