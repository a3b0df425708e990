/* SPDX-License-Identifier: MIT */
/*
 * pmu.h - finds the numbers of events that the kernel names in /sys/bus/event_source/devices.
 */
#ifndef CPS_PMU_H
#define CPS_PMU_H

#include <stddef.h>

#include "resource/overflow.h"

#define CPS_PMU_ROOT "/sys/bus/event_source/devices"

/* [signal] Whether the text up to `end` is written like an event: PMU/TERM,.../ where PMU is a directory below the root and
 * each term the name of an event, or a field with a value (event=0x3c), as perf-list(1) has them. */
bool cps_pmu_is_event(const char *text, const char *end);

/* [outside] Set type and config of an event that is written so. 0 or -errno, with what is wrong in `why`: there is no such
 * event, or it is not counted for threads. */
int cps_pmu_find(const char *root, const char *event, struct cps_overflow_kind *kind, char *why,
		 size_t bytes);

#endif
