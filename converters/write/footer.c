/* SPDX-License-Identifier: MIT */
/*
 * footer.c - writes the lines below a table.
 *
 * In: the numbers of rows that were left out. Out: text.
 */
#include "write/footer.h"

#include <inttypes.h>
#include <stdio.h>

#include "write/caption.h"

static void begin_line(struct out *o, const struct footer *f, uint64_t n)
{
	out_format(o, "not shown: %" PRIu64 " %s%s", n, n > 1 && f->plural ? f->plural : f->what,
		   n > 1 && !f->plural ? "s" : "");
}

/* "2,170 more functions": digits in groups of three. */
static void write_more(struct out *o, const struct footer *f)
{
	char digits[32], text[48];
	int n = snprintf(digits, sizeof(digits), "%" PRIu64, f->beyond), at = 0;

	for (int i = 0; i < n; i++) {
		text[at++] = digits[i];
		if ((n - i - 1) % 3 == 0 && i + 1 < n)
			text[at++] = ',';
	}
	out_format(o, "%.*s more %s%s (--top N, or all: | less)\n", at, text,
		   f->beyond > 1 && f->plural ? f->plural : f->what,
		   f->beyond > 1 && !f->plural ? "s" : "");
}

void footer_write(struct out *o, const struct footer *f, const struct view_options *options,
		  double threshold)
{
	caption_rule(o);
	if (f->small) {
		begin_line(o, f, f->small);
		out_format(o, " below %g %%\n", threshold);
	}
	if (f->nil) {
		begin_line(o, f, f->nil);
		out_text(o, " of 0.00 % in each column (--threshold 0 shows them)\n");
	}
	if (f->deep) {
		begin_line(o, f, f->deep);
		out_format(o, " of more than %" PRIu64 " function%s\n", options->depth,
			   options->depth == 1 ? "" : "s");
	}
	if (f->beyond && options->top_fits) {
		write_more(o, f);
	} else if (f->beyond) {
		begin_line(o, f, f->beyond);
		out_format(o, " beyond the %" PRIu64 " heaviest\n", options->top);
	}
}
