/* SPDX-License-Identifier: MIT */
/*
 * resource_alloc.c - memory that is allocated, in bytes and in calls.
 *
 * In: blocks, from the wrappers of malloc and the like. Out: samples of the calls.
 */

#include "base/error_text.h"
#include "resource/alloc.h"
#include "resource/live.h"
#include "resource/point.h"
#include "base/poison.h"

#define BYTES 1u
#define CALLS 2u

_Atomic uint32_t cps_alloc_uses;

static const char *remark;

void cps_alloc_remark(const char *line)
{
	remark = line;
}

static int probe(char *why, size_t bytes)
{
	if (remark)
		cps_error_text_join(why, bytes, remark, NULL);
	return 0;
}

static int start_bytes(uint64_t interval)
{
	(void)interval;
	atomic_fetch_or(&cps_alloc_uses, BYTES);
	return 0;
}

static void stop_bytes(void)
{
	atomic_fetch_and(&cps_alloc_uses, ~BYTES);
}

static int start_calls(uint64_t interval)
{
	(void)interval;
	atomic_fetch_or(&cps_alloc_uses, CALLS);
	return 0;
}

static void stop_calls(void)
{
	atomic_fetch_and(&cps_alloc_uses, ~CALLS);
}

static int start_live(uint64_t interval)
{
	(void)interval;
	return cps_live_begin();
}

static void sample_bytes(const void *block, uint64_t weight)
{
	uint64_t number = cps_live_add(block);

	if (!cps_resource_sample_block(CPS_RESOURCE_OF_alloc, weight, number) && number)
		cps_live_take(block);
}

void cps_alloc_sample(const void *block)
{
	uint64_t weight = cps_point_pass(CPS_RESOURCE_OF_alloc, 0);
	uint64_t calls = cps_point_pass(CPS_RESOURCE_OF_allocs, 0);

	if (weight)
		sample_bytes(block, weight);
	if (calls)
		cps_resource_sample(CPS_RESOURCE_OF_allocs, 0, calls);
}

const struct cps_resource cps_resource_alloc = {
	.name = "alloc",
	.unit = "bytes",
	.engine = "malloc",
	.about = "memory that is allocated",
	.kind = CPS_RESOURCE_BYTES,
	.interval = 512u << 10,
	.probe = probe,
	.start = start_bytes,
	.stop = stop_bytes,
};

const struct cps_resource cps_resource_allocs = {
	.name = "allocs",
	.unit = "calls",
	.engine = "malloc",
	.about = "calls that allocate memory",
	.kind = CPS_RESOURCE_EVENTS,
	.interval = 1000,
	.probe = probe,
	.start = start_calls,
	.stop = stop_calls,
};

const struct cps_resource cps_resource_alloc_live = {
	.name = "alloc-live",
	.unit = "bytes",
	.engine = "malloc",
	.about = "memory allocated and not freed",
	.kind = CPS_RESOURCE_BYTES,
	.interval = 512u << 10,
	.counted_by = &cps_resource_alloc,
	.probe = probe,
	.start = start_live,
	.stop = cps_live_end,
};
