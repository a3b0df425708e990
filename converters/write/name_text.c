/* SPDX-License-Identifier: MIT */
/*
 * name_text.c - writes names of functions within a line.
 *
 * In: names of any bytes. Out: text.
 */
#include "write/name_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "write/caption.h"

#define MARK		" (inlined)"
#define PERCENTS_WIDTH	18 /* both, with a space behind each */
#define LEVELS_INDENTED 20u

void name_text_last(struct out *o, const struct strings *strings, uint32_t name, bool is_inline,
		    int column)
{
	const char *mark = is_inline ? MARK : "";
	size_t n;
	const char *bytes = strings_get(strings, name, &n);

	out_name_fit(o, bytes, n, column + (int)strlen(mark));
	out_text(o, mark);
}

void name_text_folded(char *to, const char *from, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		to[i] = name_text_folded_byte(from, n, i);
}

void name_text_node(struct out *o, const struct strings *strings, const struct name_text_node *line)
{
	int indent = 2 * (int)(line->depth < LEVELS_INDENTED ? line->depth : LEVELS_INDENTED);
	char level[16] = "";

	if (line->depth > LEVELS_INDENTED)
		snprintf(level, sizeof(level), "[%" PRIu32 "] ", line->depth);
	out_format(o, "%8.2f %8.2f %*" PRIu64 "  %*s%s", line->first * 100, line->second * 100,
		   line->hits_width, line->hits, indent, "", level);
	name_text_last(o, strings, line->name, line->is_inline,
		       PERCENTS_WIDTH + line->hits_width + 2 + indent + (int)strlen(level));
	out_text(o, "\n");
}

void name_text_heading(struct out *o, const char *first, const char *second, int hits_width)
{
	out_format(o, "\n%8s %8s %*s  function\n", first, second, hits_width, "samples");
	caption_rule(o);
}
