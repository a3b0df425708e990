/* SPDX-License-Identifier: MIT */
/*
 * cycle_list.c - lists cycles of calls.
 *
 * In: struct contexts. Out: rows, or each cycle with its path.
 */
#include "write/cycle_list.h"

#include <stdlib.h>

#include "write/weight.h"

static int compare_totals(const void *a, const void *b)
{
	const struct context_cycle *x = a, *y = b;

	if (x->total != y->total)
		return x->total < y->total ? 1 : -1;
	if (x->samples != y->samples)
		return x->samples < y->samples ? 1 : -1;
	if (x->length != y->length)
		return x->length < y->length ? -1 : 1;
	return (x->node > y->node) - (x->node < y->node);
}

/* Copy the cycles that are not below the threshold into the list, and sort them. */
static void choose(struct cycle_list *l, const struct view_input *in, const struct contexts *c,
		   double threshold)
{
	uint64_t top = in->options->top;
	size_t i;

	for (i = 0; i < c->n_cycles; i++)
		if (!weight_below(c->cycles[i].total, c->tree->total, threshold))
			l->cycles[l->n_heavy++] = c->cycles[i];
	if (!view_input_is_rows(in->options))
		qsort(l->cycles, l->n_heavy, sizeof(*l->cycles), compare_totals);
	l->n = top && top < l->n_heavy ? (size_t)top : l->n_heavy;
}

int cycle_list_open(struct cycle_list *l, const struct view_input *in, const struct contexts *c,
		    double text_default, struct error *err)
{
	size_t i;

	*l = (struct cycle_list){0};
	l->cycles = calloc(c->n_cycles + 1, sizeof(*l->cycles));
	l->items = calloc(c->n_cycles + 1, sizeof(*l->items));
	if (!l->cycles || !l->items)
		return error_memory(err);
	choose(l, in, c, view_input_threshold(in->options, text_default));
	for (i = 0; i < l->n; i++)
		l->items[i] = (struct history_item){l->cycles[i].node, l->cycles[i].length};
	return history_open(&l->reader, c->tree, l->items, l->n, err);
}

int cycle_list_next(struct cycle_list *l, const struct context_cycle **cycle, struct history *path,
		    struct error *err)
{
	int more = history_next(&l->reader, path, err);

	*cycle = more > 0 ? &l->cycles[l->next++] : NULL;
	return more < 0 ? -1 : 0;
}

void cycle_list_close(struct cycle_list *l)
{
	history_close(&l->reader);
	free(l->cycles);
	free(l->items);
}

static void write_row(struct rows *r, const struct strings *strings,
		      const struct context_cycle *cycle, const struct history *path, bool with_kind)
{
	static const char *const columns[] = {"row", "self", "contexts", "path", "total", NULL};
	uint32_t i;

	rows_row(r, with_kind ? columns : columns + 1);
	if (with_kind)
		rows_word(r, "cycle");
	rows_count(r, cycle->samples);
	rows_count(r, cycle->contexts);
	rows_path_begin(r);
	for (i = 0; i < path->length; i++)
		rows_path_name(r, strings, path->entries[i].name);
	rows_path_end(r);
	rows_json_count(r, cycle->total);
}

int cycle_list_rows(struct rows *r, const struct view_input *in, const struct contexts *c,
		    bool with_kind, struct error *err)
{
	const struct context_cycle *cycle;
	struct cycle_list l;
	struct history path;
	int status = cycle_list_open(&l, in, c, 0, err);

	if (!status)
		status = cycle_list_next(&l, &cycle, &path, err);
	while (!status && cycle) {
		write_row(r, c->tree->strings, cycle, &path, with_kind);
		status = cycle_list_next(&l, &cycle, &path, err);
	}
	cycle_list_close(&l);
	return status;
}
