/* SPDX-License-Identifier: MIT */
/*
 * view_flat.c - the flat profile: functions by self (Naganov, "flat view").
 *
 * Show room. In: struct tree. Out: a table of functions.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "amount.h"
#include "caption.h"
#include "view.h"

#define TEXT_THRESHOLD 0.0
#define NAME_COLUMN    42

static int compare(const void *a, const void *b, void *context)
{
	const struct tree_function *x = a, *y = b;

	if (x->self != y->self)
		return x->self < y->self ? 1 : -1;
	if (x->total != y->total)
		return x->total < y->total ? 1 : -1;
	return strings_compare(context, x->name, y->name);
}

static void write_row(struct out *o, const struct tree *t, const struct tree_function *f)
{
	size_t n;
	const char *name = strings_get(t->strings, f->name, &n);

	out_format(o, "%" PRIu64 "\t%" PRIu64 "\t", f->self, f->total);
	out_double(o, amount_fraction(f->self, t->total));
	out_text(o, "\t");
	out_double(o, amount_fraction(f->total, t->total));
	out_text(o, "\t");
	out_name(o, name, n);
	out_text(o, "\n");
}

static void write_line(struct out *o, const struct tree *t, const struct tree_function *f,
		       struct amount_scale scale)
{
	char text[AMOUNT_BYTES];
	size_t n;
	const char *name = strings_get(t->strings, f->name, &n);

	out_format(o, "%8.2f %8.2f %12s %9" PRIu64 "  ", amount_fraction(f->self, t->total) * 100,
		   amount_fraction(f->total, t->total) * 100, amount_text(text, scale, f->self),
		   f->self_hits);
	out_name_fit(o, name, n, NAME_COLUMN);
	out_text(o, "\n");
}

static void write_heading(struct out *o, const struct view_input *in)
{
	caption_write(o, "Flat Profile", in);
	out_text(o, "\n  self %  total %         self   samples  function\n");
	caption_rule(o);
}

static int emit(const struct view_input *in, struct out *o, struct error *err)
{
	const struct tree *t = in->tree;
	double threshold = view_threshold(in->options, TEXT_THRESHOLD);
	struct tree_function *functions;
	struct amount_scale scale;
	size_t i, n;

	functions = tree_functions(t, &n, err);
	if (!functions)
		return -1;
	qsort_r(functions, n, sizeof(*functions), compare, (void *)(uintptr_t)t->strings);
	scale = amount_scale(in->profile, t->unit, t->total);
	if (!in->options->tsv)
		write_heading(o, in);
	for (i = 0; i < n; i++) {
		if (amount_below(functions[i].total, t->total, threshold))
			continue;
		if (in->options->tsv)
			write_row(o, t, &functions[i]);
		else
			write_line(o, t, &functions[i], scale);
	}
	free(functions);
	return 0;
}

const struct view view_flat = {
	.name = "flat",
	.help = "functions by self, with self and total",
	.needs = VIEW_NEEDS_TREE,
	.has_tsv = true,
	.emit = emit,
};
