/* SPDX-License-Identifier: MIT */
/*
 * footer.c - writes the lines below a table.
 *
 * In: the numbers of rows that were left out. Out: text.
 */
#include "write/footer.h"

#include <inttypes.h>

#include "write/caption.h"

static void begin_line(struct out *o, const struct footer *f, uint64_t n)
{
	out_format(o, "not shown: %" PRIu64 " %s%s", n, n > 1 && f->plural ? f->plural : f->what,
		   n > 1 && !f->plural ? "s" : "");
}

void footer_write(struct out *o, const struct footer *f, const struct view_options *options,
		  double threshold)
{
	caption_rule(o);
	if (f->small) {
		begin_line(o, f, f->small);
		out_format(o, " below %g %%\n", threshold);
	}
	if (f->deep) {
		begin_line(o, f, f->deep);
		out_format(o, " of more than %" PRIu64 " function%s\n", options->depth,
			   options->depth == 1 ? "" : "s");
	}
	if (f->beyond) {
		begin_line(o, f, f->beyond);
		out_format(o, " beyond the %" PRIu64 " heaviest\n", options->top);
	}
}
