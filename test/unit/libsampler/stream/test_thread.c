/* SPDX-License-Identifier: MIT */
/*
 * test_thread.c - the entry of a thread is not free before another thread has done with it; what
 * nobody says of how long threads were ready is not known.
 *
 * Seen to fail: when a thread left although another one was reading its switches; when the sum of those that could be read was
 * given although another one could not.
 */
#include <criterion/criterion.h>
#include <pthread.h>
#include <semaphore.h>
#include <time.h>

#include "libsampler/stream/thread.h"

static sem_t is_there;
static uintptr_t held_at_the_end;

static void *live(void *entry)
{
	struct cps_thread *t = entry;

	cps_thread_enter(t, 0);
	atomic_store(&t->held, CPS_THREAD_HELD);
	sem_post(&is_there);
	cps_thread_leave(t);
	held_at_the_end = atomic_load(&t->held);
	return NULL;
}

Test(thread, waits_for_who_reads_its_switches)
{
	const struct timespec moment = {0, 5000000};
	struct cps_thread *t = cps_thread_take();
	pthread_t thread;

	cr_assert_not_null(t);
	sem_init(&is_there, 0, 0);
	cr_assert_eq(pthread_create(&thread, NULL, live, t), 0);
	sem_wait(&is_there);
	cr_assert_neq(atomic_load(&t->state), CPS_THREAD_FREE);
	nanosleep(&moment, NULL);
	atomic_store(&t->held, 0);
	pthread_join(thread, NULL);
	cr_assert_eq(held_at_the_end, 0);
	cr_assert_eq(atomic_load(&t->state), CPS_THREAD_FREE);
	cr_assert_not(cps_thread_is_live(t));
}

/* The kernel may not say it, or hide it. No thread has this number. */
Test(thread, how_long_it_was_ready_is_known_of_all_or_none)
{
	struct cps_thread *t = cps_thread_take();
	uint64_t ns;

	cps_thread_enter(t, 0);
	if (!cps_ready_read(t, &ns))
		cr_skip_test("the kernel has no schedstat");
	atomic_store(&t->ready_ns, ns - 1000);
	cps_ready_add(t);
	cr_assert_geq(cps_ready_ns(), 1000);
	t->tid = 1 << 30;
	cr_assert_not(cps_ready_read(t, &ns));
	cps_ready_add(t);
	cr_assert_eq(cps_ready_ns(), 0);
}
