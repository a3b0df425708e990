/* SPDX-License-Identifier: MIT */
/*
 * test_lock.c - waits are registered while they last, however they end.
 *
 * Seen to fail: with no look at the note of an earlier wait when another begins, when a lock is given back, and at
 * a tick, each time with a waiter that stayed; with locks and events in one half of the words.
 */
#include <criterion/criterion.h>
#include <time.h>

#include "base/moment.h"
#include "clock/clock.h"
#include "setup/wanted.h"
#include "resource/lock.h"
#include "resource/point.h"
#include "resource/resource.h"
#include "resource/off_cpu.h"
#include "signal/tick_riders.h"
#include "signal/gate.h"
#include "signal/sample.h"

static struct cps_thread *thread;
static char object[64], other[64];

/* The interval is so long that nothing becomes a sample, for which there would have to be a recording. */
static void begin(void)
{
	struct cps_clock_settings settings = {.jitter = true, .is_seeded = true, .seed = 11};
	struct cps_identity identity = {.resource = ""};
	struct cps_wanted_resources wanted;
	char choices[600];

	cr_assert_eq(cps_wanted_read("lock:3600s", &wanted, &settings, choices, sizeof(choices)),
		     0);
	cps_clock_start(&cps_clock_none, &settings);
	cps_sample_use(cps_clock_none.meter, NULL);
	thread = cps_thread_take();
	cps_thread_enter(thread, 0);
	cr_assert(cps_gate_open());
	cps_resource_begin(&wanted, &identity);
	cr_assert(cps_lock_is_on());
}

static uint64_t rest(uint64_t ns)
{
	const struct timespec t = {.tv_nsec = (long)ns};
	uint64_t begin = cps_moment_ns();

	nanosleep(&t, NULL);
	return cps_moment_ns() - begin;
}

/* Registers of a wrapper with this stack pointer. */
static struct cps_lock_call enter(const void *what, enum cps_lock_state state, uint64_t sp)
{
	uint64_t regs[CPS_REGS_KEPT] = {1, sp, 3};
	struct cps_lock_call call = {.object = what, .state = state};

	cps_lock_enter(&call, regs);
	return call;
}

Test(lock, a_wait_is_registered_as_long_as_it_lasts)
{
	struct cps_lock_call call;
	uint64_t slept, blame;

	begin();
	call = enter(object, CPS_LOCK_MUTEX, 5000);
	cr_assert(cps_lock_has_waiters(object, CPS_LOCK_MUTEX));
	cr_assert_not(cps_lock_has_waiters(object, CPS_LOCK_CONDITION), "an event, not a lock");
	slept = rest(2000000);
	cps_state_of(thread)->lock.word =
		NULL; /* somebody else gives the lock back: it is not this thread's wait */
	cps_state_of(thread)->lock.sleep.sequence++;
	blame = cps_lock_blame(object, CPS_LOCK_MUTEX);
	cr_assert_geq(blame, slept);
	cps_state_of(thread)->lock.word = cps_lock_word_of(cps_lock_words, object, CPS_LOCK_MUTEX);
	cps_state_of(thread)->lock.sleep.sequence--;
	cps_lock_leave(&call);
	cr_assert_not(cps_lock_has_waiters(object, CPS_LOCK_MUTEX));
	cr_assert_geq(cps_lock_take_counted(thread), slept);
}

Test(lock, a_file_has_no_waiters)
{
	struct cps_lock_call call;
	uint64_t slept;

	begin();
	call = enter(NULL, CPS_LOCK_FILE, 5000);
	slept = rest(1000000);
	cps_lock_leave(&call);
	cr_assert_geq(cps_lock_take_counted(thread), slept);
}

/* A handler of the target's that waits, too, is on top of the wait that it has interrupted. */
Test(lock, a_wait_within_a_wait)
{
	struct cps_lock_call outer, inner;

	begin();
	outer = enter(object, CPS_LOCK_MUTEX, 5000);
	inner = enter(other, CPS_LOCK_SEMAPHORE, 4000);
	cr_assert_eq(inner.sequence, 0);
	cr_assert_not(cps_lock_has_waiters(other, CPS_LOCK_SEMAPHORE));
	cps_lock_leave(&inner);
	cr_assert(cps_lock_has_waiters(object, CPS_LOCK_MUTEX));
	cps_lock_leave(&outer);
	cr_assert_not(cps_lock_has_waiters(object, CPS_LOCK_MUTEX));
}

Test(lock, a_wait_that_was_left_is_found_by_the_next)
{
	struct cps_lock_call call;

	begin();
	enter(object, CPS_LOCK_MUTEX, 5000);
	call = enter(other, CPS_LOCK_MUTEX, 6000);
	cr_assert_not(cps_lock_has_waiters(object, CPS_LOCK_MUTEX));
	cr_assert(cps_lock_has_waiters(other, CPS_LOCK_MUTEX));
	cps_lock_leave(&call);
	cr_assert_not(cps_lock_has_waiters(other, CPS_LOCK_MUTEX));
}

Test(lock, a_wait_that_was_left_is_found_when_locks_are_given_back)
{
	begin();
	enter(object, CPS_LOCK_MUTEX, 5000);
	cps_lock_blame(object, CPS_LOCK_MUTEX);
	cr_assert_not(cps_lock_has_waiters(object, CPS_LOCK_MUTEX));
}

Test(lock, a_wait_that_was_left_is_found_at_a_tick)
{
	struct cps_credit none;
	ucontext_t context = {.uc_flags = 0};

	begin();
	enter(object, CPS_LOCK_MUTEX, 5000);
	context.uc_mcontext.gregs[REG_RSP] = 4900;
	cr_assert_not(cps_lock_rider.at_tick(thread, &context, cps_moment_ns(), 0, &none));
	cr_assert(cps_lock_has_waiters(object, CPS_LOCK_MUTEX), "a tick within the wait");
	context.uc_mcontext.gregs[REG_RSP] = 6000;
	cr_assert_not(cps_lock_rider.at_tick(thread, &context, cps_moment_ns(), 0, &none));
	cr_assert_not(cps_lock_has_waiters(object, CPS_LOCK_MUTEX));
}

Test(lock, a_thread_that_ends_waits_no_more)
{
	begin();
	enter(object, CPS_LOCK_CONDITION, 5000);
	cps_lock_disarm(thread);
	cr_assert_not(cps_lock_has_waiters(object, CPS_LOCK_CONDITION));
}

/* What was credited by others when the recording paused, and what has passed until it went on, is not credited again. */
Test(lock, a_pause_does_not_count)
{
	struct cps_lock_call call;
	uint64_t before, slept;

	begin();
	before = cps_moment_ns();
	call = enter(object, CPS_LOCK_MUTEX, 5000);
	slept = rest(50000000);
	cps_lock_rider.skip(thread, 0);
	cps_lock_leave(&call);
	cr_assert_leq(cps_lock_take_counted(thread), cps_moment_ns() - before - slept);
}
