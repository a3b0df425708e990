/* SPDX-License-Identifier: MIT */
/*
 * run_times.h - how much CPU time the recorded processes used, and how long that took.
 *
 * In: struct profile. Out: times, and numbers of processes.
 */
#ifndef RUN_TIMES_H
#define RUN_TIMES_H

#include "base/error.h"
#include "model/profile.h"

struct run_times {
	uint64_t cpu_ns;     /* of all processes, without what recording took */
	uint64_t elapsed_ns; /* from the first start to the last end, of each run; their sum */
	size_t n_runs;	     /* process trees */
	size_t n_threads;
	/* Index of the process that began first. It is the topmost one that was recorded. */
	size_t first;
};

/* When the first process began, in nanoseconds since 1970; UINT64_MAX without processes. */
uint64_t run_times_begin(const struct profile *p);

/* When the recording of the process ended, in nanoseconds after it began, 0: not known. A recording
 * without an end is known up to its last sample. */
uint64_t run_times_lasted(const struct profile_process *process);

/* The CPU time of a process while it was recorded, without what recording took. Returns false if
 * that is not known. */
bool run_times_cpu(const struct profile *p, const struct profile_process *process, uint64_t *ns);

/* Fills *r. Returns 1, 0 if the inputs do not say it, or -1 (memory). */
int run_times_find(struct run_times *r, const struct profile *p, struct error *err);

#endif
