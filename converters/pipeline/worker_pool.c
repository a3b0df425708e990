/* SPDX-License-Identifier: MIT */
/*
 * worker_pool.c - threads that take one part after the other.
 *
 * In: functions. Out: calls of them. All that threads share is in struct crew, under its
 * lock; results go through a ring, in which a part has its place.
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

struct crew {
	const struct worker_pool *jobs;
	pthread_mutex_t lock;
	pthread_cond_t done; /* the part that the caller waits for */
	pthread_cond_t room; /* a slot is free, or it is over */
	size_t next;	     /* part to be run */
	size_t taken;	     /* parts that are over */
	bool is_over;
	struct slot *ring;
	size_t ring_size;
	pthread_t *threads;
	size_t n_threads;
};

/* ---- threads --------------------------------------------------------------------------------- */

/* The next part, when there is room for its result. False: there is none. With the lock. */
static bool next_part(struct crew *c, size_t *part)
{
	while (!c->is_over && c->next < c->jobs->n && c->next - c->taken >= c->ring_size)
		pthread_cond_wait(&c->room, &c->lock);
	if (c->is_over || c->next >= c->jobs->n)
		return false;
	*part = c->next++;
	return true;
}

static void *work(void *context)
{
	struct crew *c = context;
	size_t part;

	pthread_mutex_lock(&c->lock);
	while (next_part(c, &part)) {
		pthread_mutex_unlock(&c->lock);
		void *result = c->jobs->run(c->jobs->context, part);
		pthread_mutex_lock(&c->lock);
		c->ring[part % c->ring_size] = (struct slot){result, true};
		if (part == c->taken)
			pthread_cond_signal(&c->done);
	}
	pthread_mutex_unlock(&c->lock);
	return NULL;
}

/* Signals are the caller's: a handler of its may draw what it has written. */
static void start(struct crew *c)
{
	sigset_t all, before;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	while (c->n_threads < c->jobs->n_threads &&
	       !pthread_create(&c->threads[c->n_threads], NULL, work, c))
		c->n_threads++;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static void stop(struct crew *c)
{
	pthread_mutex_lock(&c->lock);
	c->is_over = true;
	pthread_cond_broadcast(&c->room);
	pthread_mutex_unlock(&c->lock);
	for (size_t i = 0; i < c->n_threads; i++)
		pthread_join(c->threads[i], NULL);
	for (size_t i = 0; i < c->ring_size; i++)
		if (c->ring[i].result)
			c->jobs->drop(c->ring[i].result);
}

/* ---- the caller ------------------------------------------------------------------------------ */

static struct timespec soon(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	t.tv_nsec += WAIT_NS;
	t.tv_sec += t.tv_nsec / 1000000000;
	t.tv_nsec %= 1000000000;
	return t;
}

static void *await(struct crew *c, size_t part)
{
	struct slot *slot = &c->ring[part % c->ring_size];
	struct timespec until = soon();
	void *result;

	pthread_mutex_lock(&c->lock);
	while (!slot->is_done) {
		if (!pthread_cond_timedwait(&c->done, &c->lock, &until))
			continue;
		pthread_mutex_unlock(&c->lock);
		c->jobs->wait();
		until = soon();
		pthread_mutex_lock(&c->lock);
	}
	result = slot->result;
	*slot = (struct slot){0};
	pthread_mutex_unlock(&c->lock);
	return result;
}

/* Its result is gone now: there is room for another one. */
static void count(struct crew *c)
{
	pthread_mutex_lock(&c->lock);
	c->taken++;
	pthread_cond_signal(&c->room);
	pthread_mutex_unlock(&c->lock);
}

static int take_all(struct crew *c)
{
	const struct worker_pool *j = c->jobs;
	int status = 0;

	for (size_t part = 0; !status && part < j->n; part++) {
		status = j->take(j->context, part, c->n_threads ? await(c, part) : NULL);
		count(c);
	}
	return status;
}

int worker_pool_run(const struct worker_pool *j)
{
	struct crew c = {
		.jobs = j,
		.lock = PTHREAD_MUTEX_INITIALIZER,
		.done = PTHREAD_COND_INITIALIZER,
		.room = PTHREAD_COND_INITIALIZER,
		.ring_size = 2 * j->n_threads + 1,
	};
	int status;

	c.ring = calloc(c.ring_size, sizeof(*c.ring));
	c.threads = calloc(j->n_threads + 1, sizeof(*c.threads));
	if (c.ring && c.threads)
		start(&c);
	status = take_all(&c);
	if (c.ring && c.threads)
		stop(&c);
	free(c.ring);
	free(c.threads);
	return status;
}

size_t worker_pool_cores(void)
{
	cpu_set_t set;
	int n = sched_getaffinity(0, sizeof(set), &set) ? CORES_MAX : CPU_COUNT(&set);

	return n < 1 ? 1 : n > CORES_MAX ? CORES_MAX : (size_t)n;
}
