/* SPDX-License-Identifier: MIT */
/*
 * callpath.c - reads and frees a call path profile.
 */
#include "tree/callpath.h"

#include <stdlib.h>

void callpath_free(struct callpaths *c)
{
	if (!c)
		return;
	free(c->paths);
	free(c->order);
	free(c);
}

void callpath_names(const struct callpaths *c, uint32_t path, uint32_t *names)
{
	uint32_t length = c->paths[path].length;

	for (; path != 0; path = c->paths[path].parent) {
		uint32_t left = c->paths[path].length; /* names from here on */

		names[c->up ? length - left : left - 1] = c->paths[path].name;
	}
}
