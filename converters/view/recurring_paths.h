/* SPDX-License-Identifier: MIT */
/*
 * recurring_paths.h - the call path profile of all roots (--callpath --root '*').
 *
 * In: struct tree. Out: sequences of calls that recur under several callers (recurring.h), by
 * weight.
 */
#ifndef RECURRING_PATHS_H
#define RECURRING_PATHS_H

#include <stdbool.h>

#include "write/out.h"
#include "write/view_input.h"

/* Whether the root function is "*", which stands for all. */
bool recurring_paths_are_meant(const struct view_options *options);

/* Write the view. The threshold, in percent, is that of the text by default. -1: memory, or an
 * option that means nothing here. */
int recurring_paths(const struct view_input *in, struct out *o, double threshold,
		    struct error *err);

#endif
