/* SPDX-License-Identifier: MIT */
/*
 * state.h - what the resources keep of each thread of the target.
 *
 * A resource that keeps something of its own has a structure here, and a member in struct cps_resource_state.
 */
#ifndef CPS_STATE_H
#define CPS_STATE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>

#include "arch/arch.h"
#include "stream/thread.h"

/* Where a thread stands between two points of a resource (resource/point.h). */
struct cps_point {
	int64_t left;	  /* gticks until the interval ends */
	uint64_t current; /* the length of the interval; 0: none was drawn yet */
	uint64_t passed;  /* the sum of those that have ended */
	uint64_t since_ns;
	uint32_t n_samples; /* since then */
	uint32_t slower;    /* how often the mean interval was doubled */
	uint64_t rest;	    /* gticks that are left for the next sample */
	uint64_t random;    /* where the drawing of lengths is; 0: it has not begun */
};

/* The call in which a thread is blocked, and where that was made (resource/off_cpu.h). */
struct cps_sleep {
	_Atomic uint32_t sequence; /* odd: the thread is in the call that is described below */
	_Atomic uint32_t state;	   /* of its resource */
	_Atomic uint64_t since, leaf;
	_Atomic uint64_t regs[CPS_REGS_KEPT]; /* of the wrapper */
};

/* The lock, or the like, that a thread waits for (resource/lock.h). */
struct cps_lock_wait {
	struct cps_sleep sleep;
	_Atomic(_Atomic uint64_t *) word; /* in which it is registered; NULL: it is not */
	_Atomic uint64_t from;		  /* when began what it was not credited with yet */
	_Atomic uint64_t credited; /* ns that others have credited it with, beside its points */
};

/* The time of a thread that it does not run, and where it is blocked (resource/off_cpu.h). Times are of
 * cps_moment_ns. */
struct cps_off_cpu {
	_Atomic uint64_t held_at; /* when someone began to use what follows; 0: nobody does */
	uint64_t settled_at; /* time and CPU time up to which this is settled; 0: not counted */
	uint64_t settled_cpu;
	int64_t due;	  /* ns off the CPU that are not credited yet */
	uint64_t counted; /* ns of its life so far */
	uint32_t state;	  /* what was credited last */
	uint64_t said;	  /* how long it was ready, by the kernel when that was asked last */
	int64_t unasked;  /* ns off the CPU since then */
	int64_t ask_at;	  /* when there are so many of these the kernel is asked again */
	int64_t ready; /* ns that it was ready and was not credited with as such; or was too much */
	uint64_t weight; /* of a call's sample, if the kernel is to be asked about it */
	_Atomic uint64_t
		ready_part; /* gticks of a weight, which a sample is about to be taken of */
	struct cps_sleep sleep;
};

/* How often a thread was put off a processor, because it waited or because others wanted it; and on another one. */
struct cps_switch_counts {
	uint64_t blocked, preempted, moves;
};

/* The switches of a thread (resource/switches.h). */
struct cps_switches {
	_Atomic(void *) records; /* of the kernel's (resource/switches.h); NULL: it has none */
	uint64_t read_to;	 /* how far these were read */
	uint32_t cpu;		 /* where it was at the last of them */
	bool is_known;		 /* what follows is */
	struct cps_switch_counts usage; /* what getrusage had counted, if there are no records */
	struct rusage asked;		/* while it is asked: too large for the thread's stack */
	_Atomic uint64_t due_blocked, due_preempted, due_moves; /* without a place yet */
	struct cps_sleep sleep;
};

#define CPS_THREAD_POINTS 44

struct cps_code_range;

/* What the thread itself does outside of the handler, on a stack of the recorder's, while it is busy
 * (resource/point.h): it makes a call, or takes a sample. */
struct cps_job {
	void (*call)(void *);
	void *argument;
	bool is_done;
	uint64_t mask;		/* of signals, to be restored */
	uint32_t number, state; /* of the resource */
	uint64_t gticks, leaf, block;
	const struct cps_code_range *outside;
	uint64_t regs[CPS_REGS_KEPT]; /* of who is credited */
};

/* An event that the kernel counts in a thread (resource/overflow.h). */
struct cps_overflow {
	_Atomic(void *) page; /* that keeps it alive; NULL: there is none */
	int fd;		      /* the number that its descriptor had, which its signals bring */
	bool is_fresh;	      /* it was made in the handler that is running */
	bool is_missing;      /* it could not be made again */
	uint64_t weight;      /* of that signal, in gticks */
	int64_t own;	      /* of these, gticks that are not to be credited */
	uint32_t calls;	      /* how many system calls the recorder had made when it began */
};

#define CPS_THREAD_OVERFLOWS 17 /* as many as resources of a recording; faults has two */

struct cps_resource_state {
	struct cps_point points[CPS_THREAD_POINTS]; /* first: cps_thread_points points to them */
	struct cps_off_cpu off_cpu;
	struct cps_lock_wait lock;
	struct cps_switches switches;
	struct cps_job job;
	struct cps_overflow overflows[CPS_THREAD_OVERFLOWS];
};

_Static_assert(offsetof(struct cps_resource_state, points) == 0, "cps_thread_points");
_Static_assert(_Alignof(struct cps_resource_state) <= 16, "as aligned as its room");
_Static_assert(sizeof(struct cps_resource_state) <= CPS_THREAD_RESOURCE_BYTES,
	       "a thread's entry has room for it");

/* [signal] What the resources keep of the thread. */
static inline struct cps_resource_state *cps_state_of(const struct cps_thread *t)
{
	return (struct cps_resource_state *)(uintptr_t)t->resources;
}

#endif
