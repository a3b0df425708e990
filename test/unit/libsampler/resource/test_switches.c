/* SPDX-License-Identifier: MIT */
/*
 * test_switches.c - what happens in a call is the call's, and what happens before it is due to the thread; and who
 * is interrupted while a thread's state is in use finds it whole.
 *
 * Seen to fail: without the look at the records when a call begins; when a handler took the state from who it has
 * interrupted.
 */
#include <criterion/criterion.h>
#include <sys/resource.h>
#include <time.h>

#include "libsampler/clock/clock.h"
#include "libsampler/resource/point.h"
#include "libsampler/resource/resource.h"
#include "libsampler/setup/wanted.h"
#include "libsampler/resource/off_cpu.h"
#include "libsampler/resource/switches.h"
#include "libsampler/signal/gate.h"

static struct cps_thread *thread;

static uint64_t read_nothing(void)
{
	return 0;
}

static struct cps_meter meter = {.signal = 32, .scale = 1};

/* The interval is so long that nothing becomes a sample, for which there would have to be a recording. */
static void begin(void)
{
	struct cps_clock_settings settings = {.jitter = true, .is_seeded = true, .seed = 11};
	struct cps_identity identity = {.resource = "cpu", .unit = "ns", .scale = 1000};
	struct cps_wanted_resources wanted;
	char choices[600];

	cr_assert_eq(cps_wanted_read("switches:1G", &wanted, &settings, choices, sizeof(choices)),
		     0);
	thread = cps_thread_take();
	cps_thread_enter(thread, 0);
	cps_sample_use(&meter, NULL);
	cr_assert(cps_gate_open());
	cps_resource_begin(&wanted, &identity);
	cr_assert(cps_blocking_is_watched());
}

static void nap(void)
{
	struct timespec moment = {0, 100000};

	nanosleep(&moment, NULL);
}

static void call(void (*f)(void))
{
	struct cps_blocking_call c = {NULL, 0, 0x1234, 0, 0, 0};

	cps_blocking_begin(&c);
	cr_assert(c.noted & CPS_BLOCKING_SWITCHES);
	f();
	cps_blocking_end(&c);
}

/* What was credited to calls so far. */
static uint64_t credited(void)
{
	return cps_point_consumed(thread, CPS_RESOURCE_OF_switches);
}

/* Blocked ones; of the others there may be any number. */
static uint64_t due(void)
{
	return atomic_load(&cps_state_of(thread)->switches.due_blocked);
}

static void nothing(void)
{
}

/* Other programs may preempt this one at any time. */
Test(switches, of_a_call_are_the_calls)
{
	begin();
	for (int i = 0; i < 20; i++)
		call(nap);
	cr_assert_geq(credited(), 20);
	cr_assert_eq(due(), 0);
}

Test(switches, before_a_call_are_due)
{
	meter.read = read_nothing;
	begin();
	for (int i = 0; i < 5; i++)
		nap();
	call(nothing);
	if (cps_state_of(thread)->switches.records)
		cr_assert_eq(due(), 5, "%lu are due", due());
	cr_assert_lt(credited(), 5);
}

Test(switches, that_are_due_are_credited_where_no_tick_will_come)
{
	begin();
	for (int i = 0; i < 5; i++)
		nap();
	call(nothing);
	call(nothing);
	cr_assert_eq(due(), 0);
	cr_assert(!cps_state_of(thread)->switches.records || credited() >= 5);
}

Test(switches, of_pauses_do_not_count)
{
	struct rusage usage;
	uint64_t before;

	/* Before they are counted: on a busy machine there may be one between the two. */
	getrusage(RUSAGE_SELF, &usage);
	before = (uint64_t)(usage.ru_nvcsw + usage.ru_nivcsw);
	begin();
	call(nap);
	cps_gate_pause();
	cps_resource_pause();
	for (int i = 0; i < 20; i++)
		call(nap);
	cr_assert_lt(credited(), 20);
	cps_sample_skip(NULL);
	cps_gate_resume();
	cps_resource_resume();
	call(nap);
	cps_resource_end();
	getrusage(RUSAGE_SELF, &usage);
	before = (uint64_t)(usage.ru_nvcsw + usage.ru_nivcsw) - before;
	cr_assert_leq(cps_switches_counted(0), before - 20);
	cr_assert_geq(cps_switches_counted(0), 2);
}

/* A handler that interrupts it is called further down the stack. */
Test(switches, are_not_read_by_two_at_a_time)
{
	uint64_t before;

	begin();
	call(nap);
	before = credited();
	nap();
	atomic_store(&thread->held, UINTPTR_MAX);
	call(nap);
	cr_assert_eq(credited(), before, "in use by who was interrupted");
	atomic_store(&thread->held, 100);
	call(nap);
	cr_assert_geq(credited(), before + 1, "left by a longjmp");
	cr_assert_eq(atomic_load(&thread->held), 0);
}
