/* SPDX-License-Identifier: MIT */
/*
 * view_contexts.c - the contexts in which samples were taken (Spivey 2004).
 *
 * In: struct tree. Out: a table of histories with marks; for programs also the times of
 * functions, arcs and cycles that follow from them.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "contexts/contexts.h"
#include "contexts/history.h"
#include "view/compared.h"
#include "view/view.h"
#include "write/arc_rows.h"
#include "write/caption.h"
#include "write/cycle_list.h"
#include "write/footer.h"
#include "write/history_text.h"
#include "write/rows.h"
#include "write/weight.h"

#define TEXT_THRESHOLD 0.5
#define PERCENT_WIDTH  9 /* with a space behind it */

struct shortlist {
	const struct view_input *in;
	const struct contexts *contexts;
	size_t n_heavy; /* so many of them, from the first, are not below the threshold */
	size_t n_shown; /* so many of them, from the first, are shown */
	struct history_item *items;
	struct history_reader reader;
};

/* The contexts are sorted by samples. */
static void choose(struct shortlist *l)
{
	const struct contexts *c = l->contexts;
	double threshold = view_input_threshold(l->in->options, TEXT_THRESHOLD);
	uint64_t top = l->in->options->top;

	while (l->n_heavy < c->n &&
	       !weight_below(c->contexts[l->n_heavy].samples, c->tree->total, threshold))
		l->n_heavy++;
	l->n_shown = top && top < l->n_heavy ? (size_t)top : l->n_heavy;
}

static int shortlist_open(struct shortlist *l, const struct view_input *in,
			  const struct contexts *c, struct error *err)
{
	size_t i;

	*l = (struct shortlist){.in = in, .contexts = c};
	choose(l);
	l->items = malloc((l->n_shown + 1) * sizeof(*l->items));
	if (!l->items)
		return error_memory(err);
	for (i = 0; i < l->n_shown; i++)
		l->items[i] = (struct history_item){c->contexts[i].node, c->contexts[i].length};
	return history_open(&l->reader, c->tree, l->items, l->n_shown, err);
}

static void shortlist_close(struct shortlist *l)
{
	history_close(&l->reader);
	free(l->items);
}

/* ---- for people ---------------------------------------------------------------------------------- */

static void write_heading(struct out *o, const struct shortlist *l)
{
	const struct contexts *c = l->contexts;

	caption_write(o, "Context Profile", l->in);
	out_format(o, "%zu context%s, %zu with samples\n\n", c->n, c->n == 1 ? "" : "s",
		   c->n_with_samples);
	out_format(
		o,
		"A context has the last call of each active function, with what called it and\n"
		"what it called; functions in parentheses are earlier calls, there to tell this.\n"
		"\n       %% %*s %*s  history\n",
		weight_scale(l->in->profile, c->tree->unit, c->tree->total).width, "self",
		weight_count_width(c->tree->hits), "samples");
	caption_rule(o);
}

static int write_lines(struct out *o, struct shortlist *l, struct error *err)
{
	const struct tree *t = l->contexts->tree;
	const struct context *c = l->contexts->contexts;
	struct weight_scale scale = weight_scale(l->in->profile, t->unit, t->total);
	int width = weight_count_width(t->hits);
	char text[WEIGHT_BYTES];
	struct history h;
	int more;

	for (; (more = history_next(&l->reader, &h, err)) > 0; c++) {
		out_format(o, "%8.2f %*s %*" PRIu64 "  ",
			   weight_fraction(c->samples, t->total) * 100, scale.width,
			   weight_text(text, scale, c->samples), width, c->hits);
		history_text_write(o, t->strings, &h, PERCENT_WIDTH + scale.width + width + 5);
		out_text(o, "\n");
	}
	return more;
}

static int write_table(struct out *o, struct shortlist *l, struct error *err)
{
	const struct footer footer = {
		.what = "context",
		.small = l->contexts->n - l->n_heavy,
		.beyond = l->n_heavy - l->n_shown,
	};

	write_heading(o, l);
	if (write_lines(o, l, err))
		return -1;
	footer_write(o, &footer, l->in->options,
		     view_input_threshold(l->in->options, TEXT_THRESHOLD));
	return 0;
}

/* ---- for programs -------------------------------------------------------------------------------- */

static void write_summary(struct rows *r, const struct contexts *c)
{
	static const char *const columns[] = {"row", "of", "contexts", "with_samples", NULL};

	rows_row(r, columns);
	rows_word(r, "summary");
	rows_word(r, "contexts");
	rows_count(r, c->n);
	rows_count(r, c->n_with_samples);
}

static int write_row(struct rows *r, const struct shortlist *l, const struct context *c,
		     const struct history *h, struct error *err)
{
	static const char *const columns[] = {"row",	 "self",	 "marks",
					      "history", "self_samples", NULL};

	rows_row(r, columns);
	rows_word(r, "context");
	rows_count(r, c->samples);
	if (history_text_rows(r, l->contexts->tree->strings, h, err))
		return -1;
	rows_json_count(r, c->hits);
	return 0;
}

static int write_contexts(struct rows *r, struct shortlist *l, struct error *err)
{
	const struct context *c = l->contexts->contexts;
	struct history h;
	int more;

	for (; (more = history_next(&l->reader, &h, err)) > 0; c++)
		if (write_row(r, l, c, &h, err))
			return -1;
	return more;
}

static int write_rows(struct out *o, struct shortlist *l, struct error *err)
{
	struct gprof_report report;
	struct arc_choice choice;
	struct rows r;
	int status = gprof_report_open(&report, l->in->tree, err);

	rows_begin(&r, o, "contexts", l->in);
	write_summary(&r, l->contexts);
	if (!status)
		status = write_contexts(&r, l, err);
	if (!status)
		status = arc_rows_choose(&choice, &report, l->in->options, NULL, 0, err);
	if (!status) {
		arc_rows_write(&r, &report, &choice);
		arc_rows_choice_free(&choice);
		status = cycle_list_rows(&r, l->in, l->contexts, true, err);
	}
	rows_end(&r);
	gprof_report_close(&report);
	return status;
}

static int emit(const struct view_input *in, struct out *o, struct error *err)
{
	struct contexts *c;
	struct shortlist l;
	int status;

	if (compared(in))
		return compared_contexts(in, o, err);
	c = contexts_build(in->tree, view_input_is_rows(in->options), err);
	if (!c)
		return -1;
	status = shortlist_open(&l, in, c, err);
	if (!status && view_input_is_rows(in->options))
		status = write_rows(o, &l, err);
	else if (!status)
		status = write_table(o, &l, err);
	shortlist_close(&l);
	contexts_free(c);
	return status;
}

const struct view view_contexts = {
	.name = "contexts",
	.help = "histories of calls with recursion folded, by samples",
	.needs = VIEW_NEEDS_TREE,
	.has_rows = true,
	.has_base = true,
	.options = VIEW_OPTIONS("threshold"),
	.commands = {{.argument = VIEW_ARGUMENT_COUNT,
		      .help = "stacks without their recursion, by samples"}},
	.emit = emit,
};
