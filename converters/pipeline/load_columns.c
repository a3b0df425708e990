/* SPDX-License-Identifier: MIT */
/*
 * load_columns.c - finds what was read of each resource that is to be a column.
 *
 * In: a builder for each resource that was read. Out: those that were asked for, in order.
 */
#include "pipeline/load_columns.h"

#include <stdlib.h>
#include <string.h>

struct columns {
	const struct route *routes;
	size_t n;
	const struct selection_match *match;
	struct error *err;
};

/* The builder of a resource. Inputs may count it in different units, which cannot be added up. */
static int find_column(const struct columns *c, struct event_text name,
		       struct profile_builder **builder)
{
	const struct route *found = NULL;

	for (size_t k = 0; k < c->n; k++) {
		const struct route *route = &c->routes[k];

		if (strlen(route->resource) != name.length ||
		    memcmp(route->resource, name.bytes, name.length) != 0)
			continue;
		if (found)
			return error_set(c->err,
					 "inputs count \"%.40s\" in \"%.40s\" and in \"%.40s\"",
					 route->resource, found->unit, route->unit);
		found = route;
	}
	if (!found)
		return selection_match_no_resource(c->match, name, c->err);
	*builder = found->builder;
	return 0;
}

struct profile_builder **load_columns(const struct route *routes, size_t n,
				      const struct selection_match *match, struct error *err)
{
	const struct columns c = {routes, n, match, err};
	size_t i, wanted = selection_count_resources(match->wanted);
	struct profile_builder **list = calloc(wanted, sizeof(*list));

	if (!list)
		error_memory(err);
	for (i = 0; list && i < wanted; i++) {
		if (!find_column(&c, selection_resource(match->wanted, i), &list[i]))
			continue;
		free(list);
		list = NULL;
	}
	return list;
}
