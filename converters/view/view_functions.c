/* SPDX-License-Identifier: MIT */
/*
 * view_functions.c - the function profile or the body profile (Hall & Goldberg, sections 4.4, 5.2).
 *
 * In: struct tree, or a call graph without stacks. Out: functions by total, or by self,
 * as the paper prints them.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "view/compared.h"
#include "view/side_by_side.h"
#include "view/view.h"
#include "write/caption.h"
#include "write/footer.h"
#include "write/looks.h"
#include "write/row_numbers.h"
#include "write/rows.h"
#include "write/weight.h"

#define TEXT_THRESHOLD 1.0
#define NAME_COLUMN    7
#define BODIES	       "Body Function Profile"
#define FUNCTIONS      "Body+Descendants Function Profile"

struct usage {
	uint32_t name;
	uint64_t weight, hits;
};

static int compare(const void *a, const void *b, void *context)
{
	const struct usage *x = a, *y = b;

	if (x->weight != y->weight)
		return x->weight < y->weight ? 1 : -1;
	return strings_compare(context, x->name, y->name);
}

/* Returns all functions by total, or those that were running by self. The caller frees the array. */
static struct usage *gather(const struct view_input *in, bool bodies, size_t *n, struct error *err)
{
	size_t i, n_functions;
	struct tree_function *functions = view_input_functions(in, &n_functions, err);
	struct usage *usages = functions ? malloc((n_functions + 1) * sizeof(*usages)) : NULL;

	*n = 0;
	for (i = 0; usages && i < n_functions; i++) {
		const struct tree_function *f = &functions[i];

		if (!bodies)
			usages[(*n)++] = (struct usage){f->name, f->total, f->hits};
		else if (f->is_innermost)
			usages[(*n)++] = (struct usage){f->name, f->self, f->self_hits};
	}
	if (functions && !usages)
		error_memory(err);
	free(functions);
	/* The comparison only reads; qsort_r has no const context. */
	if (usages)
		qsort_r(usages, *n, sizeof(*usages), compare,
			(void *)(uintptr_t)in->profile->strings);
	return usages;
}

static void write_row(struct rows *r, const struct view_input *in, const struct usage *u,
		      bool bodies)
{
	static const char *const of_total[] = {"total", "total_fraction", "name", "total_samples",
					       NULL};
	static const char *const of_self[] = {"self", "self_fraction", "name", "self_samples",
					      NULL};

	rows_row(r, bodies ? of_self : of_total);
	rows_count(r, u->weight);
	rows_fraction(r, weight_fraction(u->weight, view_input_total(in)));
	rows_name(r, in->profile->strings, u->name);
	rows_json_samples(r, in, u->hits);
}

static void write_line(struct out *o, const struct view_input *in, const struct usage *u)
{
	const char *name;
	char hits[32];
	int column = NAME_COLUMN;
	size_t n;

	name = strings_shown(in->profile->strings, u->name, &n);
	snprintf(hits, sizeof(hits), " [%" PRIu64 "]", u->hits);
	column += row_numbers_row(o, in, u->name);
	looks_share(o, weight_fraction(u->weight, view_input_total(in)));
	out_format(o, "%.4f ", weight_fraction(u->weight, view_input_total(in)));
	looks_end(o);
	looks_name(o, in, u->name);
	out_name_fit(o, name, n, column + (int)strlen(hits));
	out_text(o, hits);
	looks_end(o);
	out_text(o, "\n");
}

/* Returns how many of the sorted functions are shown; the footer counts the others. */
static size_t limit(const struct view_input *in, const struct usage *usages, size_t n,
		    double threshold, struct footer *footer)
{
	uint64_t top = in->options->top;
	size_t shown = n;

	*footer = (struct footer){.what = "function"};
	while (shown > 0 && weight_below(usages[shown - 1].weight, view_input_total(in), threshold))
		shown--;
	footer->small = n - shown;
	if (!top || shown <= top)
		return shown;
	footer->beyond = shown - top;
	return (size_t)top;
}

static int show(const struct view_input *in, struct out *o, bool bodies, struct error *err)
{
	double threshold = view_input_threshold(in->options, TEXT_THRESHOLD);
	struct footer footer;
	struct rows r;
	size_t i, n, shown;
	struct usage *usages;

	if (compared(in))
		return compared_functions(in, o, bodies ? BODIES : FUNCTIONS,
					  bodies ? "bodies" : "functions", !bodies, err);
	if (side_by_side(in))
		return side_by_side_functions(in, o, bodies ? BODIES : FUNCTIONS, !bodies,
					      TEXT_THRESHOLD, err);
	usages = gather(in, bodies, &n, err);
	if (!usages)
		return -1;
	shown = limit(in, usages, n, threshold, &footer);
	if (view_input_is_rows(in->options)) {
		rows_begin(&r, o, bodies ? "bodies" : "functions", in);
		for (i = 0; i < shown; i++)
			write_row(&r, in, &usages[i], bodies);
		rows_end(&r);
	} else {
		caption_write(o, bodies ? BODIES : FUNCTIONS, in);
		caption_totals(o, in);
		row_numbers_heading(o, in);
		out_text(o, "format: usage_fraction function_name [#raw_samples]\n");
		caption_rule(o);
		for (i = 0; i < shown; i++)
			write_line(o, in, &usages[i]);
		footer_write(o, &footer, in->options, threshold);
	}
	free(usages);
	return 0;
}

static int emit_functions(const struct view_input *in, struct out *o, struct error *err)
{
	return show(in, o, false, err);
}

static int emit_bodies(const struct view_input *in, struct out *o, struct error *err)
{
	return show(in, o, true, err);
}

const struct view view_functions = {
	.name = "functions",
	.help = "functions by total, bodies and descendants",
	.fits_screen = true,
	.needs = VIEW_NEEDS_TREE | VIEW_TAKES_CALLS,
	.has_rows = true,
	.has_base = true,
	.has_columns = true,
	.options = VIEW_OPTIONS("threshold"),
	.commands = {{.argument = VIEW_ARGUMENT_COUNT,
		      .help = "functions by what they and their callees used"}},
	.emit = emit_functions,
};

const struct view view_bodies = {
	.name = "bodies",
	.help = "functions by self, bodies alone",
	.fits_screen = true,
	.needs = VIEW_NEEDS_TREE | VIEW_TAKES_CALLS,
	.has_rows = true,
	.has_base = true,
	.has_columns = true,
	.options = VIEW_OPTIONS("threshold"),
	.commands = {{.argument = VIEW_ARGUMENT_COUNT,
		      .help = "functions by what they used themselves"}},
	.emit = emit_bodies,
};
