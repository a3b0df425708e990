/* SPDX-License-Identifier: MIT */
/*
 * cycle_rows.c - writes cycles of calls as rows for programs.
 *
 * Show room. In: struct contexts. Out: rows.
 */
#include "cycle_rows.h"

#include "amount.h"

size_t cycle_rows_shown(const struct view_input *in, const struct contexts *c, double text_default)
{
	double threshold = view_threshold(in->options, text_default);
	size_t n = 0;

	while (n < c->n_cycles && !amount_below(c->cycles[n].samples, c->tree->total, threshold))
		n++;
	return in->options->top && in->options->top < n ? (size_t)in->options->top : n;
}

static void write_row(struct rows *r, const struct context_cycle *cycle, const struct history *h,
		      bool with_kind)
{
	static const char *const columns[] = {"row", "samples", "contexts", "path", NULL};
	uint32_t i;

	rows_row(r, with_kind ? columns : columns + 1);
	if (with_kind)
		rows_word(r, "cycle");
	rows_count(r, cycle->samples);
	rows_count(r, cycle->contexts);
	rows_path_begin(r);
	for (i = h->length - cycle->length; i < h->length; i++)
		rows_path_name(r, h->tree->strings, h->entries[i].name);
	rows_path_end(r);
}

void cycle_rows_write(struct rows *r, const struct view_input *in, const struct contexts *c,
		      struct history *history, bool with_kind)
{
	size_t i, n = cycle_rows_shown(in, c, 0);

	for (i = 0; i < n; i++) {
		history_read(history, c->cycles[i].node);
		write_row(r, &c->cycles[i], history, with_kind);
	}
}
