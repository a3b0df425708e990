/* SPDX-License-Identifier: MIT */
/*
 * resource_sample.c - samples the function whose event has met a point.
 *
 * In: a resource and a weight, from a wrapper. Out: a sample.
 */
#include "base/single.h"
#include "resource/event.h"
#include "resource/resource.h"
#include "base/poison.h"

/* It is left for the thread's next sample, as it is with clocks. */
void cps_resource_keep(struct cps_thread *t, const struct cps_credit *credit)
{
	cps_single_add((int64_t *)&t->points[credit->resource].rest, (int64_t)credit->gticks);
}

bool cps_resource_sample_block(uint32_t i, uint64_t gticks, uint64_t block)
{
	return cps_event_take(i, 0, gticks, 0, block, NULL);
}

void cps_resource_sample_in(uint32_t i, uint32_t state, uint64_t gticks, uint64_t leaf)
{
	cps_event_take(i, state, gticks, leaf, 0, NULL);
}

void cps_resource_sample_outside(uint32_t i, uint64_t gticks, const struct cps_code_range *code)
{
	cps_event_take(i, 0, gticks, 0, 0, code);
}

void cps_resource_sample(uint32_t i, uint32_t state, uint64_t gticks)
{
	cps_event_take(i, state, gticks, 0, 0, NULL);
}
