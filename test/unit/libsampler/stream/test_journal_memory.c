/* SPDX-License-Identifier: MIT */
/*
 * test_journal_memory.c - the journal's buffers, whatever memory there is for them.
 *
 * A buffer gets its memory in two pieces when it is first used. A child that is forked by another
 * thread in between has the first piece and not the second, as has a process that runs out of
 * memory there.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "libsampler/stream/journal.h"

#define STEP (16u << 10)

TestSuite(journal_memory);

static size_t mapped_bytes(void)
{
	FILE *file = fopen("/proc/self/statm", "r");
	size_t pages = 0;

	cr_assert(file && fscanf(file, "%zu", &pages) == 1);
	fclose(file);
	return pages * 4096;
}

/* The exit status is 1 if the buffer got its memory, 0 if it did not and could be emptied and used
 * once there was memory again. */
static int use_with(size_t more)
{
	struct rlimit before, now;
	struct cps_buffer *b;
	bool has_memory;

	if (cps_journal_open("/nonexistent/journal", 1, 0) != 0 || getrlimit(RLIMIT_AS, &before))
		return 2;
	now = (struct rlimit){mapped_bytes() + more, before.rlim_max};
	if (setrlimit(RLIMIT_AS, &now))
		return 2;
	if (cps_journal_acquire(0, &has_memory))
		return 1;
	if (has_memory || setrlimit(RLIMIT_AS, &before))
		return 2;
	b = cps_journal_acquire_number(1);
	if (!b)
		return 2;
	cps_journal_empty(b, 0);
	cps_journal_release(b);
	return cps_journal_acquire(0, &has_memory) ? 0 : 2;
}

Test(journal_memory, a_buffer_without_all_of_its_memory_is_emptied)
{
	size_t more = 0;
	int refused = 0, status = 0;

	while (WEXITSTATUS(status) != 1) {
		pid_t pid = fork();

		if (pid == 0)
			_exit(use_with(more));
		cr_assert_eq(waitpid(pid, &status, 0), pid);
		cr_assert(WIFEXITED(status) && WEXITSTATUS(status) < 2, "%zu bytes: status %x",
			  more, (unsigned)status);
		refused += WEXITSTATUS(status) == 0;
		more += STEP;
	}
	cr_assert(refused > 1, "memory was never short");
}
