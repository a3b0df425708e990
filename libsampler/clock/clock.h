/* SPDX-License-Identifier: MIT */
/*
 * clock.h - the clocks, which make the recorder tick.
 */
#ifndef CPS_CLOCK_H
#define CPS_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "signal/sample.h"
#include "stream/thread.h"

/* ---- clock settings -------------------------------------------------------------------------- */
/*
 * The settings of a clock.
 */

struct cps_clock_settings {
	const char *resource; /* name of the resource to be measured */
	const char *name;     /* name of the clock, if several measure that resource */
	uint64_t interval_ns; /* the mean interval between ticks; 0: the clock's own */
	bool jitter; /* draw intervals from [0.5, 1.5] of the mean (Hall & Goldberg, 7.1) */
	bool has_go; /* the program contains Go's runtime */
	bool is_seeded;
	uint64_t seed;
};

/* ---- clock ----------------------------------------------------------------------------------- */
/*
 * The clocks, which make the recorder tick.
 *
 * doc/house.md says what a new clock is made of.
 */

/* The table. The first clock is the default, as is its resource. If a resource has several clocks,
 * the first is used unless CPSAMPLE_CLOCK names another one. */
#define CPS_CLOCKS(CLOCK)                                                                          \
	CLOCK(strata)                                                                              \
	CLOCK(timer)                                                                               \
	CLOCK(itimer)                                                                              \
	CLOCK(perf)                                                                                \
	CLOCK(signals)

struct cps_clock {
	const char *name;	     /* in CPSAMPLE_CLOCK, and as the engine in the stream */
	const char *resource, *unit; /* what it measures, and what one gtick of it is */
	uint64_t interval_ns;	     /* the usual one; 0: it has none, and cannot be given one */
	bool is_external;	     /* others send its signals, and arming does nothing */
	bool ticks_in_calls;	     /* also on kernels whose CPU timers do not (below) */
	const struct cps_meter *meter;
	/* Each of the functions below may be NULL. */
	int (*start)(const struct cps_clock_settings *settings); /* 0 or -errno; before any arm */
	void (*stop)(void); /* after all threads were disarmed; called when the process ends, too */
	int (*arm)(struct cps_thread *t);     /* that thread begins; 0 or -errno */
	void (*disarm)(struct cps_thread *t); /* that thread ends */
};

#define DECLARE(name) extern const struct cps_clock cps_clock_##name;
CPS_CLOCKS(DECLARE)
#undef DECLARE

/* Never ticks. It is not in the table. */
extern const struct cps_clock cps_clock_none;

/* [signal] The mean interval of its ticks: that of the settings, or its own if they have none. 0: it has none. */
uint64_t cps_clock_interval(const struct cps_clock *clock,
			    const struct cps_clock_settings *settings);

/* [signal] Whether the kernel is of this version or a later one. False if it does not say. */
bool cps_clock_has_kernel(int major, int minor);

/* [signal] Call the clock's functions. Without such a function they do nothing and return 0. To stop a clock
 * disarms all threads. */
int cps_clock_start(const struct cps_clock *clock, const struct cps_clock_settings *settings);
/* [signal] */
void cps_clock_stop(const struct cps_clock *clock);
/* [signal] Behind a gate that is closed the thread is not armed, which is no error. */
int cps_clock_arm(const struct cps_clock *clock, struct cps_thread *t);
/* [signal] */
void cps_clock_disarm(const struct cps_clock *clock, struct cps_thread *t);

/* [signal] Whether ticks may come inside of system calls, which then return early. A performance event's do.
 * Those of CPU timers come when a thread returns from the kernel, since Linux 5.9. */
bool cps_clock_ticks_in_calls(const struct cps_clock *clock);

/* [signal] Whether the clock can keep its ticks out of a call (struct cps_meter). */
bool cps_clock_keeps_out(const struct cps_clock *clock);

/* [signal] An interval for this thread, drawn uniformly within `spread` of the mean; the mean
 * itself if CPSAMPLE_JITTER is off. */
uint64_t cps_clock_vary(struct cps_thread *t, uint64_t mean, uint64_t spread);
/* [signal] The same of something else: what it draws depends only on its state, and on the seed. */
uint64_t cps_clock_vary_by(uint64_t *state, uint64_t mean, uint64_t spread);

/* [signal] An interval whose end is at any time as likely as at any other, so that it says nothing that none
 * has ended yet: exponentially distributed (von Neumann, Various techniques used in connection with random
 * digits, 1951). The interval is the mean itself if CPSAMPLE_JITTER is off. */
uint64_t cps_clock_vary_freely(struct cps_thread *t, uint64_t mean);

/* [signal] The CPU time, in ns, of the calling thread; and of any live thread. */
uint64_t cps_clock_cpu(void);
/* [signal] */
uint64_t cps_clock_cpu_of(const struct cps_thread *t);

#endif
