/* SPDX-License-Identifier: MIT */
/*
 * compared.c - shows functions of two programs beside each other.
 *
 * In: struct tree whose columns are runs. Out: text, or rows.
 */
#include "view/compared.h"

bool compared(const struct view_input *in)
{
	return in->profile->n_base > 0;
}

int compared_counts(const struct view_input *in, uint64_t **before, uint64_t **after,
		    struct error *err)
{
	struct comparison c;
	int status = comparison_begin(&c, in->profile, in->tree, in->options->normalize, err);

	if (!status)
		status = comparison_counts(&c, before, after, err);
	comparison_free(&c);
	return status;
}
