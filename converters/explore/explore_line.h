/* SPDX-License-Identifier: MIT */
/*
 * explore_line.h - a command line of cpprof as words.
 *
 * In: a line. Out: words, and the file that output is to go to.
 *
 * Blanks separate words. A word that begins with ' or " extends to the next such quote and may
 * contain blanks. Between "" the word may contain a " that is written as \" and a backslash that is
 * written as \\. Elsewhere quotes and backslashes have no meaning, because names of functions
 * contain them. A word that begins with > names the output. A line whose first word begins with #
 * is a comment.
 */
#ifndef EXPLORE_LINE_H
#define EXPLORE_LINE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/stop.h"

struct explore_line {
	char **words; /* ends with a NULL */
	size_t n, size;
	const char *output; /* NULL: no file was named */
	char *bytes;	    /* holds the words */
	/* The rest is for completion. The user is typing the last word, or the name of the
	 * output. */
	size_t *begins, begins_size; /* where each word begins in the line */
	size_t last_begin; /* where the last word begins; the end of the line, if it is still empty */
	char last_quote;   /* the quote that the last word stands in; NUL: none, or it is closed */
	bool last_is_output; /* the last word is the name of the output */
};

/* To be freed in any case. -1: a quote is missing, there are two outputs, no name follows a >, the
 * line has a NUL byte, or memory is short. */
int explore_line_split(struct explore_line *l, const char *text, size_t n, struct error *err);

/* The same for a line that is being typed: missing quotes and names are no error. */
int explore_line_split_partial(struct explore_line *l, const char *text, size_t n,
			       struct error *err);

void explore_line_free(struct explore_line *l);

/* The words from `first` on as one text, with a blank between them. So a name with blanks may be
 * typed without quotes. The caller frees the text. NULL: out of memory. */
char *explore_line_rest(const struct explore_line *l, size_t first);

#endif
