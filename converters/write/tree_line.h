/* SPDX-License-Identifier: MIT */
/*
 * tree_line.h - a line of a tree for people: two percentages, samples, an indented name.
 *
 * Show room. In: a node's numbers. Out: text.
 */
#ifndef TREE_LINE_H
#define TREE_LINE_H

#include <stdbool.h>
#include <stdint.h>

#include "write/out.h"
#include "base/strings.h"

struct tree_line {
	double first, second; /* fractions, written in percent */
	uint64_t hits;
	int hits_width; /* of their column */
	uint32_t depth; /* 0: not indented */
	uint32_t name;
	bool is_inline;
};

/* The line, and its LF. Deep levels are not indented further: they say how deep they are. */
void tree_line_write(struct out *o, const struct strings *strings, const struct tree_line *line);

/* What stands above the lines, given what the percentages are of; and a rule. */
void tree_line_heading(struct out *o, const char *first, const char *second, int hits_width);

#endif
