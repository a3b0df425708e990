/* SPDX-License-Identifier: MIT */
/*
 * kernel_events.h - finds out whether the kernel lets events of a thread be counted.
 */
#ifndef CPS_KERNEL_EVENTS_H
#define CPS_KERNEL_EVENTS_H

#include <stddef.h>
#include <stdint.h>

#include "resource/overflow.h"

/* [outside] Whether events of this kind can be counted here: 0, or -errno and in `why` what forbids it. With 0 `why`, if it
 * is not empty, says what of it is not counted, and the kind is changed to that. */
int cps_kernel_events_probe(struct cps_overflow_kind *kind, char *why, size_t bytes);

/* [outside] Say in `why` what has failed, and which setting forbids it: `enough` is the level of perf_event_paranoid
 * that would do. Returns the error. */
int cps_kernel_events_explain(int error, const char *what, int enough, char *why, size_t bytes);

/* [outside] Try all that arming an event does, except that it asks for no signal, call `happen` (may be NULL), and close
 * the event. *count is what it has counted then. 0 or -errno, with what has failed in *what. */
int cps_kernel_events_try(int fd, void (*happen)(void), uint64_t *count, const char **what);

#endif
