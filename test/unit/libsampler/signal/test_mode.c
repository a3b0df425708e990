/* SPDX-License-Identifier: MIT */
/*
 * test_mode.c - samples of a clock are told apart by whether they have met the thread in the kernel, and what both parts
 * are credited with is what the clock has measured.
 *
 * The meter is a number. Ticks come in contexts that the test makes.
 *
 * Seen to fail: when only the end of a call was looked at, not one that is made again; when rcx was not compared; with
 * `user` alone, whose recording had an atom that nothing counts; when weights were taken back of another atom's
 * samples, and when threads were looked for by the numbers that batches have.
 */
#include <criterion/criterion.h>
#include <string.h>
#include <ucontext.h>

#include "libsampler/clock/clock.h"
#include "libsampler/resource/resource.h"
#include "libsampler/setup/wanted.h"
#include "libsampler/signal/gate.h"
#include "libsampler/signal/sample.h"
#include "libsampler/stream/atoms.h"
#include "libsampler/stream/batch.h"
#include "own_modules.h"
#include "recording_fixture.h"

#define MS	 UINT64_C(1000000)
#define US	 1000u
#define BEHIND	 32 /* where in `code` a system call ends; elsewhere is none */
#define NO_CALL	 64
#define ITS_CALL (BEHIND - 2)

/* The walk reads code beyond the places at which the ticks come. */
static const uint8_t code[1024] = {[ITS_CALL] = 0x0f, 0x05, 0x06};

static uint64_t cpu;
static struct cps_thread *thread;
static struct recording_fixture recording;
static const char *taken; /* the resource that is read */
static uint64_t weight_read;

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
	.signal = 32, .read = read_cpu, .read_of = read_cpu_of, .scale = US};

static void begin(const char *resources)
{
	struct cps_clock_settings settings = {.interval_ns = 0}; /* the clock's own */
	struct cps_identity identity = {.exe = "/bin/test",
					.resource = "cpu",
					.unit = "ns",
					.engine = "test",
					.scale = US,
					.interval = MS};
	struct cps_wanted_resources wanted;
	char choices[600];

	cr_assert_eq(cps_wanted_read(resources, &wanted, &settings, choices, sizeof(choices)), 0);
	cr_assert(cps_resource_needs_clock(&wanted));
	own_modules_init(NULL);
	recording_fixture_prepare(&recording, identity, 0);
	thread = cps_thread_take();
	cps_thread_enter(thread, 0);
	cps_sample_use(&meter, NULL);
	cr_assert(cps_gate_open());
	cps_resource_begin(&wanted, &identity);
}

static void end(void)
{
	recording_fixture_remove(&recording);
}

TestSuite(mode, .fini = end);

/* A context at this place of the code, with rcx as a system call that ends at the other place leaves it. */
static ucontext_t context(int at, int call_end)
{
	ucontext_t c;

	getcontext(&c);
	c.uc_mcontext.gregs[REG_RIP] = (greg_t)(uintptr_t)(code + at);
	c.uc_mcontext.gregs[REG_RCX] = (greg_t)(uintptr_t)(code + call_end);
	return c;
}

static void tick(int at, int call_end, uint64_t ns)
{
	ucontext_t c = context(at, call_end);

	cpu += ns;
	cps_sample_take(thread, &c, cpu, 0, false);
}

static int choose(void *ctx, const struct event_process *e, const struct event_sink **next,
		  struct error *err)
{
	(void)ctx, (void)next, (void)err;
	return strlen(taken) == e->resource.length &&
			       memcmp(e->resource.bytes, taken, e->resource.length) == 0
		       ? 0
		       : EVENT_DECLINED;
}

static int add(void *ctx, const struct event_sample *e, struct error *err)
{
	(void)ctx, (void)err;
	weight_read += e->weight;
	return 0;
}

static uint64_t credited(const char *resource)
{
	const struct event_sink sink = {.process = choose, .sample = add};

	taken = resource;
	weight_read = 0;
	recording_fixture_read(&recording, &sink);
	return weight_read;
}

Test(mode, parts_are_the_whole)
{
	begin("cpu,user,system");
	for (uint64_t i = 1; i <= 50; i++) {
		tick(BEHIND, BEHIND, 7 * MS);
		tick(ITS_CALL, BEHIND, 5 * MS); /* it is to be made again */
		tick(NO_CALL, NO_CALL, 3 * MS);
		tick(NO_CALL, NO_CALL + 2, 2 * MS);
		tick(BEHIND, NO_CALL, MS); /* the code has jumped there */
	}
	cr_assert(cps_recording_end(0, CPS_STOP_NONE));
	cr_assert_eq(credited("system"), 600 * MS);
	cr_assert_eq(credited("user"), 300 * MS);
	cr_assert_eq(credited("cpu"), 900 * MS);
}

Test(mode, of_real_all_are_running)
{
	begin("real,system");
	tick(BEHIND, BEHIND, 7 * MS);
	tick(NO_CALL, NO_CALL, 3 * MS);
	cr_assert(cps_recording_end(0, CPS_STOP_NONE));
	cr_assert_eq(credited("system"), 7 * MS);
	cr_assert_eq(credited("user"), 3 * MS);
	cr_assert_eq(credited("real"), 10 * MS);
}

Test(mode, one_part_brings_the_other)
{
	begin("user");
	tick(BEHIND, BEHIND, 7 * MS);
	tick(NO_CALL, NO_CALL, 3 * MS);
	cr_assert(cps_recording_end(0, CPS_STOP_NONE));
	cr_assert_eq(credited("user"), 3 * MS);
	cr_assert_eq(credited("system"), 7 * MS);
}

Test(mode, is_not_asked_for)
{
	ucontext_t c = context(BEHIND, BEHIND);
	struct cps_kernel_chain chain;

	begin("cpu");
	cr_assert(cps_atoms_are_plain());
	cr_assert_eq(cps_mode_atom(thread, &c, &chain), 0);
	tick(BEHIND, BEHIND, 7 * MS);
	cr_assert(cps_recording_end(0, CPS_STOP_NONE));
	cr_assert_eq(credited("cpu"), 7 * MS);
}

/* What a clock has credited ahead is taken back of its own samples. */
Test(mode, is_taken_back_of_the_clocks_samples)
{
	const struct cps_credit stalled = {.weight = 1000, .atom = 2};
	struct cps_thread *other;

	begin("cpu,real,user");
	cr_assert(!cps_atoms_is_clocks(stalled.atom));
	other = cps_thread_take();
	tick(NO_CALL, NO_CALL, 2 * MS);
	tick(BEHIND, BEHIND, 3 * MS);
	cr_assert(cps_sample_add_not_sampled(thread, &stalled));
	cr_assert_eq(cps_latest_take_back(other->id, 1), 0);
	cr_assert_eq(cps_latest_take_back(thread->id, 4000), 4000);
	cr_assert_eq(cps_latest_take_back(CPS_LATEST_ANY, 4000), 1000);
	cr_assert(cps_recording_end(0, CPS_STOP_NONE));
	cr_assert_eq(credited("cpu"), 0);
	cr_assert_eq(credited("real"), MS);
}

static uint64_t interval_of(const char *resources)
{
	struct cps_clock_settings settings = {.interval_ns = 0}; /* the clock's own */
	struct cps_wanted_resources wanted;
	char choices[600];

	cr_assert_eq(cps_wanted_read(resources, &wanted, &settings, choices, sizeof(choices)), 0);
	return settings.interval_ns;
}

Test(mode, has_the_clocks_interval, .fini = NULL)
{
	cr_assert_eq(interval_of("user,system"), 0);
	cr_assert_eq(interval_of("user:5ms"), 5 * MS);
	cr_assert_eq(interval_of("cpu:5ms,user"), 5 * MS);
	cr_assert_eq(interval_of("cpu:5ms,system:2ms"), 2 * MS);
	cr_assert_eq(interval_of("system:2ms,cpu:5ms"), 2 * MS);
	cr_assert_eq(interval_of("real:5ms,user"), 5 * MS);
}
