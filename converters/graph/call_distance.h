/* SPDX-License-Identifier: MIT */
/*
 * call_distance.h - how many calls away each function of a call graph is from others.
 *
 * In: struct graph and where to begin. Out: a number of calls for each function.
 */
#ifndef CALL_DISTANCE_H
#define CALL_DISTANCE_H

#include <stdbool.h>
#include <stdint.h>

#include "graph/graph.h"

#define CALL_DISTANCE_NEVER UINT32_MAX

/*
 * `calls`, by function, is 0 where to begin and else CALL_DISTANCE_NEVER. Set those that are called from
 * there, directly or not, to the fewest calls that it takes; with `up` those that call.
 * 0 or -1 (memory).
 */
int call_distance_spread(uint32_t *calls, const struct graph *g, bool up, struct error *err);

#endif
