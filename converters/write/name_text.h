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

#include "base/hash.h"
#include "base/utf8.h"
#include "write/out.h"
#include "write/view_input.h"

/* Write a name that ends a line and begins in `column` (0: the first), followed by " (inlined)" if
 * the function was inlined. On a terminal both fit the line: the name is cut if it must be. */
void name_text_last(struct out *o, const struct strings *strings, uint32_t name, bool is_inline,
		    int column);

/* Copy n bytes of a name so that it can stand between semicolons, in a line of folded stacks:
 * semicolons become colons, control characters question marks. */
void name_text_folded(char *to, const char *from, size_t n);

/* Returns byte i of the copy. A control character of several bytes becomes as many question marks. */
static inline char name_text_folded_byte(const char *from, size_t n, size_t i)
{
	if (from[i] == ';')
		return ':';
	if (from[i] >= ' ' && from[i] < 0x7f)
		return from[i];
	for (size_t before = 0; before < 4 && before <= i; before++)
		if (utf8_control_length(from + i - before, n - i + before) > before)
			return '?';
	return from[i];
}

/* A node of a tree: its name, indented. */
struct name_text_node {
	uint32_t depth; /* 0: not indented */
	uint32_t name;
	bool is_inline;
	/* A chain of n functions, each the only callee of the one before, ends with `last`; n below 2: none. What it
	 * is about is `own`, which is kept where there is no room for all; it may be the first or the last one. */
	uint32_t last, own, n;
	bool is_only; /* it is the only one below the line before, and begins as deep */
	int least; /* columns of a terminal that levels leave for a name with what stands before it; 0: 30 */
	const struct view_input *in; /* for colours; NULL: there are none */
};

/* Write the node, which begins in `column`. It is indented by at most twenty levels, on a terminal by as
 * many as leave room for names; beyond that the text says how deep the node is. */
void name_text_node(struct out *o, const struct strings *strings, const struct name_text_node *node,
		    int column);

#endif
