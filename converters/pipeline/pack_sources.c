/* SPDX-License-Identifier: MIT */
/*
 * pack_sources.c - puts the text of source lines into a pack.
 *
 * In: numbers of lines, source files. Out: excerpts.
 */
#include "pipeline/pack_sources.h"

#include <stdlib.h>
#include <string.h>

#include "annotate/source_text.h"
#include "base/array.h"

/* Lines around one that is used. Views show three. */
#define CONTEXT 10u

struct excerpts {
	struct pack_builder *b;
	struct source_text *file; /* NULL: it was not found */
	uint32_t path;		  /* of the file; PACK_NONE at first */
	uint32_t *lines;
	size_t size;
};

/* A line is packed as a text, and thus ends at a NUL. */
static int add_line(struct excerpts *x, size_t n, const char *text, size_t bytes)
{
	char *copy = strndup(text, bytes);
	uint32_t number = copy ? pack_builder_text(x->b, copy) : PACK_NONE;

	free(copy);
	if (number == PACK_NONE || !array_reserve(&x->lines, &x->size, n + 1, sizeof(*x->lines)))
		return -1;
	x->lines[n] = number;
	return 0;
}

/* Lines may be missing: the last ones if a file has changed, and others if it is in a pack. What is behind them is another
 * excerpt. */
static int add_excerpt(struct excerpts *x, const struct pack_excerpt *e)
{
	size_t n = 0, bytes;

	for (uint32_t i = 0; i < e->n; i++) {
		const char *text = source_text_line(x->file, e->line + i, &bytes);

		if (text && add_line(x, n, text, bytes))
			return -1;
		n += text != NULL;
		if (n && (!text || i + 1 == e->n)) {
			if (pack_builder_excerpt(x->b, e->path, e->line + i + !!text - (uint32_t)n,
						 x->lines, n))
				return -1;
			n = 0;
		}
	}
	return 0;
}

int pack_sources(struct pack_builder *b, const struct pack_set *packs, const char *directories,
		 struct error *err)
{
	struct excerpts x = {.b = b, .path = PACK_NONE};
	struct pack_excerpt e;
	int status = 0;

	for (size_t at = 0; !status && pack_builder_lines(b, CONTEXT, &at, &e);) {
		if (e.path != x.path) {
			source_text_close(x.file);
			x.file = source_text_open(pack_builder_get(b, e.path), directories, packs);
			x.path = e.path;
		}
		if (x.file)
			status = add_excerpt(&x, &e);
	}
	source_text_close(x.file);
	free(x.lines);
	return status ? error_memory(err) : 0;
}
