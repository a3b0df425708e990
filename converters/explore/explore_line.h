/* SPDX-License-Identifier: MIT */
/*
 * explore_line.h - a command line of cpprof, taken apart into words.
 *
 * In: a line. Out: words, and the file that output is to go to.
 *
 * Blanks separate words. A word that begins with ' or " goes on to the next such quote, whatever is
 * between; within "" a backslash stands before a " or a backslash. Elsewhere quotes and backslashes
 * are letters like others, since names have them. A word that begins with > names the output. A line
 * whose first word begins with # is a comment.
 */
#ifndef EXPLORE_LINE_H
#define EXPLORE_LINE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

struct explore_line {
	char **words; /* ends with a NULL */
	size_t n, size;
	const char *output; /* NULL: none was named */
	char *bytes;	    /* the words' */
	/* For completion: where each word begins in the line. What is being typed is the last one, or
	 * the file's name. */
	size_t *begins, begins_size;
	size_t last_begin; /* of what is being typed; the line's end, if that is still to come */
	char last_quote;   /* what it stands in; NUL: nothing, or it is closed */
	bool last_is_output;
};

/* Free in any case. -1: a quote is missing, two outputs, no name after >, a NUL byte, memory. */
int explore_line_split(struct explore_line *l, const char *text, size_t n, struct error *err);

/* The same for a line that is being typed: missing quotes and names are no error. */
int explore_line_split_partial(struct explore_line *l, const char *text, size_t n,
			       struct error *err);

void explore_line_free(struct explore_line *l);

/* The words from `first` on as one text, with a blank between them: a name with blanks that was
 * written without quotes. free() it. NULL when memory is out. */
char *explore_line_rest(const struct explore_line *l, size_t first);

#endif
