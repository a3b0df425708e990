/* SPDX-License-Identifier: MIT */
/*
 * resource_count.c - what the program counts itself, by cpsample_count of cpsample.h.
 *
 * In: nothing. Out: the line of the table; door/wrap_count.c has the calls.
 */
#include "resource/resource.h"
#include "base/poison.h"

const struct cps_resource cps_resource_count = {
	.name = "count",
	.unit = "count",
	.engine = "cpsample.h",
	.about = "counted by cpsample_count()",
	.kind = CPS_RESOURCE_EVENTS,
	.interval = 1000,
	.any_is_worth = true,
};
