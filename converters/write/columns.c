/* SPDX-License-Identifier: MIT */
/*
 * columns.c - writes tables with a column for each of several resources.
 *
 * In: weights, names. Out: text, or rows.
 */
#include "write/columns.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "write/caption.h"
#include "write/name_text.h"
#include "write/weight.h"

#define WIDTH	   8 /* of a column of percentages, unless its resource has a long name */
#define INDENT_MAX 20u
#define NIL	   0.005 /* percent, that become 0.01 in a table */

/* "cpu_ns", "alloc_bytes", "faults": the name of a resource, and its unit if that says more. */
static char *key_of(const struct view_input *in, const struct profile_column *column)
{
	const char *name = strings_get(in->profile->strings, column->resource, NULL);
	const char *unit = in->options->unit == VIEW_UNIT_SAMPLES
				   ? "samples"
				   : strings_get(in->profile->strings, column->unit, NULL);
	bool says_more = in->options->unit == VIEW_UNIT_SAMPLES || !strcmp(unit, "ns") ||
			 !strcmp(unit, "bytes");
	char *key = NULL, *c;

	if (asprintf(&key, "%s%s%s", name, says_more ? "_" : "", says_more ? unit : "") < 0)
		return NULL;
	for (c = key; *c; c++)
		if (!isalnum((unsigned char)*c))
			*c = '_';
	return key;
}

static int make_keys(struct columns *c, enum columns_of of)
{
	const struct profile *p = c->in->profile;
	size_t i, n = 0;

	c->texts = calloc(c->n, sizeof(*c->texts));
	c->keys = calloc(c->n + 3, sizeof(*c->keys));
	c->widths = calloc(c->n, sizeof(*c->widths));
	if (!c->texts || !c->keys || !c->widths)
		return -1;
	if (of == COLUMNS_OF_NODES)
		c->keys[n++] = "depth";
	for (i = 0; i < c->n; i++) {
		size_t length;

		strings_get(p->strings, p->columns[i].resource, &length);
		c->widths[i] = length + 2 > WIDTH ? (int)length + 2 : WIDTH;
		c->width += c->widths[i] + 1;
		c->texts[i] = key_of(c->in, &p->columns[i]);
		if (!c->texts[i])
			return -1;
		c->keys[n++] = c->texts[i];
	}
	c->keys[n] = of == COLUMNS_OF_PATHS ? "path" : "name";
	return 0;
}

static void write_heading(const struct columns *c, const char *last)
{
	const struct profile *p = c->in->profile;
	size_t i;

	out_text(c->out, "\n");
	for (i = 0; i < c->n; i++) {
		size_t n;
		const char *name = strings_get(p->strings, p->columns[i].resource, &n);

		out_format(c->out, "%*s", c->widths[i] - (int)n - 2, "");
		out_name(c->out, name, n);
		out_text(c->out, " % ");
	}
	out_format(c->out, " %s\n", last);
	caption_rule(c->out);
}

int columns_begin(struct columns *c, const struct view_input *in, struct out *o,
		  const struct columns_title *title, struct error *err)
{
	*c = (struct columns){
		.in = in,
		.out = o,
		.n = in->profile->n_columns,
		.threshold = view_input_threshold(in->options, title->text_threshold),
		.footer = title->footer,
		.is_rows = view_input_is_rows(in->options),
	};
	if (make_keys(c, title->of))
		return error_memory(err);
	if (c->is_rows) {
		rows_begin_columns(&c->rows, o, in, (const char *const *)c->texts);
		return 0;
	}
	caption_write(o, title->title, in);
	if (title->parent)
		caption_parent(o, in->options, title->parent);
	write_heading(c, title->last);
	return 0;
}

void columns_end(struct columns *c)
{
	if (c->is_rows)
		rows_end(&c->rows);
	else
		footer_write(c->out, &c->footer, c->in->options, c->threshold);
}

void columns_free(struct columns *c)
{
	size_t i;

	for (i = 0; c->texts && i < c->n; i++)
		free(c->texts[i]);
	free(c->texts);
	free(c->keys);
	free(c->widths);
}

bool columns_are_small(const struct columns *c, const uint64_t *weights)
{
	size_t i;

	for (i = 0; i < c->n; i++) {
		uint64_t total = tree_column(c->in->tree, i)->total;

		/* Of nothing, no share is large. */
		if (total ? !weight_below(weights[i], total, c->threshold) : c->threshold <= 0)
			return false;
	}
	return true;
}

bool columns_are_nil(const struct columns *c, const uint64_t *weights)
{
	size_t i;

	for (i = 0; i < c->n; i++)
		if (weight_fraction(weights[i], tree_column(c->in->tree, i)->total) * 100 >= NIL)
			return false;
	return !c->is_rows && c->in->options->threshold != 0;
}

static void write_percents(const struct columns *c, const uint64_t *weights, const uint64_t *wholes)
{
	size_t i;

	for (i = 0; i < c->n; i++) {
		uint64_t whole = wholes ? wholes[i] : tree_column(c->in->tree, i)->total;

		out_format(c->out, "%*.2f ", c->widths[i],
			   weight_fraction(weights[i], whole) * 100);
	}
	out_text(c->out, " ");
}

static void write_counts(struct columns *c, const uint64_t *weights)
{
	size_t i;

	for (i = 0; i < c->n; i++)
		rows_count(&c->rows, weights[i]);
}

void columns_name(struct columns *c, const uint64_t *weights, uint32_t name, bool is_inline)
{
	if (c->is_rows) {
		rows_row(&c->rows, c->keys);
		write_counts(c, weights);
		rows_name(&c->rows, c->in->profile->strings, name);
		return;
	}
	write_percents(c, weights, NULL);
	name_text_last(c->out, c->in->profile->strings, name, is_inline, c->width + 1);
	out_text(c->out, "\n");
}

void columns_node(struct columns *c, const uint64_t *weights, const uint64_t *wholes,
		  uint32_t depth, uint32_t name, bool is_inline)
{
	int indent = 2 * (int)(depth < INDENT_MAX ? depth : INDENT_MAX);

	if (c->is_rows) {
		rows_row(&c->rows, c->keys);
		rows_count(&c->rows, depth);
		write_counts(c, weights);
		rows_name(&c->rows, c->in->profile->strings, name);
		return;
	}
	write_percents(c, weights, wholes);
	out_format(c->out, "%*s", indent, "");
	if (depth > INDENT_MAX) {
		char level[32];

		indent += snprintf(level, sizeof(level), "(%u) ", (unsigned)depth);
		out_text(c->out, level);
	}
	name_text_last(c->out, c->in->profile->strings, name, is_inline, c->width + 1 + indent);
	out_text(c->out, "\n");
}

void columns_path(struct columns *c, const uint64_t *weights, const uint64_t *wholes,
		  const uint32_t *names, size_t n_names)
{
	const struct strings *strings = c->in->profile->strings;
	struct name_list words;
	size_t i;

	if (c->is_rows) {
		rows_row(&c->rows, c->keys);
		write_counts(c, weights);
		rows_path_begin(&c->rows);
		for (i = 0; i < n_names; i++)
			rows_path_name(&c->rows, strings, names[i]);
		rows_path_end(&c->rows);
		return;
	}
	write_percents(c, weights, wholes);
	name_list_begin_line(&words, c->out, strings, c->width + 1);
	for (i = 0; i < n_names; i++)
		name_list_add(&words, names[i], i ? "" : "(", i + 1 < n_names ? "" : ")");
	out_text(c->out, "\n");
}
