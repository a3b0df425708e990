/* SPDX-License-Identifier: MIT */
/*
 * test_clocks.c - intervals without memory have the distribution that they are said to have, and clocks
 * have the intervals that they are given, or their own.
 *
 * The numbers are drawn from a fixed seed. The bounds are five standard errors.
 *
 * Seen to fail: with runs of falling numbers that were kept when their length was even; with a product of 64
 * bits, when the mean was more than four seconds;
 * with settings that were given to the clocks as they were.
 */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "libsampler/clock/clock.h"
#include "libsampler/setup/clocks.h"

enum { DRAWS = 100000, MEAN = 4000000 };

static int compare(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static void check_intervals(uint64_t mean)
{
	static const struct cps_clock none = {.name = "none"};
	const struct cps_clock_settings settings = {.jitter = true, .is_seeded = true, .seed = 7};
	static uint64_t all[DRAWS];
	struct cps_thread t = {.random = 1};

	cr_assert_eq(cps_clock_start(&none, &settings), 0);
	for (size_t i = 0; i < DRAWS; i++)
		all[i] = cps_clock_vary_freely(&t, mean);
	qsort(all, DRAWS, sizeof(all[0]), compare);
	for (size_t i = DRAWS / 20; i < DRAWS; i += DRAWS / 20) {
		double p = 1 - exp(-(double)all[i] / (double)mean), at = (double)i / DRAWS;

		cr_assert_float_eq(p, at, 5 * sqrt(at * (1 - at) / DRAWS), "%g of them: %g", at, p);
	}
}

Test(clock, intervals_without_memory_are_exponential)
{
	check_intervals(MEAN);
}

/* An interval may be set to an hour. */
Test(clock, long_intervals_are_too)
{
	check_intervals(UINT64_C(3600) * 1000000000);
}

Test(clock, intervals_are_the_mean_without_jitter)
{
	static const struct cps_clock none = {.name = "none"};
	const struct cps_clock_settings settings = {.jitter = false};
	struct cps_thread t = {.random = 1};

	cr_assert_eq(cps_clock_start(&none, &settings), 0);
	cr_assert_eq(cps_clock_vary_freely(&t, MEAN), MEAN);
}

static uint64_t started_with; /* ns */

static int start(const struct cps_clock_settings *settings)
{
	started_with = settings->interval_ns;
	return 0;
}

static int refuse(const struct cps_clock_settings *settings, char *why, size_t bytes)
{
	snprintf(why, bytes, "not for %u ns", (unsigned)settings->interval_ns);
	return -1;
}

/* Without an interval in the settings a clock has its own, and so has the one that takes its place. */
Test(clock, each_has_its_own_interval)
{
	static const struct cps_clock other = {
		.name = "other", .interval_ns = 1000, .start = start};
	static const struct cps_clock wanted = {.name = "wanted", .interval_ns = 4000};
	static const struct cps_clock without = {.name = "without", .start = start};
	static const struct cps_clock_choice choices[] = {{&wanted, &other, refuse},
							  {.clock = NULL}};
	struct cps_clock_settings settings = {.interval_ns = 0};
	char why[64];

	cr_assert_eq(cps_clocks_choose(choices, &wanted, &settings, why, sizeof(why)), &other);
	cr_assert_str_eq(why, "not for 4000 ns");
	cr_assert_eq(cps_clock_start(&other, &settings), 0);
	cr_assert_eq(started_with, 1000);
	settings.interval_ns = 7000;
	cps_clocks_choose(choices, &wanted, &settings, why, sizeof(why));
	cr_assert_str_eq(why, "not for 7000 ns");
	cr_assert_eq(cps_clock_start(&other, &settings), 0);
	cr_assert_eq(started_with, 7000);
	cr_assert_eq(cps_clock_start(&without, &settings), 0);
	cr_assert_eq(started_with, 0);
}

Test(clock, strata_is_the_default_with_4_ms)
{
	const struct cps_clock_settings settings = {.resource = "cpu", .name = ""};
	const struct cps_clock *clock = cps_clocks_find(&settings);

	cr_assert_str_eq(clock->name, "strata");
	cr_assert_eq(cps_clock_interval(clock, &settings), 4000000);
	cr_assert_eq(cps_clock_interval(&cps_clock_timer, &settings), 1000000);
	cr_assert_eq(cps_clock_interval(&cps_clock_signals, &settings), 0);
}
