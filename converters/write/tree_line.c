/* SPDX-License-Identifier: MIT */
/*
 * tree_line.c - writes a line of a tree for people.
 *
 * Show room. In: a node's numbers. Out: text.
 */
#include "write/tree_line.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "write/caption.h"
#include "write/function_name.h"

#define PERCENTS_WIDTH	18 /* both, with a space behind each */
#define LEVELS_INDENTED 20u

void tree_line_write(struct out *o, const struct strings *strings, const struct tree_line *line)
{
	int indent = 2 * (int)(line->depth < LEVELS_INDENTED ? line->depth : LEVELS_INDENTED);
	char level[16] = "";

	if (line->depth > LEVELS_INDENTED)
		snprintf(level, sizeof(level), "[%" PRIu32 "] ", line->depth);
	out_format(o, "%8.2f %8.2f %*" PRIu64 "  %*s%s", line->first * 100, line->second * 100,
		   line->hits_width, line->hits, indent, "", level);
	function_name_write(o, strings, line->name, line->is_inline,
			    PERCENTS_WIDTH + line->hits_width + 2 + indent + (int)strlen(level));
	out_text(o, "\n");
}

void tree_line_heading(struct out *o, const char *first, const char *second, int hits_width)
{
	out_format(o, "\n%8s %8s %*s  function\n", first, second, hits_width, "samples");
	caption_rule(o);
}
