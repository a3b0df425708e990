/* SPDX-License-Identifier: MIT */
/*
 * explore_complete.h - completes a line that is being typed.
 *
 * In: the line up to the cursor. Out: the texts that may stand there, and their common beginning.
 */
#ifndef EXPLORE_COMPLETE_H
#define EXPLORE_COMPLETE_H

#include <stdbool.h>
#include <stddef.h>

#include "explore/explore.h"

struct explore_completion {
	char **list; /* the names that fit, sorted bytewise, without quotes */
	size_t n, size;
	size_t begin; /* `text` replaces the line from here to the cursor */
	char *text;   /* the common beginning of all names, quoted if that is needed; of a single
		       * name, all of it and a blank */
};

/* Find the names that fit at the end of these n bytes. The list is empty if there are none, or if
 * memory is short. To be freed in any case. */
void explore_complete(struct explore *e, const char *line, size_t n, struct explore_completion *c);
void explore_completion_free(struct explore_completion *c);

#endif
