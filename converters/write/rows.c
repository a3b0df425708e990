/* SPDX-License-Identifier: MIT */
/*
 * rows.c - writes a table for programs, as TSV or as JSON.
 *
 * In: rows, value by value. Out: text.
 */
#include "write/rows.h"

#include <inttypes.h>
#include <string.h>

#include "base/utf8.h"
#include "write/name_text.h"

static void json_string(struct out *o, const char *text, size_t n)
{
	size_t i, length;

	out_text(o, "\"");
	for (i = 0; i < n; i += length) {
		unsigned char c = (unsigned char)text[i];

		length = utf8_length(text + i, n - i);
		if (length == 0) {
			out_format(o, "\\\\x%02x", c);
			length = 1;
		} else if (c == '"' || c == '\\') {
			out_format(o, "\\%c", c);
		} else if (utf8_control_length(text + i, n - i)) {
			out_format(o, "\\u%04x", (unsigned char)text[i + length - 1]);
		} else {
			out_bytes(o, text + i, length);
		}
	}
	out_text(o, "\"");
}

/* Returns a text of the profile, or "" if there is none. */
static void json_text(struct out *o, const struct strings *s, uint32_t text)
{
	size_t n = 0;
	const char *bytes = text == STRINGS_NONE ? "" : strings_get(s, text, &n);

	json_string(o, bytes, n);
}

void rows_begin(struct rows *r, struct out *o, const char *view, const struct view_input *in)
{
	const struct profile *p = in->profile;

	*r = (struct rows){.out = o, .json = in->options->format == VIEW_JSON};
	if (!r->json)
		return;
	out_format(o, "{\"view\": \"%s\", \"resource\": ", view);
	json_text(o, p->strings, p->resource);
	out_text(o, ", \"unit\": ");
	if (in->options->unit == TREE_HITS)
		out_text(o, "\"samples\"");
	else
		json_text(o, p->strings, p->unit);
	out_format(o, ", \"samples\": %" PRIu64, p->hits);
	if (in->tree)
		out_format(o, ", \"total\": %" PRIu64 ", \"kept\": %" PRIu64, in->tree->total,
			   in->tree->nodes[0].total);
	else if (in->graph)
		out_format(o, ", \"total\": %" PRIu64 ", \"kept\": %" PRIu64, in->graph->total,
			   in->graph->total);
	out_text(o, ", \"rows\": [");
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

void rows_fraction(struct rows *r, double value)
{
	begin_value(r);
	out_double(r->out, value);
}

void rows_word(struct rows *r, const char *text)
{
	begin_value(r);
	if (r->json)
		json_string(r->out, text, strlen(text));
	else
		out_text(r->out, text);
}

void rows_name(struct rows *r, const struct strings *s, uint32_t name)
{
	size_t n;
	const char *bytes = strings_get(s, name, &n);

	begin_value(r);
	if (r->json)
		json_string(r->out, bytes, n);
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
		json_string(r->out, bytes, n);
	else
		put_text(r->out, bytes, n);
}

void rows_none(struct rows *r)
{
	begin_value(r);
	out_text(r->out, r->json ? "null" : "-");
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
		json_string(r->out, bytes, n);
	else
		put_path_name(r->out, bytes, n);
}

void rows_path_end(struct rows *r)
{
	if (r->json)
		out_text(r->out, "]");
}
