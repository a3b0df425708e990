/* SPDX-License-Identifier: MIT */
/*
 * view_flat.c - the flat profile: functions by self (Naganov, "flat view").
 *
 * In: struct tree, or a call graph without stacks. Out: a table of functions.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "view/view.h"
#include "write/caption.h"
#include "write/footer.h"
#include "write/name_text.h"
#include "write/rows.h"
#include "write/weight.h"

#define TEXT_THRESHOLD 0.0
#define PERCENTS_WIDTH 18 /* both, with a space behind each */

struct ranking {
	const struct strings *strings;
	bool by_total;
};

static int compare(const void *a, const void *b, void *context)
{
	const struct tree_function *x = a, *y = b;
	const struct ranking *r = context;
	uint64_t x_first = r->by_total ? x->total : x->self,
		 x_then = r->by_total ? x->self : x->total;
	uint64_t y_first = r->by_total ? y->total : y->self,
		 y_then = r->by_total ? y->self : y->total;

	if (x_first != y_first)
		return x_first < y_first ? 1 : -1;
	if (x_then != y_then)
		return x_then < y_then ? 1 : -1;
	return strings_compare(r->strings, x->name, y->name);
}

static void write_row(struct rows *r, const struct view_input *in, const struct tree_function *f)
{
	static const char *const columns[] = {
		"self", "total", "self_fraction", "total_fraction", "name", NULL,
	};

	uint64_t total = view_input_total(in);

	rows_row(r, columns);
	rows_count(r, f->self);
	rows_count(r, f->total);
	rows_fraction(r, weight_fraction(f->self, total));
	rows_fraction(r, weight_fraction(f->total, total));
	rows_name(r, in->profile->strings, f->name);
}

static void write_line(struct out *o, const struct view_input *in, const struct tree_function *f,
		       struct weight_scale scale)
{
	int width = weight_count_width(in->profile->hits);
	uint64_t total = view_input_total(in);
	char text[WEIGHT_BYTES];

	out_format(o, "%8.2f %8.2f %*s %*" PRIu64 "  ", weight_fraction(f->self, total) * 100,
		   weight_fraction(f->total, total) * 100, scale.width,
		   weight_text(text, scale, f->self), width, f->self_hits);
	name_text_last(o, in->profile->strings, f->name, f->is_inline,
		       PERCENTS_WIDTH + scale.width + width + 3);
	out_text(o, "\n");
}

/* Put the functions that are shown at the beginning of the array. Returns their number; the footer
 * counts the others. */
static size_t choose(const struct view_input *in, struct tree_function *functions, size_t n,
		     double threshold, struct footer *footer)
{
	size_t i, shown = 0;

	*footer = (struct footer){.what = "function"};
	for (i = 0; i < n; i++) {
		if (weight_below(functions[i].total, view_input_total(in), threshold))
			footer->small++;
		else if (in->options->top && shown == in->options->top)
			footer->beyond++;
		else
			functions[shown++] = functions[i];
	}
	return shown;
}

static void write_table(struct out *o, const struct view_input *in,
			const struct tree_function *functions, size_t n)
{
	struct weight_scale scale =
		weight_scale(in->profile, (enum tree_unit)in->options->unit, view_input_total(in));
	size_t i;

	caption_write(o, "Flat Profile", in);
	caption_totals(o, in);
	out_format(o, "\n  self %%  total %% %*s %*s  function\n", scale.width, "self",
		   weight_count_width(in->profile->hits), "samples");
	caption_rule(o);
	for (i = 0; i < n; i++)
		write_line(o, in, &functions[i], scale);
}

static void write_rows(struct out *o, const struct view_input *in,
		       const struct tree_function *functions, size_t n)
{
	struct rows r;
	size_t i;

	rows_begin(&r, o, "flat", in);
	for (i = 0; i < n; i++)
		write_row(&r, in, &functions[i]);
	rows_end(&r);
}

static int emit(const struct view_input *in, struct out *o, struct error *err)
{
	struct ranking ranking = {in->profile->strings, in->options->by_total};
	double threshold = view_input_threshold(in->options, TEXT_THRESHOLD);
	struct tree_function *functions;
	struct footer footer;
	size_t n;

	functions = view_input_functions(in, &n, err);
	if (!functions)
		return -1;
	qsort_r(functions, n, sizeof(*functions), compare, &ranking);
	n = choose(in, functions, n, threshold, &footer);
	if (view_input_is_rows(in->options)) {
		write_rows(o, in, functions, n);
	} else {
		write_table(o, in, functions, n);
		footer_write(o, &footer, in->options, threshold);
	}
	free(functions);
	return 0;
}

const struct view view_flat = {
	.name = "flat",
	.help = "functions by self, with self and total",
	.needs = VIEW_NEEDS_TREE | VIEW_TAKES_CALLS,
	.has_rows = true,
	.options = VIEW_OPTIONS("sort", "threshold"),
	.commands = {{.argument = VIEW_ARGUMENT_COUNT, .help = "functions with both, as a table"}},
	.emit = emit,
};
