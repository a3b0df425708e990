/* SPDX-License-Identifier: MIT */
/*
 * rows.c - writes a table for programs, as TSV or as JSON.
 *
 * In: rows, value by value. Out: text.
 */
#include "write/rows.h"

#include <inttypes.h>
#include <string.h>

#include "write/json_text.h"
#include "write/name_text.h"

static void json_unit(struct out *o, const struct view_input *in)
{
	if (in->options->unit == VIEW_UNIT_SAMPLES)
		out_text(o, "\"samples\"");
	else
		json_text_string(o, in->profile->strings, in->profile->unit);
}

/* What is 100 %, and what the filter has left of it. */
static void put_whole(struct out *o, const struct view_input *in, bool is_exact)
{
	if (!in->tree && !in->graph)
		return;
	out_format(o, ", \"total\": %" PRIu64 ", \"kept\": %" PRIu64 ", \"totals\": \"%s\"",
		   view_input_total(in), in->tree ? in->tree->nodes[0].total : in->graph->total,
		   is_exact ? "exact" : "propagated");
}

void rows_begin(struct rows *r, struct out *o, const char *view, const struct view_input *in)
{
	rows_begin_totals(r, o, view, in, in->tree || (in->graph && in->graph->has_totals));
}

/* What JSON has first in all views of one resource, up to its unit. Returns whether it is JSON. */
static bool begin(struct rows *r, struct out *o, const char *view, const struct view_input *in)
{
	const struct profile *p = in->profile;

	*r = (struct rows){.out = o, .json = in->options->format == VIEW_JSON};
	if (!r->json)
		return false;
	out_format(o, "{\"version\": %d, \"view\": \"%s\", \"resource\": ", ROWS_JSON_VERSION,
		   view);
	json_text_string(o, p->strings, p->resource);
	out_text(o, ", \"unit\": ");
	return true;
}

void rows_begin_totals(struct rows *r, struct out *o, const char *view, const struct view_input *in,
		       bool is_exact)
{
	if (!begin(r, o, view, in))
		return;
	json_unit(o, in);
	out_format(o, ", \"samples\": %" PRIu64, in->profile->hits);
	put_whole(o, in, is_exact);
	out_text(o, ", \"rows\": [");
}

void rows_begin_threads(struct rows *r, struct out *o, const char *view,
			const struct view_input *in, uint64_t kept)
{
	const struct profile *p = in->profile;

	if (!begin(r, o, view, in))
		return;
	json_text_string(o, p->strings, p->unit);
	out_format(o, ", \"samples\": %" PRIu64 ", \"total\": %" PRIu64 ", \"kept\": %" PRIu64,
		   p->hits, p->weight, kept);
	out_text(o, ", \"totals\": \"exact\", \"rows\": [");
}

void rows_begin_columns(struct rows *r, struct out *o, const struct view_input *in,
			const char *const *keys)
{
	const struct profile *p = in->profile;
	size_t i;

	*r = (struct rows){.out = o, .json = in->options->format == VIEW_JSON};
	if (!r->json)
		return;
	out_format(o, "{\"version\": %d, \"view\": \"columns\", \"columns\": [", ROWS_JSON_VERSION);
	for (i = 0; i < p->n_columns; i++) {
		const struct tree *t = tree_column(in->tree, i);

		out_format(o, "%s{\"key\": \"%s\", \"resource\": ", i ? ", " : "", keys[i]);
		json_text_string(o, p->strings, p->columns[i].resource);
		out_text(o, ", \"gtick\": ");
		json_text_string(o, p->strings, p->columns[i].unit);
		out_format(o, ", \"samples\": %" PRIu64 ", \"total\": %" PRIu64, p->columns[i].hits,
			   t->total);
		out_format(o, ", \"kept\": %" PRIu64 "}", t->nodes[0].total);
	}
	out_text(o, "], \"rows\": [");
}

static void put_totals(struct out *o, const struct rows_compared *sides, size_t i)
{
	out_text(o, "\"total_before\": ");
	out_double(o, sides->totals[i].before);
	out_text(o, ", \"total_after\": ");
	out_double(o, sides->totals[i].after);
}

static void put_compared(struct out *o, const struct profile *p, const struct rows_compared *sides)
{
	for (size_t i = 0; i < sides->n; i++) {
		const struct profile_column *column = &p->columns[i * p->n_runs];

		out_format(o, "%s{\"key\": \"%s\", \"resource\": ", i ? ", " : "", sides->keys[i]);
		json_text_string(o, p->strings, column->resource);
		out_text(o, ", \"gtick\": ");
		json_text_string(o, p->strings, column->unit);
		out_text(o, ", ");
		put_totals(o, sides, i);
		out_text(o, "}");
	}
}

void rows_begin_compared(struct rows *r, struct out *o, const char *view,
			 const struct view_input *in, const struct rows_compared *sides)
{
	const struct profile *p = in->profile;

	*r = (struct rows){.out = o, .json = in->options->format == VIEW_JSON};
	if (!r->json)
		return;
	out_format(o, "{\"version\": %d, \"view\": \"comparison\", ", ROWS_JSON_VERSION);
	if (sides->n > 1) {
		out_text(o, "\"columns\": [");
		put_compared(o, p, sides);
		out_text(o, "]");
	} else {
		out_text(o, "\"resource\": ");
		json_text_string(o, p->strings, p->resource);
		out_text(o, ", \"unit\": ");
		json_unit(o, in);
	}
	out_format(
		o,
		", \"comparison\": {\"view\": \"%s\", \"runs_before\": %zu, \"runs_after\": %zu, ",
		view, sides->runs_before, sides->runs_after);
	if (sides->n == 1) {
		put_totals(o, sides, 0);
		out_text(o, ", ");
	}
	out_format(o, "\"normalized\": %s}, \"rows\": [", sides->is_normalized ? "true" : "false");
}

/* End the row that has been begun. */
static void end_row(struct rows *r)
{
	if (r->has_row)
		out_bytes(r->out, r->json ? "}" : "\n", 1);
}

void rows_end(struct rows *r)
{
	end_row(r);
	if (r->json)
		out_text(r->out, "\n]}\n");
}

void rows_row(struct rows *r, const char *const *columns)
{
	end_row(r);
	if (r->json)
		out_text(r->out, r->has_row ? ",\n {" : "\n {");
	r->has_row = true;
	r->columns = columns;
	r->is_first = true;
}

/* Write what comes before a value: a tab in TSV, the key in JSON. */
static void begin_value(struct rows *r)
{
	if (!r->is_first)
		out_bytes(r->out, r->json ? ", " : "\t", r->json ? 2 : 1);
	r->is_first = false;
	if (r->json)
		out_format(r->out, "\"%s\": ", *r->columns++);
}

void rows_count(struct rows *r, unsigned __int128 value)
{
	begin_value(r);
	out_count(r->out, value);
}

void rows_json_count(struct rows *r, uint64_t value)
{
	if (r->json)
		rows_count(r, value);
}

void rows_json_answer(struct rows *r, enum rows_answer is)
{
	static const char *const texts[] = {
		[ROWS_NO] = "false", [ROWS_YES] = "true", [ROWS_UNKNOWN] = "null"};

	if (!r->json)
		return;
	begin_value(r);
	out_text(r->out, texts[is]);
}

void rows_json_samples(struct rows *r, const struct view_input *in, uint64_t samples)
{
	if (in->tree)
		rows_json_count(r, samples);
	else if (r->json)
		rows_none(r);
}

void rows_fraction(struct rows *r, double value)
{
	begin_value(r);
	out_double(r->out, value);
}

void rows_word(struct rows *r, const char *text)
{
	begin_value(r);
	if (r->json)
		json_text(r->out, text, strlen(text));
	else
		out_text(r->out, text);
}

void rows_name(struct rows *r, const struct strings *s, uint32_t name)
{
	size_t n;
	const char *bytes = strings_get(s, name, &n);

	begin_value(r);
	if (r->json)
		json_text(r->out, bytes, n);
	else
		out_name(r->out, bytes, n);
}

/* Bytes that would break a row are escaped as C does. */
static void put_text(struct out *o, const char *bytes, size_t n)
{
	size_t i, length;

	for (i = 0; i < n; i += length) {
		length = utf8_control_length(bytes + i, n - i);
		if (!length)
			length = 1;
		if (bytes[i] == '\\')
			out_text(o, "\\\\");
		else if (bytes[i] == '\t')
			out_text(o, "\\t");
		else if (bytes[i] == '\n')
			out_text(o, "\\n");
		else
			out_name(o, &bytes[i], length);
	}
}

void rows_text(struct rows *r, const char *bytes, size_t n)
{
	begin_value(r);
	if (r->json)
		json_text(r->out, bytes, n);
	else
		put_text(r->out, bytes, n);
}

void rows_none(struct rows *r)
{
	begin_value(r);
	out_text(r->out, r->json ? "null" : "-");
}

void rows_empty(struct rows *r)
{
	begin_value(r);
	out_text(r->out, r->json ? "null" : "");
}

void rows_path_begin(struct rows *r)
{
	begin_value(r);
	r->has_name = false;
	if (r->json)
		out_text(r->out, "[");
}

/* The name is copied in pieces, because it may be longer than the buffer. */
static void put_path_name(struct out *o, const char *bytes, size_t n)
{
	char piece[256];
	size_t i, length = 0;

	for (i = 0; i < n; i++) {
		piece[length++] = name_text_folded_byte(bytes, n, i);
		if (length == sizeof(piece) || i + 1 == n) {
			out_bytes(o, piece, length);
			length = 0;
		}
	}
}

void rows_path_name(struct rows *r, const struct strings *s, uint32_t name)
{
	size_t n;
	const char *bytes = strings_get(s, name, &n);

	if (r->has_name)
		out_text(r->out, r->json ? ", " : ";");
	r->has_name = true;
	if (r->json)
		json_text(r->out, bytes, n);
	else
		put_path_name(r->out, bytes, n);
}

void rows_path_end(struct rows *r)
{
	if (r->json)
		out_text(r->out, "]");
}
