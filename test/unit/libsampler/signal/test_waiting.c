/* SPDX-License-Identifier: MIT */
/*
 * test_waiting.c - the beginning and the end of a sleep are told to the clock, and a handler of the target's that leaves by
 * siglongjmp at that moment leaves nothing behind.
 *
 * Seen to fail: when the clock was told with the target's signals let through, the thread counted as one in
 * a handler for ever.
 */
#include <criterion/criterion.h>
#include <setjmp.h>
#include <signal.h>

#include "libsampler/signal/gate.h"
#include "libsampler/signal/sample.h"
#include "libsampler/signal/waiting.h"

static sigjmp_buf place;
static volatile sig_atomic_t told;

static void leave(int number)
{
	(void)number;
	siglongjmp(place, 1);
}

static void wake(struct cps_thread *t)
{
	(void)t;
	told++;
	raise(SIGUSR1);
}

static bool is_awaited;

static bool doze(struct cps_thread *t)
{
	(void)t;
	return is_awaited;
}

static void count(struct cps_thread *t)
{
	(void)t;
	told++;
}

/* The clock has an eye on the end of a sleep whose beginning it was told, if it says so. */
Test(waiting, is_told_when_a_thread_goes_to_sleep)
{
	static const struct cps_meter meter = {
		.signal = SIGUSR2, .doze = doze, .wake = count, .scale = 1};
	struct cps_thread *t = cps_thread_take();

	cps_thread_enter(t, 0);
	cps_sample_use(&meter, NULL);
	cr_assert(cps_gate_open());
	for (int i = 0; i < 2; i++) {
		is_awaited = i;
		cps_waiting_begin();
		cps_waiting_sleep();
		cps_waiting_end();
		cr_assert_eq(told, i);
	}
	cps_gate_close();
	cps_waiting_begin();
	cps_waiting_sleep();
	cps_waiting_end();
	cr_assert_eq(told, 1);
}

Test(waiting, may_be_told_where_nothing_is_recorded)
{
	cps_waiting_begin();
	cps_waiting_sleep();
	cps_waiting_end();
	cr_assert_not(cps_waiting_is_wrapped());
}

Test(waiting, handlers_of_the_target_come_afterwards, .timeout = 60)
{
	static const struct cps_meter meter = {.signal = SIGUSR2, .wake = wake, .scale = 1};
	struct sigaction action = {.sa_handler = leave};
	struct cps_thread *t = cps_thread_take();
	sigset_t mask;

	cps_thread_enter(t, 0);
	cps_sample_use(&meter, NULL);
	cr_assert(cps_gate_open());
	sigaction(SIGUSR1, &action, NULL);
	cps_waiting_begin();
	cr_assert(cps_waiting_is_told());
	if (sigsetjmp(place, 0) == 0) {
		cps_waiting_end();
		cr_assert_fail("the signal has not come");
	}
	cr_assert_eq(told, 1);
	cr_assert_eq(atomic_load(&t->in_handler), 0);
	pthread_sigmask(SIG_BLOCK, NULL, &mask);
	cr_assert_not(sigismember(&mask, SIGUSR2));
}
