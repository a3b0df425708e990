/* SPDX-License-Identifier: MIT */
/*
 * table_rows.c - writes the rows of a table for programs.
 *
 * In: rows. Out: TSV or JSON.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "write/history_text.h"
#include "write/table.h"

#define LABEL_KEYS 3 /* at most */

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

/* Add the keys of what a row is about. Returns the number of all. */
static size_t add_label(const char **keys, size_t n, enum table_label label)
{
	switch (label) {
	case TABLE_CALL:
		keys[n++] = "caller";
		keys[n++] = "callee";
		return n;
	case TABLE_PATH:
	case TABLE_CYCLE:
		keys[n++] = "path";
		return n;
	case TABLE_HISTORY:
		keys[n++] = "marks";
		keys[n++] = "history";
		return n;
	default:
		keys[n++] = "name";
		return n;
	}
}

/* The keys of the view's own columns. */
static void add_own(struct table *t)
{
	size_t n = 0;

	for (const struct table_column *c = t->about->columns; c->kind; c++)
		if (c->kind == TABLE_LABEL && c->key)
			n = add_label(t->keys, n, t->about->label);
		else if (c->key)
			t->keys[n++] = c->key;
}

/* The keys of n resources, of which each has as many columns as a comparison has runs. */
static int make_resources(struct table *t, size_t n)
{
	const struct profile *p = t->in->profile;

	t->column_keys = calloc(n + 1, sizeof(*t->column_keys));
	if (!t->column_keys)
		return -1;
	for (size_t k = 0; k < n; k++) {
		t->column_keys[k] = key_of(t->in, &p->columns[k * (p->n_base ? p->n_runs : 1)]);
		if (!t->column_keys[k])
			return -1;
	}
	return 0;
}

static int add_resources(struct table *t)
{
	size_t n = 0;

	if (make_resources(t, t->n_columns))
		return -1;
	if (t->about->label == TABLE_NODE)
		t->keys[n++] = "depth";
	for (size_t k = 0; k < t->n_columns; k++)
		t->keys[n++] = t->column_keys[k];
	memcpy(t->call_keys, t->keys, n * sizeof(*t->keys));
	add_label(t->call_keys, n, TABLE_CALL);
	add_label(t->keys, n, t->about->label);
	return 0;
}

static const char *const figures[] = {COMPARED_KEYS};

#define FIGURES (sizeof(figures) / sizeof(*figures))

/* "cpu_ns_before", "alloc_bytes_before": the figures of several resources. */
static int make_figures(struct table *t)
{
	size_t n_resources = t->compared.n;

	if (make_resources(t, n_resources))
		return -1;
	t->figure_keys = calloc(n_resources * FIGURES + 1, sizeof(*t->figure_keys));
	for (size_t i = 0; t->figure_keys && i < n_resources * FIGURES; i++) {
		if (asprintf(&t->figure_keys[i], "%s_%s", t->column_keys[i / FIGURES],
			     figures[i % FIGURES]) < 0) {
			t->figure_keys[i] = NULL;
			return -1;
		}
		t->keys[i] = t->figure_keys[i];
	}
	t->compared.keys = (const char *const *)t->column_keys;
	return t->figure_keys ? 0 : -1;
}

static int add_changes(struct table *t)
{
	size_t n = t->compared.n * FIGURES;

	if (t->compared.n == 1)
		memcpy(t->keys, figures, sizeof(figures));
	else if (make_figures(t))
		return -1;
	if (t->about->label == TABLE_NODE)
		t->keys[n++] = "depth";
	memcpy(t->call_keys, t->keys, n * sizeof(*t->keys));
	add_label(t->call_keys, n, TABLE_CALL);
	add_label(t->keys, n, t->about->label);
	return 0;
}

/* There is room for as many keys as any shape has. */
static int make_keys(struct table *t)
{
	size_t n = t->n_columns + t->compared.n * FIGURES + LABEL_KEYS + 1;

	for (const struct table_column *c = t->about->columns; c && c->kind; c++)
		n++;
	t->keys = calloc(n, sizeof(*t->keys));
	t->call_keys = calloc(n, sizeof(*t->call_keys));
	if (!t->keys || !t->call_keys)
		return -1;
	if (t->shape == TABLE_SEVERAL)
		return add_resources(t);
	if (t->shape == TABLE_COMPARED)
		return add_changes(t);
	add_own(t);
	return 0;
}

int table_rows_begin(struct table *t, struct error *err)
{
	if (make_keys(t))
		return error_memory(err);
	if (t->shape == TABLE_COMPARED)
		return compared_table_head(&t->compared, t->about->title, t->about->view, NULL,
					   err);
	if (t->shape == TABLE_SEVERAL)
		rows_begin_columns(&t->rows, t->out, t->in, (const char *const *)t->column_keys);
	else
		rows_begin(&t->rows, t->out, t->about->view, t->in);
	if (t->shape == TABLE_ONE && t->about->above)
		t->about->above(t, t->about->context);
	return 0;
}

void table_rows_free(struct table *t)
{
	for (size_t k = 0; t->column_keys && t->column_keys[k]; k++)
		free(t->column_keys[k]);
	for (size_t k = 0; t->figure_keys && t->figure_keys[k]; k++)
		free(t->figure_keys[k]);
	free(t->column_keys);
	free(t->figure_keys);
	free(t->keys);
	free(t->call_keys);
}

static int write_label(const struct table *t, struct rows *r, const struct table_row *row,
		       struct error *err)
{
	const struct strings *strings = t->in->profile->strings;

	switch (row->is_call ? TABLE_CALL : t->about->label) {
	case TABLE_CALL:
		rows_name(r, strings, row->name);
		rows_name(r, strings, row->callee);
		return 0;
	case TABLE_PATH:
	case TABLE_CYCLE:
		rows_path_begin(r);
		for (uint32_t i = 0; i < row->length; i++)
			rows_path_name(r, strings, row->path[i]);
		rows_path_end(r);
		return 0;
	case TABLE_HISTORY:
		return history_text_rows(r, strings, row->history, err);
	default:
		rows_name(r, strings, row->name);
		return 0;
	}
}

static int write_value(struct table *t, const struct table_column *c, const struct table_row *row,
		       struct error *err)
{
	unsigned __int128 value = row->values[c->value];
	uint64_t whole = row->wholes ? row->wholes[0] : t->totals[0];

	switch (c->kind) {
	case TABLE_LABEL:
		return write_label(t, &t->rows, row, err);
	case TABLE_SAMPLES:
		rows_json_samples(&t->rows, t->in, (uint64_t)value);
		return 0;
	case TABLE_SHARE:
	case TABLE_FRACTION:
		rows_fraction(&t->rows, weight_fraction((uint64_t)value, whole));
		return 0;
	case TABLE_DEPTH:
		rows_count(&t->rows, row->depth);
		return 0;
	case TABLE_CALLS:
		if (c->json_only && !t->rows.json)
			return 0;
		if (row->has_calls)
			rows_count(&t->rows, value);
		else
			rows_empty(&t->rows);
		return 0;
	case TABLE_WORD:
		rows_word(&t->rows, c->heading);
		return 0;
	default:
		if (c->json_only)
			rows_json_count(&t->rows, (uint64_t)value);
		else
			rows_count(&t->rows, value);
		return 0;
	}
}

static int write_own(struct table *t, const struct table_row *row, struct error *err)
{
	int status = 0;

	for (const struct table_column *c = t->about->columns; !status && c->kind; c++)
		if (c->key)
			status = write_value(t, c, row, err);
	return status;
}

int table_rows_row(struct table *t, const struct table_row *row,
		   const struct comparison_row *change, struct error *err)
{
	struct rows *r = change ? &t->compared.rows : &t->rows;
	const char *const *keys = row->is_call ? t->call_keys : t->keys;
	bool is_node = t->about->label == TABLE_NODE;

	if (change)
		compared_table_row(&t->compared, change, keys);
	else
		rows_row(r, keys);
	if (t->shape == TABLE_ONE)
		return write_own(t, row, err);
	if (is_node)
		rows_count(r, row->depth);
	for (size_t k = 0; !change && k < t->n_columns; k++)
		rows_count(r, row->weights[k]);
	return write_label(t, r, row, err);
}
