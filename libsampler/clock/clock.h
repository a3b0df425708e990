/* SPDX-License-Identifier: MIT */
/*
 * clock.h - what makes the recorder tick.
 *
 * A new clock is a file clock_NAME.c that defines cps_clock_NAME, and one line in CPS_CLOCKS. A new
 * resource is a clock that measures it.
 */
#ifndef CPS_CLOCK_H
#define CPS_CLOCK_H

#include "clock/clock_settings.h"
#include "signal/sample.h"
#include "stream/thread.h"

/* The table. The first clock is the default, as is its resource. If a resource has several clocks,
 * the first is used unless CPSAMPLE_CLOCK names another one. */
#define CPS_CLOCKS(CLOCK)                                                                          \
	CLOCK(timer)                                                                               \
	CLOCK(itimer)                                                                              \
	CLOCK(perf)                                                                                \
	CLOCK(signals)

struct cps_clock {
	const char *name;	     /* CPSAMPLE_CLOCK, and the engine in the stream */
	const char *resource, *unit; /* what it measures, and one gtick of it */
	bool is_periodic;	     /* ticks in the interval of the settings */
	bool is_external;	     /* others send its signals, arming does nothing */
	const struct cps_meter *meter;
	const struct cps_clock *fallback; /* that is used when probe says no */
	/* Any of these may be NULL. */
	/* Would it tick here? 0, or -errno and a line of why not; arms nothing, sends no signal. */
	int (*probe)(const struct cps_clock_settings *settings, char *why, size_t bytes);
	int (*start)(const struct cps_clock_settings *settings); /* 0 or -errno; before any arm */
	void (*stop)(void);					 /* the process ends */
	int (*arm)(struct cps_thread *t);     /* that thread begins; 0 or -errno */
	void (*disarm)(struct cps_thread *t); /* it ends */
};

#define DECLARE(name) extern const struct cps_clock cps_clock_##name;
CPS_CLOCKS(DECLARE)
#undef DECLARE

/* All clocks; NULL ends the table. */
extern const struct cps_clock *const cps_clock_table[];

/* The first clock that measures the resource whose name is these `length` bytes, or NULL. */
const struct cps_clock *cps_clock_of_resource(const char *name, size_t length);

/* Whether CPSAMPLE_CLOCK may name this clock: other clocks measure the same resource. */
bool cps_clock_is_choice(const struct cps_clock *clock);

/* The clock that measures the resource of these settings and has the name in them, or else the first
 * that measures the resource. NULL if none does. */
const struct cps_clock *cps_clock_find(const struct cps_clock_settings *settings);

/* That clock, or its fallback with a line of why in `why`, which else is empty. Before any start. */
const struct cps_clock *cps_clock_choose(const struct cps_clock *wanted,
					 const struct cps_clock_settings *settings, char *why,
					 size_t bytes);

/* The functions of a clock, or nothing and 0. */
int cps_clock_start(const struct cps_clock *clock, const struct cps_clock_settings *settings);
void cps_clock_stop(const struct cps_clock *clock);
int cps_clock_arm(const struct cps_clock *clock, struct cps_thread *t);
void cps_clock_disarm(const struct cps_clock *clock, struct cps_thread *t);

/* [signal] An interval for this thread: uniform within `spread` of the mean, or the mean if
 * there is to be no jitter. */
uint64_t cps_clock_vary(struct cps_thread *t, uint64_t mean, uint64_t spread);

/* [signal] CPU time in ns, of the calling thread and of any live one. */
uint64_t cps_clock_cpu(void);
/* [signal] */
uint64_t cps_clock_cpu_of(const struct cps_thread *t);

#endif
