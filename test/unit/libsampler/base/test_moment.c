/* SPDX-License-Identifier: MIT */
/*
 * test_moment.c - the vDSO's time is the kernel's, and there is a time without the vDSO.
 */
#include <criterion/criterion.h>
#include <sys/auxv.h>
#include <sys/prctl.h>

#include "libsampler/base/moment.h"
#include "libsampler/base/sys.h"

static void agrees(int times)
{
	uint64_t before = cps_sys_clock_ns(CLOCK_MONOTONIC);

	for (int i = 0; i < times; i++) {
		uint64_t now = cps_moment_ns(), after = cps_sys_clock_ns(CLOCK_MONOTONIC);

		cr_assert(before <= now && now <= after);
		before = after;
	}
}

Test(moment, is_the_kernels)
{
	agrees(1000);
	cps_moment_prepare(getauxval(AT_SYSINFO_EHDR));
	agrees(100000);
	cps_moment_ask_kernel();
	agrees(1000);
}

/* The instruction by which the vDSO reads the counter is then a SIGSEGV. */
Test(moment, without_the_cycle_counter)
{
	if (prctl(PR_SET_TSC, PR_TSC_SIGSEGV) != 0)
		cr_skip("the counter cannot be forbidden here");
	cps_moment_prepare(getauxval(AT_SYSINFO_EHDR));
	agrees(1000);
	prctl(PR_SET_TSC, PR_TSC_ENABLE);
}
