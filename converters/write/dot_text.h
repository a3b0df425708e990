/* SPDX-License-Identifier: MIT */
/*
 * dot_text.h - quoted strings of the DOT language.
 *
 * In: names of any bytes. Out: a double-quoted string that Graphviz accepts.
 */
#ifndef DOT_TEXT_H
#define DOT_TEXT_H

#include "base/hash.h"
#include "write/out.h"

/* Write the name in quotes. */
void dot_text_quote(struct out *o, const struct strings *s, uint32_t name);
/* Write the name as it stands within quotes. Bytes that are not UTF-8, and control characters, become
 * \xNN. */
void dot_text_escape(struct out *o, const char *bytes, size_t n);

#endif
