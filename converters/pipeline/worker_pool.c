/* SPDX-License-Identifier: MIT */
/*
 * worker_pool.c - runs threads that do one part of some work after the other.
 *
 * All that the threads share is in struct pool, under its lock. Results wait in a ring, in which
 * each part has its slot, so that the caller takes them in the order of the parts.
 */
#include "pipeline/worker_pool.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <time.h>

#define CORES_MAX 16
#define WAIT_NS	  100000000

struct slot {
	void *result;
	bool is_done;
};

struct pool {
	const struct worker_pool *work;
	pthread_mutex_t lock;
	pthread_cond_t done; /* the part that the caller waits for is done */
	pthread_cond_t room; /* a slot is free, or the work is over */
	size_t next;	     /* the part that is to be run next */
	size_t taken;	     /* so many parts have been taken by the caller */
	bool is_over;
	struct slot *ring;
	size_t ring_size;
	pthread_t *threads;
	size_t n_threads;
};

/* ---- threads --------------------------------------------------------------------------------- */

/* Wait until there is room for the result of the next part. Returns false if there is no further
 * part. The caller holds the lock. */
static bool next_part(struct pool *p, size_t *part)
{
	while (!p->is_over && p->next < p->work->n && p->next - p->taken >= p->ring_size)
		pthread_cond_wait(&p->room, &p->lock);
	if (p->is_over || p->next >= p->work->n)
		return false;
	*part = p->next++;
	return true;
}

static void *run_parts(void *context)
{
	struct pool *p = context;
	size_t part;

	pthread_mutex_lock(&p->lock);
	while (next_part(p, &part)) {
		pthread_mutex_unlock(&p->lock);
		void *result = p->work->run(p->work->context, part);
		pthread_mutex_lock(&p->lock);
		p->ring[part % p->ring_size] = (struct slot){result, true};
		if (part == p->taken)
			pthread_cond_signal(&p->done);
	}
	pthread_mutex_unlock(&p->lock);
	return NULL;
}

/* The threads block all signals, because the handlers are the caller's: that of the progress line
 * draws a text that the caller's thread has made. */
static void start_threads(struct pool *p)
{
	sigset_t all, before;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	while (p->n_threads < p->work->n_threads &&
	       !pthread_create(&p->threads[p->n_threads], NULL, run_parts, p))
		p->n_threads++;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static void stop_threads(struct pool *p)
{
	pthread_mutex_lock(&p->lock);
	p->is_over = true;
	pthread_cond_broadcast(&p->room);
	pthread_mutex_unlock(&p->lock);
	for (size_t i = 0; i < p->n_threads; i++)
		pthread_join(p->threads[i], NULL);
	for (size_t i = 0; i < p->ring_size; i++)
		if (p->ring[i].result)
			p->work->drop(p->ring[i].result);
}

/* ---- the caller ------------------------------------------------------------------------------ */

static struct timespec deadline(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	t.tv_nsec += WAIT_NS;
	t.tv_sec += t.tv_nsec / 1000000000;
	t.tv_nsec %= 1000000000;
	return t;
}

static void *await_result(struct pool *p, size_t part)
{
	struct slot *slot = &p->ring[part % p->ring_size];
	struct timespec until = deadline();
	void *result;

	pthread_mutex_lock(&p->lock);
	while (!slot->is_done) {
		if (!pthread_cond_timedwait(&p->done, &p->lock, &until))
			continue;
		pthread_mutex_unlock(&p->lock);
		p->work->wait();
		until = deadline();
		pthread_mutex_lock(&p->lock);
	}
	result = slot->result;
	*slot = (struct slot){0};
	pthread_mutex_unlock(&p->lock);
	return result;
}

/* The result of a part has been taken, so that its slot is free for another one. */
static void free_slot(struct pool *p)
{
	pthread_mutex_lock(&p->lock);
	p->taken++;
	pthread_cond_signal(&p->room);
	pthread_mutex_unlock(&p->lock);
}

static int take_results(struct pool *p)
{
	const struct worker_pool *w = p->work;
	int status = 0;

	for (size_t part = 0; !status && part < w->n; part++) {
		status = w->take(w->context, part, p->n_threads ? await_result(p, part) : NULL);
		free_slot(p);
	}
	return status;
}

int worker_pool_run(const struct worker_pool *w)
{
	struct pool p = {
		.work = w,
		.lock = PTHREAD_MUTEX_INITIALIZER,
		.done = PTHREAD_COND_INITIALIZER,
		.room = PTHREAD_COND_INITIALIZER,
		.ring_size = 2 * w->n_threads + 1,
	};
	int status;

	p.ring = calloc(p.ring_size, sizeof(*p.ring));
	p.threads = calloc(w->n_threads + 1, sizeof(*p.threads));
	if (p.ring && p.threads)
		start_threads(&p);
	status = take_results(&p);
	if (p.ring && p.threads)
		stop_threads(&p);
	free(p.ring);
	free(p.threads);
	return status;
}

size_t worker_pool_cores(void)
{
	cpu_set_t set;
	int n = sched_getaffinity(0, sizeof(set), &set) ? CORES_MAX : CPU_COUNT(&set);

	return n < 1 ? 1 : n > CORES_MAX ? CORES_MAX : (size_t)n;
}
