/* SPDX-License-Identifier: MIT */
/*
 * fuzz_explore.c - cpprof takes any bytes for commands, and runs them or reports an error.
 *
 * Commands may write files. So the harness is in a directory of its own, and all files stay empty.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "explore/explore.h"
#include "explore/explore_edit.h"
#include "pipeline/message.h"
#include "pipeline/sources.h"
#include "test/fuzz/scratch.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char stacks[] = "main;a;b;a;b;qsort 3\n"
			     "main;operator new(unsigned long) 4\n"
			     "main;say \"hi\" 0\n"
			     "main;x 1152921504606846976\n"
			     "\xff\xfe;[q] 2\n";

static char file[32];
static int real_stdout, real_stderr, home;

#define CHECK(condition)                                                                           \
	do {                                                                                       \
		if (!(condition)) {                                                                \
			dup2(real_stderr, STDERR_FILENO);                                          \
			fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition);    \
			abort();                                                                   \
		}                                                                                  \
	} while (0)

static void begin_once(void)
{
	int fd = memfd_create("stacks", 0);

	real_stdout = dup(STDOUT_FILENO);
	real_stderr = dup(STDERR_FILENO);
	home = open(".", O_RDONLY | O_DIRECTORY);
	CHECK(fd >= 0 && home >= 0 && scratch_make());
	CHECK(write(fd, stacks, sizeof(stacks) - 1) == (ssize_t)sizeof(stacks) - 1);
	snprintf(file, sizeof(file), "/proc/self/fd/%d", fd);
	signal(SIGXFSZ, SIG_IGN);
	message_program("fuzz");
}

/* What commands print goes nowhere, and their files stay empty; libFuzzer's own do not. */
static void confine(bool confined)
{
	static int nowhere = -1;
	struct rlimit limit;

	if (nowhere < 0)
		nowhere = open("/dev/null", O_WRONLY);
	getrlimit(RLIMIT_FSIZE, &limit);
	limit.rlim_cur = confined ? 0 : limit.rlim_max;
	CHECK(setrlimit(RLIMIT_FSIZE, &limit) == 0);
	CHECK(confined ? chdir(scratch) == 0 : fchdir(home) == 0);
	dup2(confined ? nowhere : real_stdout, STDOUT_FILENO);
	dup2(confined ? nowhere : real_stderr, STDERR_FILENO);
}

static void complete(struct explore *e, const char *line, size_t n)
{
	struct explore_completion c;

	explore_complete(e, line, n, &c);
	CHECK(c.begin <= n);
	CHECK(!c.text == (c.n == 0));
	explore_completion_free(&c);
}

static void run(struct explore *e, const char *text, size_t size)
{
	const char *end = text + size, *stop;
	struct error err;

	for (; text < end && !e->is_over; text = stop + 1) {
		stop = memchr(text, '\n', (size_t)(end - text));
		stop = stop ? stop : end;
		complete(e, text, (size_t)(stop - text));
		complete(e, text, (size_t)(stop - text) / 2);
		err.text[0] = '\0';
		if (explore_run(e, text, (size_t)(stop - text), &err))
			CHECK(err.text[0]);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct explore e = {0};
	struct sources from;
	struct error err;
	char *names[] = {file}, *text;
	size_t i;

	if (!*file)
		begin_once();
	text = malloc(size + 1);
	CHECK(text);
	for (i = 0; i < size; i++)
		text[i] = data[i] == '/' ? '_' : (char)data[i];
	options_init(&e.options);
	CHECK(sources_find(&from, names, 1, NULL, &err) == 0);
	confine(true);
	CHECK(explore_load(&e, &from, &err) == 0);
	run(&e, text, size);
	explore_free(&e);
	options_free(&e.options);
	sources_free(&from);
	confine(false);
	free(text);
	return 0;
}
