/* SPDX-License-Identifier: MIT */
/*
 * history_text.c - writes the history of a context, for people and for programs.
 *
 * In: struct history. Out: text, or two values of a row.
 */
#include "write/history_text.h"

#include <stdlib.h>

#include "write/name_list.h"

/* Neighbours without marks share a pair of parentheses. */
void history_text_write(struct out *o, const struct strings *strings, const struct history *h,
			int column)
{
	struct name_list words;
	uint32_t i;

	name_list_begin(&words, o, strings, column);
	for (i = 0; i < h->length; i++) {
		const struct history_entry *e = &h->entries[i];
		bool opens = !e->is_marked && (i == 0 || e[-1].is_marked);
		bool closes = !e->is_marked && e[1].is_marked; /* the last one has a mark */

		name_list_add(&words, e->name, opens ? "(" : "", closes ? ")" : "");
	}
}

int history_text_rows(struct rows *r, const struct strings *strings, const struct history *h,
		      struct error *err)
{
	char *marks = malloc((size_t)h->length + 1);
	uint32_t i;

	if (!marks)
		return error_memory(err);
	for (i = 0; i < h->length; i++)
		marks[i] = h->entries[i].is_marked ? 'T' : 'F';
	marks[i] = '\0';
	rows_word(r, marks);
	free(marks);
	rows_path_begin(r);
	for (i = 0; i < h->length; i++)
		rows_path_name(r, strings, h->entries[i].name);
	rows_path_end(r);
	return 0;
}
