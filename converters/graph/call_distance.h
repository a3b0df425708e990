/* SPDX-License-Identifier: MIT */
/*
 * call_distance.h - how many calls away each function of a call graph is from others.
 *
 * In: struct graph and the functions to begin at. Out: a number of calls for each function.
 */
#ifndef CALL_DISTANCE_H
#define CALL_DISTANCE_H

#include <stdbool.h>
#include <stdint.h>

#include "graph/graph.h"

#define CALL_DISTANCE_NEVER UINT32_MAX

/*
 * `calls` is by function: 0 for the functions to begin at, and CALL_DISTANCE_NEVER for all others.
 * For each function that is called from one of the former, directly or not, set it to the smallest
 * number of calls between them; with `up`, do so for each function that calls one of the former.
 * Returns 0, or -1 if memory is out.
 */
int call_distance_spread(uint32_t *calls, const struct graph *g, bool up, struct error *err);

#endif
