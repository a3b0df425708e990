/* SPDX-License-Identifier: MIT */
/*
 * compared_contexts.c - shows the contexts of two programs beside each other (Spivey 2004).
 *
 * In: struct tree whose columns are runs. Out: text, or rows.
 *
 * The trees of all runs have the same nodes, and so the same contexts. Their order differs, but the
 * first node of a context is the same.
 */
#include <stdlib.h>

#include "contexts/contexts.h"
#include "contexts/history.h"
#include "view/compared.h"
#include "write/history_text.h"

struct listing {
	struct compared_table table;
	struct compared_ranking ranking;
	struct contexts *contexts;  /* of the first run */
	uint32_t *number;	    /* by the first node of a context: its place in them */
	struct history_item *items; /* of the contexts that are shown */
	uint32_t *shown;
	size_t n;
	struct history_reader reader;
};

static int weigh(void *context, const struct tree *t, uint64_t *weights, struct error *err)
{
	const struct listing *l = context;
	struct contexts *c = contexts_build(t, false, err);

	for (size_t i = 0; c && i < c->n; i++)
		weights[l->number[c->contexts[i].node]] = c->contexts[i].samples;
	contexts_free(c);
	return c ? 0 : -1;
}

static int prepare(struct listing *l, struct error *err)
{
	const struct tree *t = l->table.in->tree;
	const struct comparison_measure measure = {weigh, l};

	l->contexts = contexts_build(t, false, err);
	if (!l->contexts)
		return -1;
	l->number = calloc(t->n_nodes, sizeof(*l->number));
	l->items = calloc(l->contexts->n + 1, sizeof(*l->items));
	l->shown = calloc(l->contexts->n + 1, sizeof(*l->shown));
	if (!l->number || !l->items || !l->shown)
		return error_memory(err);
	for (size_t i = 0; i < l->contexts->n; i++)
		l->number[l->contexts->contexts[i].node] = (uint32_t)i;
	return compared_ranking_make(&l->ranking, &l->table.comparison, &measure, l->contexts->n,
				     err);
}

static void choose(struct listing *l)
{
	for (size_t i = 0; i < l->ranking.n; i++) {
		uint32_t number = l->ranking.order[i];
		const struct context *c = &l->contexts->contexts[number];

		if (compared_table_hides(&l->table, &l->ranking.rows[number]))
			continue;
		l->shown[l->n] = number;
		l->items[l->n++] = (struct history_item){c->node, c->length};
	}
}

static int write_context(struct listing *l, uint32_t number, const struct history *h,
			 struct error *err)
{
	static const char *const columns[] = {COMPARED_KEYS, "marks", "history", NULL};
	const struct strings *strings = l->table.in->profile->strings;
	int status = 0;

	compared_table_row(&l->table, &l->ranking.rows[number], columns);
	if (view_input_is_rows(l->table.in->options))
		status = history_text_rows(&l->table.rows, strings, h, err);
	else
		history_text_write(l->table.out, strings, h, COMPARED_COLUMN);
	compared_table_row_end(&l->table, &l->ranking.rows[number]);
	return status;
}

static int show(struct listing *l, struct error *err)
{
	struct history h;
	int status, more = 0;

	choose(l);
	status = history_open(&l->reader, l->contexts->tree, l->items, l->n, err);
	compared_table_head(&l->table, "Context Profile", "contexts", "history (self)");
	for (size_t i = 0; !status && (more = history_next(&l->reader, &h, err)) > 0; i++)
		status = write_context(l, l->shown[i], &h, err);
	compared_table_end(&l->table);
	history_close(&l->reader);
	return status || more < 0 ? -1 : 0;
}

int compared_contexts(const struct view_input *in, struct out *o, struct error *err)
{
	struct listing l = {0};
	int status = compared_table_begin(&l.table, in, o, "context", err);

	if (!status)
		status = prepare(&l, err);
	if (!status)
		status = show(&l, err);
	compared_table_free(&l.table);
	compared_ranking_free(&l.ranking);
	contexts_free(l.contexts);
	free(l.number);
	free(l.items);
	free(l.shown);
	return status;
}
