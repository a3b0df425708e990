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
 * from `column` on: its first function, as many of the last as fit, and how many there are; if not
 * even the last one fits, both names are cut. Elsewhere all names are written.
 */
void path_text_write(struct out *o, const struct strings *s, const uint32_t *names, uint32_t n,
		     const char *end, int column);

#endif
