/* SPDX-License-Identifier: MIT */
/*
 * worker_pool.h - runs the parts of some work on several threads, and hands over their results in
 * order.
 *
 * In: functions that do a part and take its result. Out: calls of these functions.
 */
#ifndef WORKER_POOL_H
#define WORKER_POOL_H

#include <stddef.h>

struct worker_pool {
	size_t n; /* parts, which have the numbers 0, 1, 2, ... */
	size_t n_threads;
	void *context; /* all threads share it, so that `run` may read it but not write to it */

	/* Called on any thread: does a part. Returns its result, or NULL if `take` is to do it. */
	void *(*run)(void *context, size_t part);

	/* Called on the caller's thread, for one part after the other in their order: takes the
	 * result of a part. If that is NULL, it does the part itself, so that errors come up in the
	 * order of the parts. What is not 0 ends the work. */
	int (*take)(void *context, size_t part, void *result);

	/* Frees a result that nobody will take. */
	void (*drop)(void *result);

	/* Called on the caller's thread about ten times a second while it waits for a result. */
	void (*wait)(void);
};

/* Do all parts. Returns what the last call of `take` has returned. At most 2 n_threads + 1 results
 * wait to be taken. If no thread can be started, `take` does all parts. */
int worker_pool_run(const struct worker_pool *w);

/* How many threads are worth it: one for each core that this process may use, but not more than
 * sixteen, since their results are taken by one thread. */
size_t worker_pool_cores(void);

#endif
