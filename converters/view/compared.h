/* SPDX-License-Identifier: MIT */
/*
 * compared.h - views of two programs that are compared (--base).
 *
 * In: struct tree whose columns are runs. Out: text, or rows. Each of these is what the view of
 * that name writes then; tables of one kind of row are table.h's.
 */
#ifndef COMPARED_H
#define COMPARED_H

#include <stdbool.h>

#include "compare/comparison.h"
#include "write/compared_table.h"
#include "write/out.h"
#include "write/view_input.h"

/* Whether the profile is one of two programs. */
static inline bool compared(const struct view_input *in)
{
	return in->profile->n_base > 0;
}

/* blocks.c, also of several resources: functions by total, and below each the calls that it makes, as --graph has them; or its
 * callers above it and its callees below it, as gprof's report does. */
int blocks_graph(const struct view_input *in, struct out *o, struct error *err);
int blocks_callgraph(const struct view_input *in, struct out *o, struct error *err);

/* The call graph as a picture. */
int compared_dot(const struct view_input *in, struct out *o, struct error *err);

#endif
