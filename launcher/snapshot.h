/* SPDX-License-Identifier: MIT */
/*
 * snapshot.h - all threads of a process at one instant: what they wait for, their registers, their stacks.
 *
 * The process stands still while registers and memory are copied, and for nothing else. What the copies mean is found out
 * when it runs again.
 */
#ifndef LAUNCHER_SNAPSHOT_H
#define LAUNCHER_SNAPSHOT_H

#include "launcher/copied.h"
#include "launcher/stop.h"

struct snapshot_thread {
	struct stopped at;
	char name[32];	/* as the kernel has it: any bytes */
	char state;	/* as /proc had it just before: 'R', 'S', 'D', ... */
	char place[64]; /* the kernel's function in which it waited; "" if that is not told */
	/* It has stopped. Else it is gone, or in a call that cannot be interrupted. Then only pc and sp are known of it, if
	 * `has_place` is set. */
	bool has_stopped, has_place;
	size_t copied; /* bytes of its stack */
	bool is_cut;   /* not all of it */
};

struct snapshot {
	struct target *target;
	struct snapshot_thread *threads;
	size_t n_threads;
	struct copied memory;
	uint64_t
		stopped_ns; /* for how long, from the first thread that was asked to the last that was let go */
};

/* Take it. `more` is called while the process stands, to copy what else is needed, and is to return soon after `until`. May
 * refuse the process as target_refuse does. */
void snapshot_take(struct snapshot *s, struct target *t,
		   void (*more)(struct snapshot *s, uint64_t until, void *context), void *context);

/* Wait until threads that did not stop in time have been let go, for a moment at most. */
void snapshot_end(struct snapshot *s);

void snapshot_free(struct snapshot *s);

/* The number of the call that the thread waits in; -1: in none. */
long snapshot_call(const struct snapshot_thread *t);

#endif
