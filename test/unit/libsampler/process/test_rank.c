/* SPDX-License-Identifier: MIT */
/*
 * test_rank.c - what launchers say in the environment.
 *
 * Seen to fail: with SLURM_PROCID first; without SLURM_STEP_NUM_TASKS; with numbers of 2^31 and more; with 64 bits that
 * overflow.
 */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "libsampler/process/output.h"

#define NONE -1

static void clear(void)
{
	static const char *const names[] = {
		"PMIX_RANK",	       "OMPI_COMM_WORLD_RANK", "PMI_RANK",
		"MV2_COMM_WORLD_RANK", "SLURM_PROCID",	       "SLURM_NTASKS",
		"SLURM_STEP_NUM_TASKS"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		unsetenv(names[i]);
}

static long long found(void)
{
	uint32_t rank;

	return cps_rank_find(&rank) ? (long long)rank : NONE;
}

Test(rank, of_each_launcher, .init = clear)
{
	cr_assert_eq(found(), NONE);
	setenv("SLURM_PROCID", "0", 1);
	setenv("SLURM_NTASKS", "4", 1);
	cr_assert_eq(found(), NONE, "the script of a job is no task");
	setenv("SLURM_STEP_NUM_TASKS", "4", 1);
	cr_assert_eq(found(), 0);
	setenv("MV2_COMM_WORLD_RANK", "5", 1);
	cr_assert_eq(found(), 5);
	setenv("PMI_RANK", "6", 1);
	cr_assert_eq(found(), 6);
	setenv("OMPI_COMM_WORLD_RANK", "7", 1);
	cr_assert_eq(found(), 7);
	setenv("PMIX_RANK", "8", 1);
	cr_assert_eq(found(), 8);
}

/* What is no rank is as if it were not there, and the next variable is asked. */
Test(rank, numbers, .init = clear)
{
	static const struct {
		const char *text;
		long long rank;
	} all[] = {
		{"0", 0},
		{"007", 7},
		{"2147483647", 2147483647},
		{"", NONE},
		{"-1", NONE},
		{"+1", NONE},
		{" 1", NONE},
		{"1 ", NONE},
		{"0x1", NONE},
		{"1.0", NONE},
		{"2147483648", NONE},
		{"4294967295", NONE},
		{"4294967296", NONE},
		{"18446744073709551617", NONE},
		{"one", NONE},
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		clear();
		setenv("PMIX_RANK", all[i].text, 1);
		cr_assert_eq(found(), all[i].rank, "\"%s\"", all[i].text);
		setenv("PMI_RANK", "3", 1);
		cr_assert_eq(found(), all[i].rank == NONE ? 3 : all[i].rank, "\"%s\"", all[i].text);
	}
}
