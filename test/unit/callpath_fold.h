/* SPDX-License-Identifier: MIT */
/*
 * callpath_fold.h - call path profiles for tests, by the name of their root function.
 */
#ifndef CALLPATH_FOLD_H
#define CALLPATH_FOLD_H

#include <stdlib.h>

#include "callpath.h"
#include "folded_text.h"
#include "roots.h"

enum way { DOWN, UP };

static struct callpaths *fold(const struct tree *t, const char *root, enum way way)
{
	const struct callpath_limits limits = {0, CALLPATH_UP_MOST};
	struct error err;
	size_t n;
	uint32_t *roots = roots_find(t, root, &n, &err);
	struct callpaths *c = way == UP ? callpath_up(t, roots, n, &limits, &err)
					: callpath_down(t, roots, n, &err);

	free(roots);

	cr_assert(c, "%s", err.text);
	return c;
}

#endif
