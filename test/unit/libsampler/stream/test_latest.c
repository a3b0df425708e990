/* SPDX-License-Identifier: MIT */
/*
 * test_latest.c - weight is taken back from the latest samples of a thread, and of no others.
 *
 * Seen to fail: from the first sample on instead of the last; from all threads; with one item too many
 * or too few remembered.
 */
#include <criterion/criterion.h>

#include "libsampler/stream/batch.h"

static struct cps_latest latest;

static void add(unsigned n, uint32_t thread, uint64_t weight)
{
	for (unsigned i = 0; i < n; i++)
		cps_latest_add(&latest, thread, weight);
}

static void begin(void)
{
	cps_latest_begin(&latest);
}

TestSuite(latest, .init = begin);

Test(latest, last_samples_give_first)
{
	add(3, 7, 100);
	cr_assert_eq(cps_latest_take(&latest, 7, 130), 130);
	cr_assert_eq(cps_latest_taken(&latest, 2), 100);
	cr_assert_eq(cps_latest_taken(&latest, 1), 30);
	cr_assert_eq(cps_latest_taken(&latest, 0), 0);
	cr_assert_eq(cps_latest_take(&latest, 7, 10), 10);
	cr_assert_eq(cps_latest_taken(&latest, 1), 40);
}

Test(latest, threads_give_of_their_own)
{
	add(1, 1, 100);
	add(1, 2, 100);
	cr_assert_eq(cps_latest_take(&latest, 1, 150), 100);
	cr_assert_eq(cps_latest_taken(&latest, 0), 100);
	cr_assert_eq(cps_latest_taken(&latest, 1), 0);
	cr_assert_eq(cps_latest_take(&latest, CPS_LATEST_ANY, 150), 100);
	cr_assert_eq(cps_latest_taken(&latest, 1), 100);
}

Test(latest, older_samples_keep_theirs)
{
	add(CPS_LATEST + 5, 1, 10);
	cr_assert_eq(cps_latest_take(&latest, 1, UINT64_MAX), 10 * CPS_LATEST);
	for (uint32_t i = 0; i < CPS_LATEST + 5; i++)
		cr_assert_eq(cps_latest_taken(&latest, i), i < 5 ? 0 : 10, "%u", i);
	cr_assert_eq(cps_latest_taken(&latest, CPS_LATEST + 5), 0);
	cps_latest_begin(&latest);
	cr_assert_eq(cps_latest_take(&latest, CPS_LATEST_ANY, 1), 0);
	cr_assert_eq(cps_latest_taken(NULL, 0), 0);
}
