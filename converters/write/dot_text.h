/* SPDX-License-Identifier: MIT */
/*
 * dot_text.h - quoted strings of the DOT language.
 *
 * In: names of any bytes, a selection. Out: a double-quoted string that Graphviz accepts.
 */
#ifndef DOT_TEXT_H
#define DOT_TEXT_H

#include "base/hash.h"
#include "write/out.h"
#include "write/view_input.h"

/* Write the name in quotes. */
void dot_text_quote(struct out *o, const struct strings *s, uint32_t name);
/* Write the name as it stands within quotes. Bytes that are not UTF-8, and control characters, become
 * \xNN. */
void dot_text_escape(struct out *o, const char *bytes, size_t n);

/* Within quotes, write the lines of caption_parts, each followed by "\l", and before the first one the text `before`. Of
 * a line that would make the picture wide the middle is left out. Nothing
 * if all is shown. Returns 0 or -1 (memory). */
int dot_text_parts(struct out *o, const char *before, const struct view_input *in,
		   struct error *err);

/* Whether a text says how seconds are written: other text, in which %% is a per cent sign, and one of %e, %f and %g, which may
 * have a width and a precision. */
bool dot_text_is_time(const char *format);
/* Write seconds so, within quotes. */
void dot_text_time(struct out *o, const char *format, double seconds);

#endif
