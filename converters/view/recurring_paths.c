/* SPDX-License-Identifier: MIT */
/*
 * recurring_paths.c - lists sequences of calls that recur under several callers.
 *
 * In: struct tree. Out: text, or rows.
 */
#include "view/recurring_paths.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tree/recurring.h"
#include "write/caption.h"
#include "write/footer.h"
#include "write/path_text.h"
#include "write/rows.h"
#include "write/table.h"
#include "write/weight.h"

#define FRACTION_COLUMNS 8 /* "0.62000 " */

struct listing {
	const struct view_input *in;
	const struct recurring *found;
	struct out *out;
	uint32_t *names; /* has room for the names of the longest sequence */
	struct rows rows;
	bool is_rows;
};

bool recurring_paths_are_meant(const struct view_options *options)
{
	return options->root && strcmp(options->root, "*") == 0;
}

static void write_row(struct listing *l, const struct recurring_sequence *s)
{
	static const char *const columns[] = {"total",	 "total_fraction", "path",
					      "callers", "total_samples",  NULL};
	const struct tree *t = l->in->tree;

	rows_row(&l->rows, columns);
	rows_count(&l->rows, s->weight);
	rows_fraction(&l->rows, weight_fraction(s->weight, t->total));
	rows_path_begin(&l->rows);
	for (uint32_t i = 0; i < s->length; i++)
		rows_path_name(&l->rows, t->strings, l->names[i]);
	rows_path_end(&l->rows);
	rows_count(&l->rows, s->callers);
	rows_json_count(&l->rows, s->hits);
}

static void write_line(const struct listing *l, const struct recurring_sequence *s)
{
	const struct tree *t = l->in->tree;
	char end[64];

	snprintf(end, sizeof(end), ") [%" PRIu64 "] %" PRIu32 " callers", s->hits, s->callers);
	out_format(l->out, "%.5f ", weight_fraction(s->weight, t->total));
	path_text_write(l->out, t->strings, l->names, s->length, end, FRACTION_COLUMNS);
	out_text(l->out, "\n");
}

static struct footer write_list(struct listing *l, double threshold)
{
	uint64_t top = l->in->options->top;
	struct footer footer = {.what = "call path"};

	for (size_t i = 0; i < l->found->n; i++) {
		const struct recurring_sequence *s = &l->found->list[i];

		if (weight_below(s->weight, l->in->tree->total, threshold)) {
			footer.small = l->found->n - i;
			break;
		}
		if (top && i >= top) {
			footer.beyond++;
			continue;
		}
		recurring_names(l->found, s, l->names);
		if (l->is_rows)
			write_row(l, s);
		else
			write_line(l, s);
	}
	return footer;
}

/* What to do with a line. */
static void write_hint(const struct listing *l)
{
	if (!l->found->n)
		out_text(l->out, "no sequence of calls recurs: each has one caller that makes nine "
				 "tenths of it\n");
	else
		out_text(l->out, "who makes these calls: --callpath --up --root NAME, or "
				 "--bottomup --root NAME\n");
}

static void write_profile(struct listing *l, double text_threshold)
{
	double threshold = view_input_threshold(l->in->options, text_threshold);
	struct footer footer;

	if (l->is_rows) {
		rows_begin(&l->rows, l->out, "callpath", l->in);
		write_list(l, threshold);
		rows_end(&l->rows);
		return;
	}
	caption_write(l->out, "Recurring Call Path Profile", l->in);
	out_text(l->out, "calls that several functions make, none of them nine tenths; without "
			 "those that\na longer path with nine tenths of their usage explains\n"
			 "format: usage_fraction (call_path) [#raw_samples] #callers\n");
	caption_rule(l->out);
	footer = write_list(l, threshold);
	footer_write(l->out, &footer, l->in->options, threshold);
	write_hint(l);
}

/* Options whose meaning needs one root function, or one column of weights. */
static int check(const struct view_input *in, struct error *err)
{
	if (in->options->up)
		return error_usage(err, "--up needs a function: --root '*' lists what recurs under "
					"several callers, from wherever it begins");
	if (in->options->of_parent)
		return error_usage(err, "--percent parent: with --root '*' a path has no parent");
	if (table_shape(in) == TABLE_COMPARED)
		return error_usage(err, "--base: --root '*' lists what recurs in one profile; "
					"compare with --callpath --root NAME");
	if (table_shape(in) == TABLE_SEVERAL)
		return error_usage(err, "--root '*' shows one resource; choose it by --resource");
	return 0;
}

int recurring_paths(const struct view_input *in, struct out *o, double threshold, struct error *err)
{
	struct listing l = {.in = in, .out = o, .is_rows = view_input_is_rows(in->options)};
	struct recurring *found;
	uint32_t longest = 0;

	if (check(in, err))
		return -1;
	found = recurring_find(in->tree, in->options->depth, err);
	if (!found)
		return -1;
	for (size_t i = 0; i < found->n; i++)
		if (found->list[i].length > longest)
			longest = found->list[i].length;
	l.found = found;
	l.names = malloc(((size_t)longest + 1) * sizeof(*l.names));
	if (l.names)
		write_profile(&l, threshold);
	else
		error_memory(err);
	recurring_free(found);
	free(l.names);
	return l.names ? 0 : -1;
}
