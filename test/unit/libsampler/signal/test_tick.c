/* SPDX-License-Identifier: MIT */
/*
 * test_tick.c - what ticks are credited with, by clocks that the test controls.
 *
 * The meter is a number, and so is the time: the handler reads it from a vDSO that the test makes.
 * Ticks of an event come at multiples of its period in the thread's time, or later.
 */
#include <criterion/criterion.h>
#include <elf.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

#include "libsampler/base/moment.h"
#include "libsampler/base/sys.h"
#include "libsampler/format.h"
#include "libsampler/signal/gate.h"
#include "libsampler/signal/sample.h"
#include "libsampler/stream/journal.h"
#include "libsampler/stream/loss.h"
#include "own_modules.h"
#include "recording_fixture.h"

#define PERIOD	 UINT64_C(1000000)
#define SIGNAL	 SIGUSR2
#define IN_A_ROW 16u /* at least one of so many ticks asks the meter */

#define BEGIN (50 * PERIOD) /* the thread's time when it is first recorded */

static uint64_t wall = 1000 * PERIOD, cpu = BEGIN, sum;
static unsigned asked;
static uint64_t step; /* how long the handler takes from one look at the time to the next */
static struct cps_thread *thread;
static struct recording_fixture recording;

static uint64_t read_meter(void)
{
	asked++;
	return cpu;
}

static bool is_mine(const siginfo_t *info)
{
	(void)info;
	return true;
}

static const struct cps_meter meter = {
	.signal = SIGNAL, .is_mine = is_mine, .read = read_meter, .scale = 1000};

static int tell(clockid_t clock, struct timespec *t)
{
	(void)clock;
	wall += step;
	t->tv_sec = (time_t)(wall / 1000000000);
	t->tv_nsec = (long)(wall % 1000000000);
	return 0;
}

static struct {
	ElfW(Ehdr) header;
	ElfW(Phdr) load, dynamic;
	ElfW(Dyn) tags[4];
	ElfW(Sym) symbols[2];
	char names[32];
	uint32_t hash[2];
} image;

static void make_clock(void)
{
	uintptr_t base = (uintptr_t)&image;

	image.header.e_phoff = (uintptr_t)&image.load - base;
	image.header.e_phnum = 2;
	image.load.p_type = PT_LOAD;
	image.dynamic.p_type = PT_DYNAMIC;
	image.dynamic.p_offset = image.dynamic.p_vaddr = (uintptr_t)image.tags - base;
	image.tags[0].d_tag = DT_SYMTAB;
	image.tags[0].d_un.d_ptr = (uintptr_t)image.symbols - base;
	image.tags[1].d_tag = DT_STRTAB;
	image.tags[1].d_un.d_ptr = (uintptr_t)image.names - base;
	image.tags[2].d_tag = DT_HASH;
	image.tags[2].d_un.d_ptr = (uintptr_t)image.hash - base;
	memcpy(image.names + 1, "__vdso_clock_gettime", sizeof("__vdso_clock_gettime"));
	image.symbols[1].st_name = 1;
	image.symbols[1].st_value = (uintptr_t)tell - base;
	image.hash[1] = 2;
	cps_moment_prepare(base);
	cr_assert_eq(cps_moment_ns(), wall);
}

static void begin(void)
{
	const struct cps_identity identity = {.exe = "/bin/test",
					      .resource = "cpu",
					      .unit = "ns",
					      .engine = "perf",
					      .scale = 1000,
					      .interval = 1000000};

	own_modules_init(NULL);
	make_clock();
	recording_fixture_prepare(&recording, identity, 0);
	thread = cps_thread_take();
	cps_thread_enter(thread, 0);
	cps_reading_begin(thread, PERIOD);
	thread->consumed = cpu;
	cps_sample_use(&meter, NULL);
	cr_assert(cps_gate_open());
}

static int add(void *context, const struct event_sample *e, struct error *err)
{
	(void)context;
	(void)err;
	sum += e->weight;
	return 0;
}

/* The sum of the samples' weights is what was credited. */
static void weighs_what_was_credited(void)
{
	const struct event_sink sink = {.sample = add};

	cr_assert(cps_recording_end(0, CPS_STOP_NONE));
	recording_fixture_read(&recording, &sink);
	cr_assert_eq(sum + thread->remainder + cps_own_time_sum(), thread->consumed - BEGIN);
}

static void end(void)
{
	cps_moment_ask_kernel();
	recording_fixture_remove(&recording);
}

TestSuite(tick, .init = begin, .fini = end);

/* Advances the time, and the thread's own, and sends a tick. */
static const uint8_t system_call[128] = {
	[30] = 0x0f, 0x05, 0x06}; /* the unwinder looks around it, up to what is no instruction */
static bool is_in_call;		  /* ticks come at the end of a system call */

static void tick(uint64_t wall_more, uint64_t cpu_more)
{
	siginfo_t info = {.si_code = SI_TKILL};
	ucontext_t here;

	wall += wall_more;
	cpu += cpu_more;
	getcontext(&here);
	if (is_in_call)
		here.uc_mcontext.gregs[REG_RIP] = (greg_t)(uintptr_t)(system_call + 32);
	cps_sample_handler(SIGNAL, &info, &here);
}

/* Compares what was credited, and what is left for the next sample, with what was used. */
static int64_t credited_too_much(void)
{
	return (int64_t)(thread->consumed - cpu);
}

Test(tick, in_time_asks_seldom_and_credits_the_same)
{
	for (unsigned i = 1; i <= 64; i++) {
		tick(PERIOD, PERIOD);
		cr_assert_eq(credited_too_much(), 0);
	}
	cr_assert_eq(asked,
		     8); /* distances of 1, 3, 7, three times 15, and once for the recording */
	cr_assert_eq(thread->left_over, 0);
	weighs_what_was_credited();
}

Test(tick, late_or_put_aside_is_asked)
{
	tick(PERIOD, PERIOD);
	for (unsigned i = 1; i <= 20; i++) {
		asked = 0;
		tick(5 * PERIOD, 5 * PERIOD); /* a long system call */
		cr_assert_eq(asked, 1);
		cr_assert_eq(credited_too_much(), 0);
		tick(3 * PERIOD, PERIOD); /* another program ran */
		cr_assert_eq(asked, 2);
		cr_assert_eq(credited_too_much(), 0);
	}
	weighs_what_was_credited();
}

/* The signal is delayed for a while. */
Test(tick, delays_do_not_add_up)
{
	uint64_t delay = 0;

	srand(4711);
	for (unsigned i = 1; i <= 5000; i++) {
		uint64_t next = (uint64_t)rand() % (PERIOD / 9);

		tick(PERIOD + next - delay, PERIOD + next - delay);
		delay = next;
		cr_assert_leq(llabs(credited_too_much()), (int64_t)PERIOD / 9);
	}
	cr_assert_leq(asked, 5000 / IN_A_ROW + 4);
	weighs_what_was_credited();
}

/* The thread's clock leaves out an increasing part of the time in which its event ticks. */
Test(tick, ahead_of_the_clock_is_found_out)
{
	ucontext_t here;

	getcontext(&here);
	for (unsigned part = 0; part <= 40; part++) {
		for (unsigned i = 1; i <= 100; i++) {
			tick(PERIOD, PERIOD - part * (PERIOD / 100) - 7);
			cr_assert_lt(credited_too_much(), (int64_t)PERIOD / 3, "at %u %%", part);
		}
		cps_sample_tail(thread, &here); /* as before a pause */
		cps_recording_flush();
		cr_assert_lt(credited_too_much(), (int64_t)PERIOD / 3, "at %u %%", part);
	}
	cr_assert_eq(thread->left_over, 0);
	asked = 0;
	for (unsigned i = 1; i <= 100; i++)
		tick(PERIOD, PERIOD / 2);
	cr_assert_eq(asked, 100);
	cr_assert_eq(credited_too_much(), 0);
	asked = 0;
	for (unsigned i = 1; i <= 100; i++)
		tick(PERIOD, PERIOD); /* the machine is idle again */
	cr_assert_lt(asked, 15);
	weighs_what_was_credited();
}

/* What was credited too much is taken back at the next tick, and each tick is a sample. */
Test(tick, suddenly_ahead_of_the_clock)
{
	for (unsigned i = 1; i <= 31; i++)
		tick(PERIOD, PERIOD);
	for (unsigned i = 1; i <= 100; i++)
		tick(PERIOD, PERIOD * 4 / 5);
	cr_assert_eq(cps_recording_ticks(), 131);
	cr_assert_eq(thread->left_over, 0);
	cr_assert_eq(credited_too_much(), 0);
	weighs_what_was_credited();
}

Test(tick, that_waited_is_no_sample)
{
	uint64_t ticks;

	tick(PERIOD, PERIOD);
	ticks = cps_recording_ticks();
	tick(PERIOD / 10, PERIOD / 10);
	cr_assert_eq(cps_recording_ticks(), ticks);
	cr_assert_eq(thread->left_over, 1);
	tick(PERIOD, PERIOD);
	cr_assert_eq(cps_recording_ticks(), ticks + 1);
	cr_assert_eq(credited_too_much(), 0);
	weighs_what_was_credited();
}

/* After a new event with another period, the time of the last tick is not known. */
Test(tick, a_new_event_is_asked)
{
	for (unsigned i = 1; i <= 3; i++)
		tick(PERIOD, PERIOD);
	cps_reading_begin(thread, 2 * PERIOD);
	asked = 0;
	tick(2 * PERIOD, PERIOD);
	cr_assert_eq(asked, 1);
	cr_assert_eq(credited_too_much(), 0);
	tick(2 * PERIOD, 2 * PERIOD);
	cr_assert_eq(asked, 1);
	cr_assert_eq(credited_too_much(), 0);
	weighs_what_was_credited();
}

/* What the handler takes is not credited to the thread. */
Test(tick, in_a_slow_handler)
{
	uint64_t own;

	step = 2000;
	for (unsigned i = 1; i <= 50; i++) {
		uint64_t before = wall;

		own = cps_own_time_sum();
		tick(PERIOD, PERIOD);
		own = cps_own_time_sum() - own;
		cr_assert_geq(own, step);
		cr_assert_leq(own, wall - before - PERIOD);
		cr_assert_eq(credited_too_much(), (int64_t)own);
		wall = before + PERIOD;
	}
	cr_assert_eq(cps_own_time_kernel(), 0);
	weighs_what_was_credited();
}

/* Another program runs while the handler is interrupted. */
Test(tick, in_a_handler_that_is_put_aside)
{
	step = PERIOD;
	for (unsigned i = 1; i <= 50; i++)
		tick(PERIOD, PERIOD);
	cr_assert_eq(cps_own_time_sum(), 0);
	weighs_what_was_credited();
}

/* Ticks come 30 us late, because the kernel has work to do for them, and some much later. */
Test(tick, charges_the_work_of_the_kernel)
{
	const uint64_t late = 30000;

	cps_reading_await(thread, cpu);
	tick(PERIOD + late, PERIOD + late);
	cr_assert_eq(cps_own_time_sum(), 0); /* nothing is known yet */
	for (unsigned i = 1; i <= 6; i++)
		tick(PERIOD, PERIOD);
	cr_assert_eq(cps_own_time_kernel(), 6 * late);
	cr_assert_eq(cps_own_time_sum(), 6 * late);
	cps_own_time_reset();
	for (unsigned event = 0; event < 50; event++) {
		cps_reading_await(thread, cpu - late);
		for (unsigned i = 1; i <= 8; i++) {
			uint64_t more = i == 4 ? PERIOD / 3 : 0;

			tick(PERIOD + more, PERIOD + more);
			cpu -= more;
			wall -= more;
		}
	}
	thread->consumed = cpu; /* the time that was taken back */
	cr_assert_gt(cps_own_time_kernel(), 50 * 8 * late * 3 / 4);
	cr_assert_lt(cps_own_time_kernel(), 50 * 8 * late * 5 / 4);
}

/* A tick within a system call is brought when the call ends, however long that takes. */
Test(tick, learns_nothing_from_the_end_of_a_call)
{
	is_in_call = true;
	for (unsigned event = 0; event < 50; event++) {
		cps_reading_await(thread, cpu - PERIOD / 20);
		for (unsigned i = 1; i <= 8; i++)
			tick(PERIOD, PERIOD);
	}
	cr_assert_eq(cps_own_time_kernel(), 0);
	weighs_what_was_credited();
}

/* The kernel's work for a tick is never more than what the thread has used. */
Test(tick, charges_no_more_than_was_used)
{
	const uint64_t late = PERIOD / 2;

	cps_own_time_learn(late);
	for (unsigned i = 1; i <= 50; i++)
		tick(2 * PERIOD, PERIOD * 6 / 10);
	cr_assert_eq(credited_too_much(), 0);
	cr_assert_eq(cps_own_time_kernel(), 50 * UINT64_C(60000)); /* more is not believed */
	weighs_what_was_credited();
}

/* While a thread ends, other threads use all buffers, and its time cannot be credited. The next thread
 * that ends is credited with it. */
Test(tick, of_a_thread_that_ended_in_a_crowd)
{
	const struct event_sink sink = {.sample = add};
	struct cps_buffer *held[CPS_BUFFERS + 1];

	tick(PERIOD, PERIOD);
	cpu += 5 * PERIOD;
	for (uint32_t i = 0; i <= CPS_BUFFERS; i++)
		held[i] = cps_journal_acquire_number(i);
	cps_sample_tail(thread, NULL);
	for (uint32_t i = 0; i <= CPS_BUFFERS; i++)
		cps_journal_release(held[i]);
	thread->consumed = cpu; /* another thread begins */
	cpu += 3 * PERIOD;
	cps_sample_tail(thread, NULL);
	cr_assert(cps_recording_end(0, CPS_STOP_NONE));
	recording_fixture_read(&recording, &sink);
	cr_assert_eq(sum, 9 * PERIOD);
}

static int add_first_thread(void *context, const struct event_sample *e, struct error *err)
{
	return e->thread ? 0 : add(context, e, err);
}

/* A clock has credited the last ticks ahead. What the thread has not used when it ends is taken back from its
 * own samples, and not from those of another thread, whose buffer is asked first if all are asked. */
Test(tick, ahead_is_taken_back_at_the_end)
{
	const struct event_sink sink = {.sample = add_first_thread};

	for (unsigned i = 0; i < 4; i++)
		tick(PERIOD, PERIOD);
	thread->id = CPS_BUFFERS - 1;
	tick(PERIOD, PERIOD);
	thread->id = 0;
	cpu -= PERIOD * 3 / 2;
	cps_sample_tail(thread, NULL);
	cr_assert(cps_recording_end(0, CPS_STOP_NONE));
	recording_fixture_read(&recording, &sink);
	cr_assert_eq(sum, 4 * PERIOD - PERIOD * 3 / 2);
}

/* The same, of a thread that has no samples: it is owed for those of threads that have ended. */
Test(tick, ahead_is_taken_back_from_others)
{
	const struct event_sink sink = {.sample = add};

	tick(PERIOD, PERIOD);
	tick(PERIOD, PERIOD);
	thread->id += 1;
	thread->announced = true;
	cpu -= PERIOD / 2;
	cps_sample_tail(thread, NULL);
	cr_assert(cps_recording_end(0, CPS_STOP_NONE));
	recording_fixture_read(&recording, &sink);
	cr_assert_eq(sum, 2 * PERIOD - PERIOD / 2);
}
