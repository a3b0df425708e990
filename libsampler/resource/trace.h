/* SPDX-License-Identifier: MIT */
/*
 * trace.h - finds the numbers of the kernel's tracepoints.
 */
#ifndef CPS_TRACE_H
#define CPS_TRACE_H

#include <stdbool.h>
#include <stddef.h>

#include "resource/overflow.h"

/* Where the kernel lists them, where that is mounted; up to NULL. */
extern const char *const cps_trace_roots[];

/* [signal] Whether the text up to `end` is written like SYSTEM:NAME. */
bool cps_trace_is_event(const char *text, const char *end);

/* [outside] Set type and config of an event that is written so. 0 or -errno, with what is missing in `why`: there is no such
 * tracepoint, or they may not be looked up. */
int cps_trace_find(const char *const *roots, const char *event, struct cps_overflow_kind *kind,
		   char *why, size_t bytes);

#endif
