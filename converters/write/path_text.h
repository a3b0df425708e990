/* SPDX-License-Identifier: MIT */
/*
 * path_text.h - writes a call path as people read it: "(main parse read)".
 *
 * In: names. Out: text.
 */
#ifndef PATH_TEXT_H
#define PATH_TEXT_H

#include "base/hash.h"
#include "write/out.h"

/*
 * Write the n names in parentheses, the first of which is outermost; n is 1 at least. `end`
 * follows, and begins with the closing one. On a terminal the path takes what is left of one line
 * from `column` on: if not all names fit, those of `path` that are kept come first, and then as many as
 * fit of the others; what is left out is counted. If not even two fit, both are cut. Elsewhere all names are written.
 */
struct path_text {
	const uint32_t *names;
	uint32_t n;
	/* By name, or NULL: it tells the path from those of other lines. Of these the last ones before all others. */
	const bool *telling;
	bool is_up; /* the last one is that of all lines, and the first one says nothing */
};

void path_text_write(struct out *o, const struct strings *s, const struct path_text *path,
		     const char *end, int column);

#endif
