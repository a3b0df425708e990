/* SPDX-License-Identifier: MIT */
/*
 * clock_settings.h - the settings of a clock.
 */
#ifndef CPS_CLOCK_SETTINGS_H
#define CPS_CLOCK_SETTINGS_H

#include <stdbool.h>
#include <stdint.h>

struct cps_clock_settings {
	const char *resource; /* name of the resource to be measured */
	const char *name;     /* name of the clock, if several measure that resource */
	uint64_t interval_ns; /* the mean interval between ticks; 0: the clock's own */
	bool jitter; /* draw intervals from [0.5, 1.5] of the mean (Hall & Goldberg, 7.1) */
	bool has_go; /* the program contains Go's runtime */
	bool is_seeded;
	uint64_t seed;
};

#endif
