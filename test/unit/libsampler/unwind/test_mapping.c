/* SPDX-License-Identifier: MIT */
/*
 * test_mapping.c - mappings are found as /proc/self/maps has them, by the kernel's answers and by the text,
 * and no more text is read than allowed.
 *
 * Seen to fail: with the inode read as a hexadecimal number; with the executable bit taken from the line
 * before; with no bound in read_for.
 */
#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "libsampler/unwind/unlisted.h"

TestSuite(mapping, .timeout = 60);

#define PAGE 4096u

typedef bool finder(int fd, uintptr_t address, struct cps_mapping *m);

/* Compares all lines of the text, and the addresses just outside of them. */
static unsigned compare_all(finder *find)
{
	static struct cps_mapping want[1000];
	FILE *f = fopen("/proc/self/maps", "r");
	int fd = cps_mapping_open();
	struct cps_mapping got;
	char line[8192], x;
	unsigned n = 0;

	cr_assert(f);
	cr_assert_geq(fd, 0);
	while (n < 1000 && fgets(line, sizeof(line), f)) {
		struct cps_mapping *w = &want[n];

		cr_assert_eq(sscanf(line,
				    "%" SCNxPTR "-%" SCNxPTR " %*c%*c%c%*c %" SCNx64 " %" SCNx64
				    ":%" SCNx64 " %" SCNu64,
				    &w->start, &w->end, &x, &w->offset, &w->major, &w->minor,
				    &w->inode),
			     7);
		w->is_executable = x == 'x';
		n += w->start <
		     UINTPTR_MAX / 2; /* the kernel answers about no addresses of its own */
	}
	fclose(f);
	for (unsigned i = 0; i < n; i++) {
		const uintptr_t at[] = {want[i].start, want[i].start + PAGE / 2, want[i].end - 1};

		for (int k = 0; k < 3; k++) {
			got = (struct cps_mapping){0};
			cr_assert(find(fd, at[k], &got), "%" PRIxPTR, at[k]);
			cr_assert_eq(got.start, want[i].start);
			cr_assert_eq(got.end, want[i].end);
			cr_assert_eq(got.offset, want[i].offset);
			cr_assert_eq(got.inode, want[i].inode);
			cr_assert_eq(got.major, want[i].major);
			cr_assert_eq(got.minor, want[i].minor);
			cr_assert_eq(got.is_executable, want[i].is_executable);
		}
		if (i + 1 < n && want[i + 1].start > want[i].end)
			cr_assert_not(find(fd, want[i].end, &got));
	}
	cr_assert_not(find(fd, 0, &got));
	close(fd);
	return n;
}

Test(mapping, the_kernel_answers_as_its_text_says)
{
	cr_assert_gt(compare_all(cps_mapping_ask), 10);
}

Test(mapping, the_text_is_read_as_it_is_written)
{
	cr_assert_gt(compare_all(cps_mapping_read), 10);
}

/* 60,000 mappings lie below the address. */
Test(mapping, a_long_text_is_not_read_to_its_end)
{
	const size_t bytes = 60000 * PAGE;
	char *many = mmap(NULL, bytes + PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int fd = cps_mapping_open();
	struct cps_mapping m;

	cr_assert_neq(many, MAP_FAILED);
	for (size_t i = 0; i < bytes; i += 2 * PAGE)
		if (mprotect(many + i, PAGE, PROT_READ))
			break; /* the kernel allows fewer mappings: they are still many */
	cr_assert_not(cps_mapping_read(fd, (uintptr_t)many + bytes, &m));
	cr_assert_leq(lseek(fd, 0, SEEK_CUR), CPS_MAPPING_BYTES_MAX + PAGE);
	cr_assert_geq(lseek(fd, 0, SEEK_CUR), CPS_MAPPING_BYTES_MAX);
	close(fd);
}
