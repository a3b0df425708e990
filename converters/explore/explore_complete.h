/* SPDX-License-Identifier: MIT */
/*
 * explore_complete.h - how a line that is being typed can go on.
 *
 * In: the line up to the cursor. Out: what may stand there, and what all of that has in
 * common.
 */
#ifndef EXPLORE_COMPLETE_H
#define EXPLORE_COMPLETE_H

#include <stdbool.h>
#include <stddef.h>

#include "explore/explore.h"

struct explore_completion {
	char **list; /* what fits, bytewise, as it is called */
	size_t n, size;
	size_t begin; /* where in the line the text is to stand, from there to the cursor */
	char *text;   /* what all have in common; if it is one, all of it and a blank */
};

/* What fits behind these n bytes. Nothing, if nothing does, or memory is out. Free in any case. */
void explore_complete(struct explore *e, const char *line, size_t n, struct explore_completion *c);
void explore_completion_free(struct explore_completion *c);

#endif
