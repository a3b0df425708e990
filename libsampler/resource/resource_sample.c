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

static bool take(const struct cps_credit *credit)
{
	struct cps_thread *t = cps_thread_self();
	bool is_done = cps_event_take(credit);

	if (!is_done && t && !cps_thread_is_gone(t))
		cps_resource_keep(t, credit);
	return is_done;
}

bool cps_resource_sample_block(uint32_t i, uint64_t gticks, uint64_t block)
{
	struct cps_credit credit = cps_resource_credit(i, 0, gticks);

	credit.number = block;
	return take(&credit);
}

void cps_resource_sample_in(uint32_t i, uint32_t state, uint64_t gticks, uint64_t leaf)
{
	struct cps_credit credit = cps_resource_credit(i, state, gticks);

	credit.leaf = leaf;
	take(&credit);
}

void cps_resource_sample_outside(uint32_t i, uint64_t gticks, const struct cps_code_range *code)
{
	struct cps_credit credit = cps_resource_credit(i, 0, gticks);

	credit.outside = *code;
	take(&credit);
}

void cps_resource_sample(uint32_t i, uint32_t state, uint64_t gticks)
{
	cps_resource_sample_in(i, state, gticks, 0);
}
