/* SPDX-License-Identifier: MIT */
/*
 * view_flat.c - the flat profile: functions by self (Naganov, "flat view").
 *
 * In: struct tree, or a call graph without stacks. Out: a table of functions.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "view/compared.h"
#include "view/side_by_side.h"
#include "view/view.h"
#include "write/caption.h"
#include "write/footer.h"
#include "write/looks.h"
#include "write/name_text.h"
#include "write/row_numbers.h"
#include "write/rows.h"
#include "write/weight.h"

#define TEXT_THRESHOLD 0.0
#define PERCENTS_WIDTH 18 /* both, with a space behind each */
#define MODULE_WIDTH   16 /* of its column, and of terminals that have room for it */
#define MODULE_ROOM    100

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
		"self", "total",	"self_fraction", "total_fraction",
		"name", "self_samples", "total_samples", NULL,
	};

	uint64_t total = view_input_total(in);

	rows_row(r, columns);
	rows_count(r, f->self);
	rows_count(r, f->total);
	rows_fraction(r, weight_fraction(f->self, total));
	rows_fraction(r, weight_fraction(f->total, total));
	rows_name(r, in->profile->strings, f->name);
	rows_json_samples(r, in, f->self_hits);
	rows_json_samples(r, in, f->hits);
}

/* A wide terminal has room for the modules of functions. */
static bool has_modules(const struct out *o, const struct view_input *in)
{
	return out_width(o) >= MODULE_ROOM && in->tree && in->profile->n_modules;
}

/* Returns the columns that this takes. */
static int write_module(struct out *o, const struct view_input *in, uint32_t name)
{
	const struct event_text module = looks_module(in, name);
	size_t n = module.length < MODULE_WIDTH ? module.length : MODULE_WIDTH;

	out_name(o, module.bytes, n);
	out_format(o, "%*s", MODULE_WIDTH + 2 - (int)n, "");
	return MODULE_WIDTH + 2;
}

/* Naganov: such a function does all its work itself, so that it is the one to be made faster. */
static bool does_all_itself(const struct tree_function *f)
{
	return f->self && (unsigned __int128)f->self * 10 >= (unsigned __int128)f->total * 9;
}

/* What was counted, as callgrind does, has no samples. Returns the width of their column, with the blank before it. */
static int samples_width(const struct view_input *in)
{
	const struct profile *p = in->profile;

	return p->calls && p->calls->has_inclusive ? 0 : 1 + weight_count_width(p->hits);
}

static void write_line(struct out *o, const struct view_input *in, const struct tree_function *f,
		       struct weight_scale scale)
{
	int width = samples_width(in);
	uint64_t total = view_input_total(in);
	char text[WEIGHT_BYTES];
	int column = 0;

	column += row_numbers_row(o, in, f->name);
	looks_share(o, weight_fraction(f->self, total));
	out_format(o, "%8.2f", weight_fraction(f->self, total) * 100);
	looks_end(o);
	out_format(o, " %c%7.2f %*s", does_all_itself(f) ? '=' : ' ',
		   weight_fraction(f->total, total) * 100, scale.width,
		   weight_text(text, scale, f->self));
	if (width)
		out_format(o, "%*" PRIu64, width, f->self_hits);
	out_text(o, "  ");
	column += PERCENTS_WIDTH + scale.width + width + 2;
	looks_name(o, in, f->name);
	if (has_modules(o, in))
		column += write_module(o, in, f->name);
	name_text_last(o, in->profile->strings, f->name, f->is_inline, column);
	looks_end(o);
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

/* What the mark means, if a row has it. */
static void write_legend(struct out *o, const struct tree_function *functions, size_t n)
{
	size_t i = 0;

	while (i < n && !does_all_itself(&functions[i]))
		i++;
	if (i < n)
		out_text(o,
			 "= self is nine tenths of the total or more: it does the work itself\n");
}

static void write_table(struct out *o, const struct view_input *in,
			const struct tree_function *functions, size_t n)
{
	struct weight_scale scale =
		weight_scale(in->profile, view_input_unit(in->options), view_input_total(in));
	size_t i;

	caption_write(o, "Flat Profile", in);
	caption_totals(o, in);
	out_text(o, "\n");
	row_numbers_heading(o, in);
	out_format(o, "  self %%  total %% %*s%*s  ", scale.width, "self", samples_width(in),
		   samples_width(in) ? "samples" : "");
	if (has_modules(o, in))
		out_format(o, "%-*s", MODULE_WIDTH + 2, "module");
	out_text(o, "function\n");
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

	if (compared(in))
		return compared_functions(in, o, "Flat Profile", "flat", in->options->by_total,
					  err);
	if (side_by_side(in))
		return side_by_side_functions(in, o, "Flat Profile", in->options->by_total,
					      TEXT_THRESHOLD, err);
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
		write_legend(o, functions, n);
	}
	free(functions);
	return 0;
}

const struct view view_flat = {
	.name = "flat",
	.help = "functions by self, with self and total",
	.fits_screen = true,
	.needs = VIEW_NEEDS_TREE | VIEW_TAKES_CALLS,
	.has_rows = true,
	.has_base = true,
	.has_columns = true,
	.options = VIEW_OPTIONS("sort", "threshold"),
	.commands = {{.argument = VIEW_ARGUMENT_COUNT, .help = "functions with both, as a table"}},
	.emit = emit,
};
