/* SPDX-License-Identifier: MIT */
/*
 * clock_settings.h - what the user may say of a clock.
 */
#ifndef CPS_CLOCK_SETTINGS_H
#define CPS_CLOCK_SETTINGS_H

#include <stdbool.h>
#include <stdint.h>

struct cps_clock_settings {
	const char *resource; /* what is to be measured */
	const char *name;     /* by which clock, if several measure that resource */
	uint64_t interval_ns; /* mean */
	bool jitter; /* intervals uniform in [0.5, 1.5] of the mean (Hall & Goldberg, 7.1) */
	bool is_seeded;
	uint64_t seed;
};

#endif
