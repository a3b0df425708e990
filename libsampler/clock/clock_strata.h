/* SPDX-License-Identifier: MIT */
/*
 * clock_strata.h - samples at random instants, of threads that the kernel's tick has met running.
 */
#ifndef CPS_CLOCK_STRATA_H
#define CPS_CLOCK_STRATA_H

#include <stdbool.h>
#include <stdint.h>

#include "stream/thread.h"

/* ---- strata ---- */

/* The state of the clock `strata` (clock_strata.c). Times are of cps_moment_ns. */
struct cps_strata {
	uint64_t part, part_end; /* length of the parts, in ns; and where the current one ends */
	uint64_t shot_at;	 /* when the thread is to be looked at in it */
	uint64_t promise;	 /* the reading up to which the whole stratum is credited */
	uint64_t
		woken_at; /* when the thread has gone on, at which a stratum begins; 0: none does */
	uint64_t seen_at, seen_reading; /* when the thread was last known to run */
	uint32_t left;			/* parts to come, with the current one; 0: none */
	uint32_t calm;			/* strata in a row in which no shot has met a sleep */
	int64_t waste_ns; /* what shots that have missed it took beyond their share (clock_strata.h) */
	uint32_t rarer; /* how often the distance between shots was doubled for that */
	uint32_t
		blocked; /* how often lately the thread may have been blocked in the kernel, and ... */
	uint32_t
		ticks; /* ... so many ticks are samples before there is a shot again; see clock_strata.h */
	uint32_t waits;			/* how many calls that wait it had made at the last shot */
	uint32_t switches, disk_faults; /* what the kernel had counted then, and ... */
	uint64_t counted_reading;	/* ... the reading */
	uint64_t held_at;		/* when the shot comes that is held; 0: there is none */
};

_Static_assert(sizeof(struct cps_strata) <= CPS_THREAD_CLOCK_BYTES,
	       "a thread's entry has room for it");

/* [signal] What the clock keeps of the thread. */
static inline struct cps_strata *cps_strata_of(const struct cps_thread *t)
{
	return (struct cps_strata *)(uintptr_t)t->clock;
}

/* ---- misses ---------------------------------------------------------------------------------- */
/*
 * Limits what shots take that do not meet their thread running.
 *
 * Such a shot ends a sleep, or comes while the thread waits for a processor. There are the more of
 * them for each second of the thread's CPU time the less it runs, so shots become rarer then.
 */

#define CPS_MISSES_CALM                                                                            \
	16u /* after so many strata without a shot into a sleep a thread hardly sleeps */

/* [signal] A shot has come, `used_ns` of the thread's CPU time after the one before. */
void cps_misses_count(struct cps_strata *s, uint64_t used_ns, bool is_miss);

/* [signal] In the handler of a shot, each time: whether the thread may have been blocked in the kernel since the last
 * one where no signal ends its sleep: in a fault whose page comes from a disk; or in a system call (`is_in_call`), if it
 * has slept more often than it has made calls that wait, which are so many by now. If it has slept after each 0.2 ms of its
 * CPU time, ticks are samples for a while: a shot that comes while it is just being woken up is like one that meets it running,
 * and a call that waits would be shown with up to twice its time (doc/accuracy.md). */
bool cps_misses_may_be_blocked(struct cps_strata *s, bool is_in_call, uint32_t waits,
			       uint64_t reading);

/* [signal] Whether this shot came late to a thread that was blocked so. It may have met the thread running in the kernel,
 * before it was blocked, and nothing tells. The kernel's ticks meet only threads that run, so if this happens to more
 * than every fifth shot they are samples for a while. */
void cps_misses_count_blocked(struct cps_strata *s, bool was_blocked);

/* [signal] A tick was a sample, at this reading. After the last one it is looked again how often the thread sleeps. */
void cps_misses_count_tick(struct cps_strata *s, uint64_t reading);

/* [signal] Whether ticks are samples: for a while, or because shots miss a thread that sleeps most of the time so
 * often that only a few could be had. */
bool cps_misses_are_too_many(const struct cps_strata *s);

/* [signal] A shot that has not ended a sleep was so late, in ns. From them is learnt how late they come to threads that
 * run. */
void cps_misses_note_late(uint64_t late);

/* [signal] Whether the thread was not running when the shot came, so late, at this time and reading: it was just
 * waking up, or waited for a processor. */
bool cps_misses_was_away(const struct cps_strata *s, uint64_t late, uint64_t now, uint64_t reading);

/* [signal] The distance between shots, in ns, where it would be `interval_ns` for a thread that runs. */
static inline uint64_t cps_misses_interval(const struct cps_strata *s, uint64_t interval_ns)
{
	return interval_ns << s->rarer;
}

#endif
