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

#include "view/view.h"
#include "write/caption.h"
#include "write/footer.h"
#include "write/rows.h"
#include "write/weight.h"

#define TEXT_THRESHOLD 1.0
#define NAME_COLUMN    7

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

static void write_row(struct rows *r, const struct view_input *in, const struct usage *u)
{
	static const char *const columns[] = {"samples", "fraction", "name", NULL};

	rows_row(r, columns);
	rows_count(r, u->weight);
	rows_fraction(r, weight_fraction(u->weight, view_input_total(in)));
	rows_name(r, in->profile->strings, u->name);
}

static void write_line(struct out *o, const struct view_input *in, const struct usage *u)
{
	const char *name;
	char hits[32];
	size_t n;

	name = strings_get(in->profile->strings, u->name, &n);
	snprintf(hits, sizeof(hits), " [%" PRIu64 "]", u->hits);
	out_format(o, "%.4f ", weight_fraction(u->weight, view_input_total(in)));
	out_name_fit(o, name, n, NAME_COLUMN + (int)strlen(hits));
	out_format(o, "%s\n", hits);
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
	struct usage *usages = gather(in, bodies, &n, err);

	if (!usages)
		return -1;
	shown = limit(in, usages, n, threshold, &footer);
	if (view_input_is_rows(in->options)) {
		rows_begin(&r, o, bodies ? "bodies" : "functions", in);
		for (i = 0; i < shown; i++)
			write_row(&r, in, &usages[i]);
		rows_end(&r);
	} else {
		caption_write(
			o, bodies ? "Body Function Profile" : "Body+Descendants Function Profile",
			in);
		caption_totals(o, in);
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
	.needs = VIEW_NEEDS_TREE | VIEW_TAKES_CALLS,
	.has_rows = true,
	.options = VIEW_OPTIONS("threshold"),
	.commands = {{.argument = VIEW_ARGUMENT_COUNT,
		      .help = "functions by what they and their callees used"}},
	.emit = emit_functions,
};

const struct view view_bodies = {
	.name = "bodies",
	.help = "functions by self, bodies alone",
	.needs = VIEW_NEEDS_TREE | VIEW_TAKES_CALLS,
	.has_rows = true,
	.options = VIEW_OPTIONS("threshold"),
	.commands = {{.argument = VIEW_ARGUMENT_COUNT,
		      .help = "functions by what they used themselves"}},
	.emit = emit_bodies,
};
