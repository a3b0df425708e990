/* SPDX-License-Identifier: MIT */
/*
 * test_off_cpu.c - of the time of a call, what was not CPU time is blocked; the rest of a thread's time off the CPU
 * is stalled, but for what the kernel says that it was ready; and another thread sees where a thread is blocked.
 *
 * Seen to fail: with a first interval that had begun before the thread; with all of a call's time taken for blocked; without a note; when a call inside of a handler of the
 * target's replaced the note of the one that it had interrupted; when a tick left a note that nobody would take back;
 * when after the end the time was read at each call; when a call had what the thread was ready as its own state; when it had
 * what that was before the call.
 */
#include <criterion/criterion.h>
#include <time.h>

#include "libsampler/base/moment.h"
#include "libsampler/clock/clock.h"
#include "libsampler/resource/off_cpu.h"
#include "libsampler/resource/point.h"
#include "libsampler/resource/resource.h"
#include "libsampler/setup/wanted.h"
#include "libsampler/signal/gate.h"

#define MS 1000000u

static uint64_t cpu;
static struct cps_thread *thread;

static uint64_t read_cpu(void)
{
	return cpu;
}

static uint64_t read_cpu_of(const struct cps_thread *t)
{
	(void)t;
	return cpu;
}

static const struct cps_meter meter = {
	.signal = 32, .read = read_cpu, .read_of = read_cpu_of, .scale = 1000};

/* The interval is so long that nothing becomes a sample, for which there would have to be a recording. */
static void begin_with(const char *resources)
{
	struct cps_clock_settings settings = {.jitter = true, .is_seeded = true, .seed = 11};
	struct cps_identity identity = {
		.resource = "cpu", .unit = "ns", .scale = 1000, .interval = MS};
	struct cps_wanted_resources wanted;
	char choices[600];

	cr_assert_eq(cps_wanted_read(resources, &wanted, &settings, choices, sizeof(choices)), 0);
	cr_assert(cps_resource_needs_clock(&wanted));
	thread = cps_thread_take();
	cps_thread_enter(thread, 0);
	cps_sample_use(&meter, NULL);
	cr_assert(cps_gate_open());
	cps_resource_begin(&wanted, &identity);
	cr_assert(cps_blocking_is_watched());
}

static void begin(void)
{
	begin_with("cpu,real:3600s");
}

/* Samples are taken, and there is no place for a recording of them. */
static void begin_to_sample(void)
{
	static struct cps_identity identity = {
		.resource = "cpu", .unit = "ns", .scale = 1000, .interval = MS};
	static const struct cps_output output = {
		.stem = "/no/such/directory/r", .suffix = ".cps", .identity = &identity};

	cps_recording_prepare(&output);
	begin_with("cpu,real:10ms");
}

/* A call that lasts so long, at least; all but `used` of it is blocked. Returns how long it was. */
static __attribute__((noinline)) uint64_t call(uint32_t state, long ms, uint64_t used)
{
	struct timespec t = {0, ms * MS};
	uint64_t begun = cps_moment_ns();
	struct cps_blocking_call c = {NULL, 0, 0x1234, state, 0, 0};

	cps_blocking_begin(&c);
	cr_assert(c.noted & CPS_BLOCKING_REAL);
	nanosleep(&t, NULL);
	cpu += used;
	cps_blocking_end(&c);
	return cps_moment_ns() - begun;
}

static uint64_t blocked(void)
{
	return cps_point_consumed(thread, CPS_RESOURCE_OF_real);
}

Test(off_cpu, is_what_a_call_has_not_used)
{
	uint64_t lasted;

	begin();
	lasted = call(CPS_WAIT, 20, 0);
	cr_assert(blocked() >= 20 * MS && blocked() <= lasted, "%lu of %lu", blocked(), lasted);
	cr_assert_eq(cps_state_of(thread)->off_cpu.state, CPS_WAIT);
	lasted = blocked();
	lasted += call(CPS_IO, 20, 15 * MS);
	cr_assert(blocked() >= 25 * MS && blocked() <= lasted - 14 * MS, "%lu of %lu", blocked(),
		  lasted);
	cr_assert_eq(cps_state_of(thread)->off_cpu.state, CPS_IO);
}

Test(off_cpu, before_a_call_is_not_the_calls)
{
	struct timespec before = {0, 30 * MS};
	uint64_t lasted;

	begin();
	nanosleep(&before, NULL); /* not wrapped here */
	lasted = call(CPS_WAIT, 10, 0);
	cr_assert(blocked() <= lasted, "%lu of %lu", blocked(), lasted);
	cr_assert_geq(cps_state_of(thread)->off_cpu.due, 30 * (int64_t)MS);
	cr_assert_geq(cps_off_cpu_take_counted(thread), 40 * MS);
}

Test(off_cpu, of_a_short_call_is_settled_later)
{
	begin();
	for (int i = 0; i < 1000; i++) {
		struct cps_blocking_call c = {NULL, 0, 0x1234, CPS_IO, 0, 0};

		cps_blocking_begin(&c);
		cps_blocking_end(&c);
	}
	cr_assert_eq(cps_state_of(thread)->off_cpu.sleep.sequence % 2, 0);
	call(CPS_WAIT, 1, 0);
	cr_assert_leq(blocked() + (uint64_t)cps_state_of(thread)->off_cpu.due,
		      cps_moment_ns() - cps_state_of(thread)->off_cpu.settled_at +
			      cps_state_of(thread)->off_cpu.counted);
}

/* What is left over at a thread's end is credited. So nothing may be that was before its beginning. */
Test(off_cpu, the_first_interval_begins_with_the_thread)
{
	const struct cps_point *p;

	begin();
	p = &cps_state_of(thread)->points[CPS_RESOURCE_OF_real];
	cr_assert_neq(p->current, 0);
	cr_assert_eq((uint64_t)p->left, p->current);
	call(CPS_WAIT, 1, 0);
	cr_assert_eq(p->current - (uint64_t)p->left, blocked());
}

Test(off_cpu, a_thread_tells_where_it_is_blocked)
{
	uint64_t regs[CPS_REGS_KEPT] = {1, 5000, 3}, inner[CPS_REGS_KEPT] = {1, 4000, 3};
	struct cps_blocking_call c = {.state = CPS_LOCK, .leaf = 77}, d = {.state = CPS_IO};
	struct cps_sleep *sleep, seen = {.since = 0};
	ucontext_t context = {.uc_flags = 0};

	begin();
	sleep = &cps_state_of(thread)->off_cpu.sleep;
	cr_assert_not(cps_sleeper_read(sleep, &seen));
	cps_blocking_enter(&c, regs);
	cr_assert(cps_sleeper_read(sleep, &seen));
	cr_assert_eq(seen.leaf, 77);
	cr_assert_eq(seen.state, CPS_LOCK);
	cr_assert_eq(seen.regs[1], 5000);
	cps_blocking_enter(&d, inner);
	cr_assert_eq(d.noted, 0, "the call of a handler");
	cps_blocking_leave(&d);
	cr_assert(cps_sleeper_read(sleep, &seen) && seen.state == CPS_LOCK);
	context.uc_mcontext.gregs[REG_RSP] = 4900;
	cr_assert_not(cps_sleeper_is_left(sleep, &context), "a tick within the call");
	context.uc_mcontext.gregs[REG_RSP] = 6000;
	cr_assert(cps_sleeper_is_left(sleep, &context), "a tick after a longjmp");
	cr_assert_not(cps_sleeper_read(sleep, &seen));
	cps_blocking_enter(&d, inner);
	cr_assert(d.noted && cps_sleeper_read(sleep, &seen));
	cps_blocking_leave(&d);
	cr_assert_not(cps_sleeper_read(sleep, &seen));
}

/* As if the thread had been ready for so much longer since the kernel was asked. */
static void be_ready(uint64_t ns)
{
	uint64_t said;

	if (!cps_ready_read(thread, &said))
		cr_skip_test("the kernel has no schedstat");
	cps_state_of(thread)->off_cpu.said = said - ns;
}

Test(off_cpu, of_a_call_what_it_was_ready_has_another_state)
{
	const struct cps_off_cpu *o;
	uint64_t most;

	begin_to_sample();
	o = &cps_state_of(thread)->off_cpu;
	be_ready(30 * MS);
	call(CPS_WAIT, 60, 0);
	most = cps_state_of(thread)->points[CPS_RESOURCE_OF_real].passed;
	cr_assert_geq(most, 30 * MS, "it has a sample");
	most += (uint64_t)o->due; /* before the call */
	cr_assert_leq(o->weight, most - 25 * MS, "%lu of %lu", o->weight, most);
	cr_assert_lt(o->ready, 5 * (int64_t)MS + o->due);
	cr_assert_eq(o->ready_part, 0, "a sample was tried");
}

Test(off_cpu, what_it_was_ready_before_a_call_is_not_the_calls)
{
	struct timespec before = {0, 40 * MS};
	const struct cps_off_cpu *o;

	begin_to_sample();
	o = &cps_state_of(thread)->off_cpu;
	nanosleep(&before, NULL); /* not wrapped here */
	be_ready(30 * MS);
	call(CPS_WAIT, 30, 0);
	cr_assert_geq(o->weight, 10 * MS, "it has a sample");
	cr_assert_geq(o->ready, 30 * (int64_t)MS);
	cr_assert_geq(o->due + 5 * (int64_t)MS, o->ready);
}

Test(off_cpu, who_has_ended_makes_no_call_slower)
{
	begin();
	cps_resource_end();
	cr_assert_not(cps_blocking_is_watched());
}
