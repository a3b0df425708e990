/* SPDX-License-Identifier: MIT */
/*
 * interval.h - reads intervals as users write them: 1ms, 512k, 1000.
 */
#ifndef CPS_INTERVAL_H
#define CPS_INTERVAL_H

#include <stdint.h>

#include "resource/resource.h"

#define CPS_INTERVAL_LEAST UINT64_C(10000)		 /* ns: 10 us */
#define CPS_INTERVAL_MOST  (3600 * UINT64_C(1000000000)) /* ns: an hour */

/* [signal] Read "1ms", "250us", "0.5s", "100000ns". A unit is required, unless `unit` is the ns that a plain number
 * counts. 0 or -1. */
int cps_interval_time(const char *text, uint64_t unit, uint64_t *ns);

/* [signal] Read an interval of this kind in gticks: a time from 10us to 3600s; bytes or events, from 1 on, also with k,
 * M or G behind the number: for bytes that is 1,024, for events 1,000 times the one before. 0 or -1. */
int cps_interval_read(const char *text, enum cps_resource_kind kind, uint64_t *gticks);

#endif
