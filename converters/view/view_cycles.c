/* SPDX-License-Identifier: MIT */
/*
 * view_cycles.c - the cycles of calls that were really run (Spivey 2004).
 *
 * In: struct tree. Out: a table of cycles, by samples.
 */
#include <inttypes.h>

#include "view/view.h"
#include "write/caption.h"
#include "write/cycle_list.h"
#include "write/footer.h"
#include "write/name_list.h"
#include "write/rows.h"
#include "write/weight.h"

#define TEXT_THRESHOLD 0.5
#define PATH_COLUMN    31 /* without that of the total */

static void write_heading(struct out *o, const struct view_input *in, const struct contexts *c)
{
	caption_write(o, "Cycle Profile", in);
	out_format(o, "%zu cycle%s in %zu context%s\n\n", c->n_cycles, c->n_cycles == 1 ? "" : "s",
		   c->n, c->n == 1 ? "" : "s");
	out_format(
		o,
		"A cycle is a path of calls that was run, from a function to another call of it.\n"
		"Its self is when that call was running, its total when it was active.\n"
		"\n total %%   self %% %*s  contexts  cycle\n",
		weight_scale(in->profile, c->tree->unit, c->tree->total).width, "total");
	caption_rule(o);
}

static void write_line(struct out *o, const struct view_input *in,
		       const struct context_cycle *cycle, const struct history *path)
{
	const struct tree *t = in->tree;
	struct weight_scale scale = weight_scale(in->profile, t->unit, t->total);
	char text[WEIGHT_BYTES];
	struct name_list words;
	uint32_t i;

	out_format(o, "%8.2f %8.2f %*s %9" PRIu32 "  ",
		   weight_fraction(cycle->total, t->total) * 100,
		   weight_fraction(cycle->samples, t->total) * 100, scale.width,
		   weight_text(text, scale, cycle->total), cycle->contexts);
	name_list_begin(&words, o, t->strings, PATH_COLUMN + scale.width);
	for (i = 0; i < path->length; i++)
		name_list_add(&words, path->entries[i].name, "", "");
	out_text(o, "\n");
}

static int write_lines(struct out *o, const struct view_input *in, struct cycle_list *l,
		       struct error *err)
{
	const struct context_cycle *cycle;
	struct history path;
	int status = cycle_list_next(l, &cycle, &path, err);

	while (!status && cycle) {
		write_line(o, in, cycle, &path);
		status = cycle_list_next(l, &cycle, &path, err);
	}
	return status;
}

static int write_table(struct out *o, const struct view_input *in, const struct contexts *c,
		       struct error *err)
{
	struct footer footer = {.what = "cycle"};
	struct cycle_list l;
	int status = cycle_list_open(&l, in, c, TEXT_THRESHOLD, err);

	write_heading(o, in, c);
	if (!status)
		status = write_lines(o, in, &l, err);
	footer.small = c->n_cycles - l.n_heavy;
	footer.beyond = l.n_heavy - l.n;
	footer_write(o, &footer, in->options, view_input_threshold(in->options, TEXT_THRESHOLD));
	cycle_list_close(&l);
	return status;
}

static int emit(const struct view_input *in, struct out *o, struct error *err)
{
	struct contexts *c = contexts_build(in->tree, true, err);
	struct rows r;
	int status;

	if (!c)
		return -1;
	if (view_input_is_rows(in->options)) {
		rows_begin(&r, o, "cycles", in);
		status = cycle_list_rows(&r, in, c, false, err);
		rows_end(&r);
	} else {
		status = write_table(o, in, c, err);
	}
	contexts_free(c);
	return status;
}

const struct view view_cycles = {
	.name = "cycles",
	.help = "cycles of calls that were really run, with their time",
	.needs = VIEW_NEEDS_TREE,
	.has_rows = true,
	.options = VIEW_OPTIONS("threshold"),
	.commands = {{.argument = VIEW_ARGUMENT_COUNT,
		      .help = "cycles of calls that were really run"}},
	.emit = emit,
};
