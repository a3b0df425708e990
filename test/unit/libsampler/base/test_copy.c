/* SPDX-License-Identifier: MIT */
/*
 * test_copy.c - memory is copied with and without the kernel's help, and memory that is not there is
 * not.
 */
#include <criterion/criterion.h>
#include <string.h>
#include <sys/mman.h>

#include "libsampler/base/memory.h"

#define PAGE 4096u

static void copies(void)
{
	char *map =
		mmap(NULL, 3 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uintptr_t start = (uintptr_t)map;
	char to[2 * PAGE];

	cr_assert(map != MAP_FAILED);
	for (size_t i = 0; i < 3 * PAGE; i++)
		map[i] = (char)(i * 7);
	cr_assert(cps_copy(to, start + 100, PAGE));
	cr_assert(memcmp(to, map + 100, PAGE) == 0);
	cr_assert(mprotect(map + PAGE, PAGE, PROT_NONE) == 0);
	cr_assert(cps_copy(to, start + PAGE - 9, 9));
	cr_assert(cps_copy(to, start + 2 * PAGE, 1));
	cr_assert_not(cps_copy(to, start + PAGE - 8, 9));
	cr_assert_not(cps_copy(to, start + PAGE, 8));
	cr_assert_not(cps_copy(to, start + 2 * PAGE - 1, 2));
	cr_assert_not(cps_copy(to, 0, 8));
	cr_assert_not(cps_copy(to, UINTPTR_MAX - 7, 8));
	munmap(map, 3 * PAGE);
}

Test(copy, by_the_kernel)
{
	copies();
	cr_assert(cps_copy_is_safe());
}

Test(copy, by_asking_first)
{
	cps_copy_confine();
	copies();
	cr_assert_not(cps_copy_is_safe());
}
