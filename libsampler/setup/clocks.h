/* SPDX-License-Identifier: MIT */
/*
 * clocks.h - the table of clocks, and the choice among them.
 */
#ifndef CPS_CLOCKS_H
#define CPS_CLOCKS_H

#include <stdbool.h>
#include <stddef.h>

#include "clock/clock.h"

/* A clock that may be refused, and the one that takes its place. */
struct cps_clock_choice {
	const struct cps_clock *clock, *fallback;
	/* Finds out whether the clock would tick here: 0, or -errno and a line that says why not. It arms nothing and
	 * sends no signal. */
	int (*probe)(const struct cps_clock_settings *settings, char *why, size_t bytes);
};

/* One without a clock ends the list. */
extern const struct cps_clock_choice cps_clocks_choices[];

/* The same for a process that is attached to: no other clock takes the place of timer there. */
extern const struct cps_clock_choice cps_clocks_attached[];

/* All clocks; NULL ends the table. */
extern const struct cps_clock *const cps_clocks_table[];

/* [outside] The first clock that measures the resource whose name is these `length` bytes, or NULL. */
const struct cps_clock *cps_clocks_of_resource(const char *name, size_t length);

/* [outside] Whether CPSAMPLE_CLOCK may name this clock: other clocks measure the same resource. */
bool cps_clocks_is_choice(const struct cps_clock *clock);

/* [outside] The clock that measures the resource of these settings and has their name, or else the first that
 * measures the resource. NULL if none does. */
const struct cps_clock *cps_clocks_find(const struct cps_clock_settings *settings);

/* [outside] The wanted clock; or its fallback, with a line in `why` that says why. Otherwise `why` is empty.
 * NULL: none would tick, and `why` says why. Called before any start. */
const struct cps_clock *cps_clocks_choose(const struct cps_clock_choice *list,
					  const struct cps_clock *wanted,
					  const struct cps_clock_settings *settings, char *why,
					  size_t bytes);

#endif
