/* SPDX-License-Identifier: MIT */
/*
 * event_names.h - finds the numbers of events that the kernel has names for.
 */
#ifndef CPS_EVENT_NAMES_H
#define CPS_EVENT_NAMES_H

#include <stdbool.h>
#include <stddef.h>

#include "resource/overflow.h"

/* ---- pmu ------------------------------------------------------------------------------------- */
/*
 * Finds the numbers of events that the kernel names in /sys/bus/event_source/devices.
 */

#define CPS_PMU_ROOT "/sys/bus/event_source/devices"

/* [outside] Whether the text up to `end` is written like an event: PMU/TERM,.../ where PMU is a directory below the root and
 * each term the name of an event, or a field with a value (event=0x3c), as perf-list(1) has them. */
bool cps_pmu_is_event(const char *text, const char *end);

/* [outside] Set type and config of an event that is written so. 0 or -errno, with what is wrong in `why`: there is no such
 * event, or it is not counted for threads. */
int cps_pmu_find(const char *root, const char *event, struct cps_overflow_kind *kind, char *why,
		 size_t bytes);

/* ---- trace ----------------------------------------------------------------------------------- */
/*
 * Finds the numbers of the kernel's tracepoints.
 */

/* Where the kernel lists them, where that is mounted; up to NULL. */
extern const char *const cps_trace_roots[];

/* [outside] Whether the text up to `end` is written like SYSTEM:NAME. */
bool cps_trace_is_event(const char *text, const char *end);

/* [outside] Set type and config of an event that is written so. 0 or -errno, with what is missing in `why`: there is no such
 * tracepoint, or they may not be looked up. */
int cps_trace_find(const char *const *roots, const char *event, struct cps_overflow_kind *kind,
		   char *why, size_t bytes);

#endif
