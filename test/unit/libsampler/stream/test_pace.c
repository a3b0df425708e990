/* SPDX-License-Identifier: MIT */
/*
 * test_pace.c - slow stores make the journal's file rest, single ones and those of other file systems
 * do not.
 *
 * Stores seem slow if they are said to have begun long ago.
 */
#include <criterion/criterion.h>

#include "libsampler/base/moment.h"
#include "libsampler/stream/journal.h"

#define SECOND 1000000000u

TestSuite(pace);

static uint32_t after_slow_store(void)
{
	return cps_pace_end(cps_moment_ns() - 10ull * SECOND);
}

Test(pace, the_eighth_slow_store_makes_it_rest)
{
	cps_pace_reset(true);
	for (int i = 0; i < 7; i++) {
		cr_assert_eq(after_slow_store(), 0);
		cr_assert_not(cps_pace_rests());
	}
	cr_assert_geq(after_slow_store(), 500000);
	cr_assert(cps_pace_rests());
}

Test(pace, a_fast_store_ends_the_rest)
{
	cps_pace_reset(true);
	for (int i = 0; i < 8; i++)
		after_slow_store();
	cr_assert_eq(cps_pace_end(cps_moment_ns() + SECOND), 0); /* no time at all */
	cr_assert_not(cps_pace_rests());
}

Test(pace, is_for_file_systems_that_copy_on_write)
{
	cps_pace_reset(false);
	cr_assert_eq(cps_pace_begin(), 0);
	for (int i = 0; i < 100; i++)
		cr_assert_eq(cps_pace_end(0), 0);
	cps_pace_reset(true);
	cr_assert_neq(cps_pace_begin(), 0);
}

/* Slow ones that are rare do not count. */
Test(pace, forgets)
{
	cps_pace_reset(true);
	for (int i = 0; i < 50; i++) {
		cr_assert_eq(after_slow_store(), 0);
		for (int j = 0; j < 1000; j++)
			cps_pace_end(cps_moment_ns() + SECOND);
	}
}
