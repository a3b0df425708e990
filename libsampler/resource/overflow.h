/* SPDX-License-Identifier: MIT */
/*
 * overflow.h - the engine of resources that the kernel's perf subsystem counts in each thread.
 *
 * An event of the kernel's counts a period, sends a signal, which is a sample with the weight of that period,
 * and is replaced in the handler by one with another period, drawn at random (doc/resources.md). A resource has
 * a kind and the functions below.
 */
#ifndef CPS_OVERFLOW_H
#define CPS_OVERFLOW_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "clock/perf.h"
#include "resource/state.h"
#include "stream/thread.h"

struct cps_overflow_kind {
	uint32_t type; /* as perf_event_open(2) has them */
	uint64_t config, config1, config2;
	/* What getrusage(2) counts of it. Then it says how much there was, and how much of it is the
	 * recorder's. Otherwise the sum of the periods says how much there was. */
	bool is_minor, is_major;
	bool needs_kernel; /* all of it happens in the kernel, ... */
	bool is_at_exit;   /* ... at the end of a system call, so that the signal comes at once */
	bool is_calls;	   /* system calls: the recorder's are taken off */
	struct cps_overflow_kind *also; /* another kind of the same resource; or NULL */
	/* Makes the event count something, to find out whether it does; NULL: it is believed. */
	void (*happen)(void);
	bool without_kernel; /* set by the probe: what happens in the kernel is not to be counted */
};

/* [signal] The event that counts the kind, with this period. */
struct cps_perf_event cps_overflow_event(const struct cps_overflow_kind *kind, uint64_t period);

/* [outside] Another recording begins in the process. */
void cps_overflow_reset(void);

/* [outside] For the fields of struct cps_resource, as the following are. */
int cps_overflow_start(uint64_t interval);
/* [signal] */
void cps_overflow_stop(void);
/* [signal] Recording pauses, and goes on. */
void cps_overflow_pause(void);
/* [signal] */
void cps_overflow_resume(void);
/* [signal] */
void cps_overflow_arm(struct cps_thread *t);
/* [signal] */
void cps_overflow_disarm(struct cps_thread *t);
/* [signal] What the process has consumed, without what the recorder has. */
uint64_t cps_overflow_counted(uint32_t number);

#endif
