/* SPDX-License-Identifier: MIT */
/*
 * row_numbers.c - numbers the rows of a table and keeps their names.
 *
 * In: names. Out: numbers.
 */
#include "write/row_numbers.h"

#include "base/array.h"

#define WIDTH 4 /* with a blank behind the number */

int row_numbers_heading(struct out *o, const struct view_input *in)
{
	if (!in->numbers)
		return 0;
	in->numbers->n = 0;
	in->numbers->strings = in->profile->strings;
	if (!in->numbers->is_shown)
		return 0;
	out_format(o, "%*s", WIDTH, "");
	return WIDTH;
}

/* Without memory there are no more numbers. */
int row_numbers_row(struct out *o, const struct view_input *in, uint32_t name)
{
	struct row_numbers *r = in->numbers;

	if (!r || !array_reserve(&r->names, &r->size, r->n + 1, sizeof(*r->names)))
		return 0;
	r->names[r->n++] = name;
	if (!r->is_shown)
		return 0;
	out_format(o, "%*zu ", WIDTH - 1, r->n);
	return r->n < 1000 ? WIDTH : WIDTH + 4;
}
