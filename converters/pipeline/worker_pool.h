/* SPDX-License-Identifier: MIT */
/*
 * worker_pool.h - runs the parts of some work on several threads, and hands over their results in order.
 *
 * In: functions. Out: calls of them.
 */
#ifndef WORKER_POOL_H
#define WORKER_POOL_H

#include <stddef.h>

struct worker_pool {
	size_t n; /* parts: 0, 1, 2, ... */
	size_t n_threads;
	void *context; /* shared by all threads, so that `run` can only look at it */
	/* On any thread: what came of the part, or NULL. */
	void *(*run)(void *context, size_t part);
	/* On the caller's thread, the parts one after the other: takes the result, or does the work
	 * itself where that is NULL. Not 0: enough. */
	int (*take)(void *context, size_t part, void *result);
	/* Nobody has taken the result. */
	void (*drop)(void *result);
	/* On the caller's thread, about ten times a second while there is nothing to be taken. */
	void (*wait)(void);
};

/* What the last call of `take` returned. No more than twice as many results as threads wait at a
 * time. Without threads, for want of memory, all is left to `take`. */
int worker_pool_run(const struct worker_pool *j);

/* How many threads are worth it: one for each core that this process may use, sixteen at most, since
 * there is one caller to take their results. */
size_t worker_pool_cores(void);

#endif
