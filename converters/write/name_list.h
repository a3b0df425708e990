/* SPDX-License-Identifier: MIT */
/*
 * name_list.h - paths of names as lists of words: (main uniquify_db qsort).
 *
 * In: names of any bytes. Out: text.
 */
#ifndef NAME_LIST_H
#define NAME_LIST_H

#include <stddef.h>
#include <stdint.h>

#include "base/hash.h"
#include "write/out.h"

/* Write a name. If it is empty or contains spaces, parentheses or double quotes, it is written in
 * double quotes, with a backslash before each double quote and backslash. */
void name_list_write(struct out *o, const char *name, size_t n);

/* A list at the end of a line. If it does not fit, it goes on in the next line, below its first
 * word. On a terminal a name that is longer than a line is cut and ends with "..". */
struct name_list {
	struct out *out;
	const struct strings *strings;
	int column; /* where the list begins */
	int at;	    /* the column where the line ends so far */
	int width;  /* of the terminal; 80 if the output is not a terminal */
	int room;   /* for one name with the texts around it */
};

void name_list_begin(struct name_list *w, struct out *o, const struct strings *s, int column);
/* The same, but only a terminal gets more than one line. */
void name_list_begin_line(struct name_list *w, struct out *o, const struct strings *s, int column);
/* Write one more name between the texts `before` and `after`, such as parentheses, which stay in
 * the same line as the name. */
void name_list_add(struct name_list *w, uint32_t name, const char *before, const char *after);
void name_list_add_text(struct name_list *w, const char *bytes, size_t n, const char *before,
			const char *after);

#endif
