/* SPDX-License-Identifier: MIT */
/*
 * row_numbers.c - numbers the rows of a table and keeps their names.
 *
 * In: names. Out: numbers.
 */
#include "write/row_numbers.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

#define WIDTH 4 /* with a blank behind the number */

int row_numbers_width(const struct view_input *in)
{
	return in->numbers && in->numbers->is_shown ? WIDTH : 0;
}

static void forget(struct row_numbers *r)
{
	while (r->n > 0)
		free(r->names[--r->n]);
}

void row_numbers_free(struct row_numbers *r)
{
	forget(r);
	free(r->names);
	*r = (struct row_numbers){0};
}

int row_numbers_heading(struct out *o, const struct view_input *in, size_t n_rows)
{
	struct row_numbers *r = in->numbers;

	if (!r)
		return 0;
	r->is_idle = r->is_kept || (n_rows < 2 && r->n);
	if (!r->is_idle)
		forget(r);
	if (!r->is_shown)
		return 0;
	out_format(o, "%*s", WIDTH, "");
	return WIDTH;
}

/* Without memory there are no more numbers. */
int row_numbers_row(struct out *o, const struct view_input *in, uint32_t name)
{
	struct row_numbers *r = in->numbers;

	if (r && !r->is_idle && array_reserve(&r->names, &r->size, r->n + 1, sizeof(*r->names))) {
		r->names[r->n] = strdup(strings_get(in->profile->strings, name, NULL));
		r->n += r->names[r->n] != NULL;
	}
	if (!r || !r->is_shown)
		return 0;
	if (r->is_idle) {
		out_format(o, "%*s", WIDTH, "");
		return WIDTH;
	}
	out_format(o, "%*zu ", WIDTH - 1, r->n);
	return r->n < 1000 ? WIDTH : WIDTH + 4;
}
