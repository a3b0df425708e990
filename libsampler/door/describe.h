/* SPDX-License-Identifier: MIT */
/*
 * describe.h - what the recording says of its resources.
 */
#ifndef CPS_DESCRIBE_H
#define CPS_DESCRIBE_H

#include "clock/clock.h"
#include "stream/record.h"

/* Describe the resource that the clock measures, and set the grain of its weights. */
void cps_describe(struct cps_identity *identity, const struct cps_clock *clock,
		  const struct cps_clock_settings *settings);

#endif
