/* SPDX-License-Identifier: MIT */
/*
 * dot_text.h - quoted strings of the DOT language.
 *
 * Show room. In: names of any bytes. Out: a double-quoted string that Graphviz accepts.
 */
#ifndef DOT_TEXT_H
#define DOT_TEXT_H

#include "out.h"
#include "strings.h"

/*
 * The name in quotes, and behind it, within the quotes, what the format gives (may be NULL; its
 * text is not escaped: "\\n" starts a line of a label). UTF-8 passes; other bytes stand as \xNN.
 */
void dot_quote(struct out *o, const struct strings *s, uint32_t name, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

#endif
