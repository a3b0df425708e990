/* SPDX-License-Identifier: MIT */
/*
 * dot_text.h - quoted strings of the DOT language.
 *
 * In: names of any bytes. Out: a double-quoted string that Graphviz accepts.
 */
#ifndef DOT_TEXT_H
#define DOT_TEXT_H

#include "base/strings.h"
#include "write/out.h"

/* The name in quotes. */
void dot_text_quote(struct out *o, const struct strings *s, uint32_t name);
/* What stands within quotes. UTF-8 passes; other bytes, and control characters, stand as \xNN. */
void dot_text_escape(struct out *o, const char *bytes, size_t n);

#endif
