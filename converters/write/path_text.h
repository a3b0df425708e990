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

/* What is kept of a path that does not fit, after its last name; of each kind the last ones first. */
enum path_text_keep {
	PATH_TEXT_REST,
	PATH_TEXT_OWN,	   /* a function of the program, or of the script that it interprets */
	PATH_TEXT_TELLING, /* it tells the path from those of other lines, and comes before these */
	PATH_TEXT_NEEDED,  /* one that all others come after */
};

/*
 * Write the n names in parentheses, the first of which is outermost; n is 1 at least. `end`
 * follows, and begins with the closing one. On a terminal the path takes what is left of one line
 * from `column` on: if not all names fit, those of `path` that are kept come first, and then as many as
 * fit of the others; what is left out is counted. If not even two fit, both are cut. Elsewhere all names are written. A function of
 * Python has its file behind it if that is another one than that of the one before.
 */
struct path_text {
	const uint32_t *names;
	uint32_t n;
	const unsigned char *keep; /* by name, or NULL: enum path_text_keep */
	bool is_up; /* the last one is that of all lines, and the first one says nothing */
};

void path_text_write(struct out *o, const struct strings *s, const struct path_text *path,
		     const char *end, int column);

#endif
