/* SPDX-License-Identifier: MIT */
/*
 * load_columns.h - finds what was read of each resource that is to be a column.
 *
 * In: a builder for each resource that was read. Out: those that were asked for. For load.c only.
 */
#ifndef LOAD_COLUMNS_H
#define LOAD_COLUMNS_H

#include "model/profile_builder.h"
#include "options/selection.h"

/* The builder of the inputs that count this resource in this unit. */
struct route {
	struct profile_builder *builder;
	char *resource, *unit;
};

/* The builders in the order in which --resource names their resources; the caller frees the array.
 * NULL: error. It is one if no input counts a resource, or if some count it in another unit. */
struct profile_builder **load_columns(const struct route *routes, size_t n,
				      const struct selection_match *match, struct error *err);

#endif
