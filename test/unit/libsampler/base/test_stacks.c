/* SPDX-License-Identifier: MIT */
/*
 * test_stacks.c - stacks lie many to a mapping, none is given to two threads, and a page below each faults.
 *
 * Seen to fail: without guard() in stacks.c what was to end a child did not; with a mapping for each stack, and if
 * cps_stacks_give did not lower `lowest`, there were more mappings; if take_of stored instead of comparing, two threads had
 * the same stack; without CPS_STACKS_GUARDED there were too many mappings on older kernels.
 */
#include <criterion/criterion.h>
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "libsampler/base/stacks.h"

#define MANY 1000

static int mappings(void)
{
	FILE *file = fopen("/proc/self/maps", "r");
	int n = 0, c;

	cr_assert_not_null(file);
	while ((c = getc(file)) != EOF)
		n += c == '\n';
	fclose(file);
	return n;
}

/* The kernel makes one mapping of two that are side by side. */
static void take_with_others_between(int *numbers, int n)
{
	for (int i = 0; i < n; i++) {
		numbers[i] = cps_stacks_take();
		cr_assert_geq(numbers[i], 0);
		cr_assert_neq(mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
			      MAP_FAILED);
	}
}

static void take(int *numbers, int n)
{
	for (int i = 0; i < n; i++) {
		numbers[i] = cps_stacks_take();
		cr_assert_geq(numbers[i], 0);
	}
}

/* Each has a mark of its own at both ends. */
static void write_marks(const int *numbers, int n)
{
	for (int i = 0; i < n; i++) {
		memcpy(cps_stacks_at(numbers[i]), &i, sizeof(i));
		memcpy(cps_stacks_at(numbers[i]) + CPS_STACKS_BYTES - sizeof(i), &i, sizeof(i));
	}
}

static void read_marks(const int *numbers, int n)
{
	for (int i = 0; i < n; i++) {
		cr_assert_eq(memcmp(cps_stacks_at(numbers[i]), &i, sizeof(i)), 0);
		cr_assert_eq(memcmp(cps_stacks_at(numbers[i]) + CPS_STACKS_BYTES - sizeof(i), &i,
				    sizeof(i)),
			     0);
	}
}

static int was_given_back(int number, const int *numbers)
{
	for (int i = 0; i < MANY; i += 2)
		if (numbers[i] == number)
			return 1;
	return 0;
}

Test(stacks, of_many_threads_take_few_mappings)
{
	static int numbers[MANY], again[MANY];
	int before;

	take(numbers, 1); /* whatever is made once is there */
	cps_stacks_give(numbers[0]);
	before = mappings();
	take_with_others_between(numbers, MANY);
	write_marks(numbers, MANY);
	read_marks(numbers, MANY);
	cr_assert_leq(mappings() - before, MANY / 20);

	for (int i = 0; i < MANY; i += 2)
		cps_stacks_give(numbers[i]);
	take(again, MANY / 2);
	for (int i = 0; i < MANY / 2; i++)
		cr_assert(was_given_back(again[i], numbers));
}

Test(stacks, give_their_memory_back)
{
	static int numbers[MANY];
	unsigned char is_there[CPS_STACKS_BYTES / 4096];
	int resident = 0;

	take(numbers, MANY);
	for (int i = 0; i < MANY; i++)
		memset(cps_stacks_at(numbers[i]), 1, CPS_STACKS_BYTES);
	for (int i = 0; i < MANY; i++)
		cps_stacks_give(numbers[i]);
	for (int i = 0; i < MANY; i++) {
		cr_assert_eq(mincore(cps_stacks_at(numbers[i]), CPS_STACKS_BYTES, is_there), 0);
		resident += is_there[0] & 1;
	}
	cr_assert_leq(resident, 64);
}

/* How a child ends that writes to the byte below this stack, or above it. */
static int status_of(int number, long offset)
{
	int status = 0;
	pid_t pid = fork();

	if (pid == 0) {
		signal(SIGSEGV, SIG_DFL);
		*(volatile char *)(cps_stacks_at(number) + offset) = 1;
		_exit(0);
	}
	waitpid(pid, &status, 0);
	return status;
}

Test(stacks, have_a_page_below_that_faults)
{
	static int numbers[100];

	take(numbers, 100);
	for (int i = 0; i < 100; i += 9) {
		cr_assert_eq(status_of(numbers[i], 0), 0);
		cr_assert_eq(status_of(numbers[i], CPS_STACKS_BYTES - 1), 0);
		cr_assert_eq(status_of(numbers[i], -1), SIGSEGV);
		cr_assert_eq(status_of(numbers[i], -4096), SIGSEGV);
	}
}

/* Kernels before 6.13 do not know MADV_GUARD_INSTALL. */
static int forget_guards(void)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_madvise, 0, 3),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[2])),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 102, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EINVAL),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {sizeof(filter) / sizeof(filter[0]), filter};

	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	       prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

Test(stacks, have_it_on_older_kernels_as_long_as_there_are_few)
{
	static int numbers[2 * CPS_STACKS_GUARDED];
	int before;

	if (forget_guards() != 0)
		cr_skip_test("no seccomp on this machine");
	take(numbers, 100);
	for (int i = 0; i < 100; i += 9)
		cr_assert_eq(status_of(numbers[i], -1), SIGSEGV);
	take(numbers + 100, CPS_STACKS_GUARDED);
	before = mappings();
	take(numbers + 100 + CPS_STACKS_GUARDED, CPS_STACKS_GUARDED - 100);
	cr_assert_leq(mappings() - before, CPS_STACKS_GUARDED / 20);
}

Test(stacks, of_other_threads_are_free_in_a_child)
{
	static int numbers[200];
	int before, kept;

	take(numbers, 200);
	kept = numbers[77];
	before = mappings();
	cps_stacks_reset(kept);
	for (int i = 0; i < 199; i++)
		cr_assert_neq(cps_stacks_take(), kept);
	cr_assert_eq(mappings(), before);
	cps_stacks_reset(-1);
	take(numbers, 200);
	cr_assert_eq(mappings(), before);
}

static void *churn(void *argument)
{
	int numbers[8], *failed = argument;

	for (int round = 0; round < 200000; round++) {
		for (int i = 0; i < 8; i++) {
			numbers[i] = cps_stacks_take();
			*(void *volatile *)cps_stacks_at(numbers[i]) = &numbers[i];
		}
		for (int i = 0; i < 8; i++) {
			*failed += *(void *volatile *)cps_stacks_at(numbers[i]) != &numbers[i];
			cps_stacks_give(numbers[i]);
		}
	}
	return NULL;
}

Test(stacks, are_each_for_one_thread)
{
	pthread_t threads[4];
	int failed[4] = {0};

	for (int i = 0; i < 4; i++)
		cr_assert_eq(pthread_create(&threads[i], NULL, churn, &failed[i]), 0);
	for (int i = 0; i < 4; i++) {
		pthread_join(threads[i], NULL);
		cr_assert_eq(failed[i], 0);
	}
}
