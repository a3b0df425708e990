/* SPDX-License-Identifier: MIT */
/*
 * test_misses.c - shots become rarer for threads that hardly run, and not for others.
 *
 * Seen to fail: when misses of a thread that runs half of the time were not weighed against what it uses; when
 * they were too many for threads that do not sleep, or that run for a tenth of the time; when any sleep counted as one of
 * a blocked thread; and when ticks were samples after each third of ten shots, or for ever;
 * when nothing was learnt of how late shots come, or without a bound; and when sleeps were not weighed against CPU time,
 * or not counted again after the last tick.
 */
#include <criterion/criterion.h>
#include <time.h>

#include "libsampler/clock/clock_strata.h"

enum { INTERVAL = 4000000, SHOTS = 2000 };

/* What is left of the misses' part of the time of a thread that runs for one of every `of` shots. */
static struct cps_strata run(uint64_t of)
{
	struct cps_strata s = {.rarer = 0};

	for (uint64_t i = 0; i < SHOTS; i++)
		cps_misses_count(&s, cps_misses_interval(&s, INTERVAL) / of, i % of != 0);
	return s;
}

Test(misses, a_thread_that_runs_has_all_shots)
{
	cr_assert_eq(run(1).rarer, 0);
	cr_assert_eq(run(2).rarer, 0);
}

Test(misses, shots_are_rarer_for_a_thread_that_sleeps)
{
	struct cps_strata s = run(10);

	cr_assert_geq(s.rarer, 1);
	cr_assert_leq(s.rarer, 3);
	cr_assert_gt(run(1000).rarer, s.rarer);
}

Test(misses, they_come_back)
{
	struct cps_strata s = run(1000);

	for (int i = 0; i < SHOTS; i++)
		cps_misses_count(&s, cps_misses_interval(&s, INTERVAL), false);
	cr_assert_eq(s.rarer, 0);
}

/* There are no shots at all for one that hardly ever runs, but sleeps. */
Test(misses, too_many_are_those_of_a_sleeper)
{
	struct cps_strata s = run(1000);

	cr_assert(cps_misses_are_too_many(&s));
	s.calm = CPS_MISSES_CALM; /* it waits for a processor */
	cr_assert_not(cps_misses_are_too_many(&s));
	s = run(10);
	cr_assert_not(cps_misses_are_too_many(&s));
}

/* A late shot is a miss if the thread has not run meanwhile. */
Test(misses, who_runs_was_not_away)
{
	const struct cps_strata s = {.seen_at = 1000000, .seen_reading = 5000};

	cr_assert_not(cps_misses_was_away(&s, 20000, 2000000, 5000));
	cr_assert(cps_misses_was_away(&s, 200000, 2000000, 405000));
	cr_assert_not(cps_misses_was_away(&s, 200000, 2000000, 905000));
}

/* What is late is learnt: on one machine shots come 12 us late to threads that run, on another 35 us. Here each third comes
 * later, because its thread was away. */
static void learn(uint64_t usual)
{
	for (unsigned i = 0; i < 300; i++)
		cps_misses_note_late(i % 3 ? usual + i % 7 * 1000 : usual + i * 3000);
}

Test(misses, lateness_is_that_of_the_machine)
{
	const struct cps_strata s = {.seen_at = 1000000, .seen_reading = 5000};

	learn(12000);
	cr_assert(cps_misses_was_away(&s, 45000, 2000000, 5000));
	learn(35000);
	cr_assert_not(cps_misses_was_away(&s, 55000, 2000000, 5000));
	cr_assert(cps_misses_was_away(&s, 110000, 2000000, 5000));
	learn(12000);
	cr_assert(cps_misses_was_away(&s, 45000, 2000000, 5000));
}

/* A machine on which all shots come late, because all processors are busy, does not make all of them samples. */
Test(misses, lateness_has_a_bound)
{
	const struct cps_strata s = {.seen_at = 1000000, .seen_reading = 5000};

	learn(3000000);
	cr_assert(cps_misses_was_away(&s, 110000, 2000000, 5000));
}

/* In a call any sleep counts that is not one of a call that waits, elsewhere only faults whose page comes from a disk. */
Test(misses, a_thread_may_be_blocked_if_it_has_waited)
{
	const struct timespec nap = {0, 1000000};
	struct cps_strata s = {.rarer = 0};

	cps_misses_may_be_blocked(&s, true, 7, 0);
	nanosleep(&nap, NULL);
	cr_assert(cps_misses_may_be_blocked(&s, true, 7, 0));
	nanosleep(&nap, NULL);
	cr_assert_not(cps_misses_may_be_blocked(&s, false, 7, 0));
	nanosleep(&nap, NULL);
	cr_assert_not(cps_misses_may_be_blocked(&s, true, 8, 0));
}

static void sleep_often(int naps)
{
	const struct timespec nap = {0, 1000};

	for (int i = 0; i < naps; i++)
		nanosleep(&nap, NULL);
}

/* So many sleeps; then a shot, when the thread has used so many ns more. */
static void nap(struct cps_strata *s, int naps, uint64_t *reading, uint64_t used)
{
	sleep_often(naps);
	cps_misses_may_be_blocked(s, true, 0, *reading += used);
}

/* One that sleeps after each 0.03 ms is just being woken up at so many shots that ticks are samples, for as long as it does so. */
Test(misses, ticks_are_samples_of_a_thread_that_naps)
{
	struct cps_strata s = {.calm = CPS_MISSES_CALM};
	uint64_t reading = 0;

	nap(&s, 0, &reading, 0);
	s.ticks = 0;
	nap(&s, 8, &reading, 4000000);
	cr_assert_not(cps_misses_are_too_many(&s));
	nap(&s, 3, &reading, 100000); /* a few in a short time may be chance */
	cr_assert_not(cps_misses_are_too_many(&s));
	nap(&s, 140, &reading, 4000000);
	cr_assert(cps_misses_are_too_many(&s));
	sleep_often(140);
	for (int i = 0; i < 64; i++)
		cps_misses_count_tick(&s, reading + 4000000);
	cr_assert(cps_misses_are_too_many(&s));
	for (int i = 0; i < 64; i++)
		cps_misses_count_tick(&s, reading + 64 * 4000000);
	cr_assert_not(cps_misses_are_too_many(&s));
}

/* Shots of which every `of`th finds the thread blocked. Returns how many ticks were samples. */
static int ticks_in(struct cps_strata *s, int of)
{
	int ticks = 0;

	for (int i = 1; i <= 100 && !ticks; i++) {
		cps_misses_count_blocked(s, i % of == 0);
		for (; cps_misses_are_too_many(s) && ticks < 1000; ticks++)
			cps_misses_count_tick(s, 1000000000);
	}
	return ticks;
}

Test(misses, ticks_are_samples_of_a_thread_that_is_blocked)
{
	struct cps_strata s = {.calm = CPS_MISSES_CALM}, often = s, rare = s;

	cr_assert_eq(ticks_in(&often, 1), 64);
	cr_assert_eq(ticks_in(&s, 3), 64);
	cr_assert_eq(ticks_in(&rare, 10), 0);
}

/* After them a single shot says whether there are more. */
Test(misses, ticks_go_on_being_samples)
{
	struct cps_strata s = {.calm = CPS_MISSES_CALM};

	ticks_in(&s, 1);
	cr_assert_not(cps_misses_are_too_many(&s));
	cps_misses_count_blocked(&s, true);
	cr_assert(cps_misses_are_too_many(&s));
}
