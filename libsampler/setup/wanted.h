/* SPDX-License-Identifier: MIT */
/*
 * wanted.h - reads which resources the user wants, and with what intervals.
 */
#ifndef CPS_WANTED_H
#define CPS_WANTED_H

#include <stdint.h>

#include "resource/resource.h"

#define CPS_INTERVAL_LEAST UINT64_C(10000)		 /* ns: 10 us */
#define CPS_INTERVAL_MOST  (3600 * UINT64_C(1000000000)) /* ns: an hour */

/* [outside] Read "1ms", "250us", "0.5s", "100000ns". A unit is required, unless `unit` is the ns that a plain number
 * counts. 0 or -1. */
int cps_wanted_time(const char *text, uint64_t unit, uint64_t *ns);

/* [outside] Read "NAME[:INTERVAL],..." into *wanted, and the clock's resource and interval into *clock. -1, with what
 * the value may be in `choices`. */
int cps_wanted_read(const char *text, struct cps_wanted_resources *wanted,
		    struct cps_clock_settings *clock, char *choices, size_t bytes);

/* [outside] Whether signals of what is wanted may come inside of system calls. */
bool cps_wanted_ticks_in_calls(const struct cps_wanted_resources *wanted);

/* [outside] The function's name in that of a resource calls:SYMBOL. */
const char *cps_wanted_symbol(const char *name);

#endif
