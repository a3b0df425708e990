/* SPDX-License-Identifier: MIT */
/*
 * page_sources.c - the source lines that were used, with what they used, in the form in which a page holds them.
 *
 * In: the tree by line, source files. Out: numbers and texts, as in page_data.c.
 *
 *	files      of each: 1, its path, and of each of its lines: the difference to the line before, the text; 0 comes after
 *	           the last line, and after the last file
 *	lines      of each that was used: file + 1, line, function, and of each column self and total; 0 comes after the last
 *
 * These are the lines that --source has: a stack counts once for a line of a function. A page has their text if packs
 * have it, or if somebody asks for it, because not everybody who may see a profile may see the sources.
 */
#include <stdlib.h>
#include <string.h>

#include "annotate/code_places.h"
#include "annotate/source_text.h"
#include "base/utf8.h"
#include "page/page.h"

#define CONTEXT	   10u	 /* lines around one that was used */
#define TEXT_BYTES 1000u /* of a line */

struct used_line {
	uint32_t file, line; /* file: a path in the profile's strings */
	uint32_t name;	     /* in the tree by line */
	uint32_t function;   /* its number in the page */
	uint32_t written;    /* number of the file in the page, or STRINGS_NONE */
};

struct sources {
	const struct view_input *in;
	struct protobuf *data;
	struct code_places places;
	struct used_line *lines; /* by file and line */
	size_t n;
	uint64_t *weights; /* by name and column: self and total */
	size_t n_columns;
	uint32_t n_written; /* files */
};

/* ---- weights --------------------------------------------------------------------------------- */

static uint64_t *weights_of(const struct sources *s, uint32_t name, size_t column)
{
	return &s->weights[2 * ((size_t)name * s->n_columns + column)];
}

static int weigh(struct sources *s, struct error *err)
{
	size_t n_names = s->places.n_names, n;

	s->weights = calloc(2 * s->n_columns * n_names + 1, sizeof(*s->weights));
	for (size_t c = 0; s->weights && c < s->n_columns; c++) {
		struct tree_function *list =
			tree_functions(tree_column(s->in->by_line, c), &n, err);

		if (!list)
			return -1;
		for (size_t i = 0; i < n; i++) {
			weights_of(s, list[i].name, c)[0] = list[i].self;
			weights_of(s, list[i].name, c)[1] = list[i].total;
		}
		free(list);
	}
	return s->weights ? 0 : -1;
}

static bool has_weight(const struct sources *s, uint32_t name)
{
	for (size_t c = 0; c < s->n_columns; c++)
		if (weights_of(s, name, c)[1])
			return true;
	return false;
}

/* ---- lines ----------------------------------------------------------------------------------- */

static int compare_lines(const void *a, const void *b, void *strings)
{
	const struct used_line *x = a, *y = b;

	if (x->file != y->file)
		return strings_compare(strings, x->file, y->file);
	if (x->line != y->line)
		return x->line < y->line ? -1 : 1;
	return (x->function > y->function) - (x->function < y->function);
}

static int list_lines(struct sources *s, const struct id_table *functions)
{
	s->lines = calloc(s->places.n_names + 1, sizeof(*s->lines));
	for (size_t i = 0; s->lines && i < s->places.n_names; i++) {
		const struct code_place *p = &s->places.by_name[i];
		uint32_t function = ID_TABLE_NONE;

		if (p->is_known && p->is.file != STRINGS_NONE && p->is.line)
			function = id_table_find(functions, p->is.function);
		if (function != ID_TABLE_NONE && has_weight(s, (uint32_t)i))
			s->lines[s->n++] = (struct used_line){p->is.file, p->is.line, (uint32_t)i,
							      function, STRINGS_NONE};
	}
	if (!s->lines)
		return -1;
	qsort_r(s->lines, s->n, sizeof(*s->lines), compare_lines, s->in->profile->strings);
	return 0;
}

/* ---- writing --------------------------------------------------------------------------------- */

static size_t shown_bytes(const char *text, size_t n)
{
	size_t used = 0, length = 1;

	if (n <= TEXT_BYTES)
		return n;
	while (used < TEXT_BYTES && length) {
		length = utf8_length(text + used, n - used);
		used += length ? length : 1;
	}
	return used;
}

/* The lines around the n that are used, as far as the file has them. */
static void write_text(struct sources *s, struct source_text *t, const struct used_line *used,
		       size_t n)
{
	uint32_t before = 0, line = 1;

	for (size_t i = 0; i < n; i++) {
		uint32_t last = used[i].line < UINT32_MAX - CONTEXT ? used[i].line + CONTEXT
								    : UINT32_MAX - 1;

		if (used[i].line > CONTEXT && line < used[i].line - CONTEXT)
			line = used[i].line - CONTEXT;
		for (; line <= last; line++) {
			size_t bytes;
			const char *text = source_text_line(t, line, &bytes);

			if (!text)
				continue;
			protobuf_packed(s->data, line - before);
			protobuf_packed_bytes(s->data, text, shown_bytes(text, bytes));
			before = line;
		}
	}
	protobuf_packed(s->data, 0);
}

static struct source_text *open_text(const struct sources *s, const char *path)
{
	const struct view_options *how = s->in->options;

	if (how->with_source)
		return source_text_open(path, how->source_path, s->in->profile->packs);
	return source_text_packed(path, s->in->profile->packs);
}

static void write_file(struct sources *s, struct used_line *used, size_t n)
{
	size_t length;
	const char *path = strings_get(s->in->profile->strings, used->file, &length);
	struct source_text *t = open_text(s, path);

	if (!t)
		return;
	protobuf_packed(s->data, 1);
	protobuf_packed_bytes(s->data, path, length);
	write_text(s, t, used, n);
	source_text_close(t);
	for (size_t i = 0; i < n; i++)
		used[i].written = s->n_written;
	s->n_written++;
}

static void write_files(struct sources *s)
{
	size_t i, end;

	for (i = 0; i < s->n; i = end) {
		for (end = i + 1; end < s->n && s->lines[end].file == s->lines[i].file;)
			end++;
		write_file(s, &s->lines[i], end - i);
	}
	protobuf_packed(s->data, 0);
}

static void write_lines(struct sources *s)
{
	for (size_t i = 0; i < s->n; i++) {
		const struct used_line *l = &s->lines[i];

		if (l->written == STRINGS_NONE)
			continue;
		protobuf_packed(s->data, (uint64_t)l->written + 1);
		protobuf_packed(s->data, l->line);
		protobuf_packed(s->data, l->function);
		for (size_t k = 0; k < 2 * s->n_columns; k++)
			protobuf_packed(s->data, weights_of(s, l->name, 0)[k]);
	}
	protobuf_packed(s->data, 0);
}

void page_sources(struct protobuf *data, const struct view_input *in,
		  const struct id_table *functions)
{
	struct sources s = {.in = in, .data = data, .n_columns = 1 + in->tree->n_others};
	struct error err;

	if (in->by_line && (code_places_find(&s.places, in->profile, in->symbols_by_line,
					     in->by_line, NULL, &err) ||
			    weigh(&s, &err) || list_lines(&s, functions)))
		data->is_out_of_memory = true;
	write_files(&s);
	write_lines(&s);
	code_places_free(&s.places);
	free(s.lines);
	free(s.weights);
}
