/* SPDX-License-Identifier: MIT */
/*
 * side_by_side.h - views of a profile that has several resources as columns.
 *
 * In: struct tree with other columns. Out: text, or rows. Each of these is what the view of that name
 * writes then.
 */
#ifndef SIDE_BY_SIDE_H
#define SIDE_BY_SIDE_H

#include <stdbool.h>

#include "write/out.h"
#include "write/view_input.h"

/* Whether the profile has columns. */
bool side_by_side(const struct view_input *in);

/* Functions by self, or by total. The threshold is that of the text by default. */
int side_by_side_functions(const struct view_input *in, struct out *o, const char *title,
			   bool by_total, double threshold, struct error *err);
int side_by_side_tree(const struct view_input *in, struct out *o, double threshold,
		      struct error *err);
int side_by_side_bottomup(const struct view_input *in, struct out *o, double threshold,
			  struct error *err);
int side_by_side_callpath(const struct view_input *in, struct out *o, double threshold,
			  struct error *err);

#endif
