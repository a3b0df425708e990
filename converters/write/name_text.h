/* SPDX-License-Identifier: MIT */
/*
 * name_text.h - names of functions within a line: at its end, between semicolons, in a tree.
 *
 * In: names of any bytes. Out: text.
 */
#ifndef NAME_TEXT_H
#define NAME_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/strings.h"
#include "write/out.h"

/* Write a name that ends a line and begins in `column` (0: the first), followed by " (inlined)" if
 * the function was inlined. On a terminal both fit the line: the name is cut if it must be. */
void name_text_last(struct out *o, const struct strings *strings, uint32_t name, bool is_inline,
		    int column);

/* Copy n bytes of a name so that it can stand between semicolons, in a line of folded stacks:
 * semicolons become colons, control characters question marks. */
void name_text_folded(char *to, const char *from, size_t n);

/* The same for one byte. */
static inline char name_text_folded_byte(char byte)
{
	unsigned char c = (unsigned char)byte;

	return (char)(c == ';' ? ':' : c < ' ' || c == 0x7f ? '?' : c);
}

/* A node of a tree on a line of its own: two percentages, its samples, its indented name. */
struct name_text_node {
	double first, second; /* fractions, written in percent */
	uint64_t hits;
	int hits_width; /* of their column */
	uint32_t depth; /* 0: not indented */
	uint32_t name;
	bool is_inline;
};

/* The line and its line feed. Levels beyond the twentieth are not indented further; they say how deep
 * they are. */
void name_text_node(struct out *o, const struct strings *strings,
		    const struct name_text_node *node);

/* The heading above such lines, given what the percentages are of, and the rule below it. */
void name_text_heading(struct out *o, const char *first, const char *second, int hits_width);

#endif
