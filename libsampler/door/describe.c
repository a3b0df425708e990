/* SPDX-License-Identifier: MIT */
/*
 * describe.c - fills in what the process record says of resources.
 *
 * In: the clock, the table of resources. Out: fields of the identity.
 */
#include "door/describe.h"

#include "stream/columns.h"

/* Sets the grain of weights: so many microseconds, a power of two, at most a fiftieth of the
 * interval. Times are rounded to four grains. */
static void set_grain(uint64_t interval_ns)
{
	uint32_t grain = 1;

	while (grain * UINT64_C(2) * 50000 <= interval_ns && grain < 1u << 16)
		grain *= 2;
	cps_columns_set_grain(grain, interval_ns ? 4 * grain : 1);
}

void cps_describe(struct cps_identity *identity, const struct cps_clock *clock,
		  const struct cps_clock_settings *settings)
{
	identity->resource = clock->resource;
	identity->unit = clock->unit;
	identity->engine = clock->name;
	identity->scale = clock->meter->scale;
	identity->interval = cps_clock_interval(clock, settings);
	set_grain(identity->interval);
}
