/* SPDX-License-Identifier: MIT */
/*
 * criterion.c - runs each test in a child made by fork, and counts.
 */
#include <sys/wait.h>

#include "criterion.h"

enum { PASSED, FAILED, SKIPPED = 77 };

static struct criterion_test *first_test, **last_test = &first_test;
static struct criterion_suite *first_suite;
static bool has_failed;

void criterion_add_test(struct criterion_test *test)
{
	*last_test = test;
	last_test = &test->next;
}

void criterion_add_suite(struct criterion_suite *suite)
{
	suite->next = first_suite;
	first_suite = suite;
}

void criterion_check(bool holds, bool is_fatal, const char *what, const char *file, int line,
		     const char *format, ...)
{
	va_list more;

	if (holds)
		return;
	va_start(more, format);
	fprintf(stderr, "%s:%d: not so: %s; ", file, line, what);
	vfprintf(stderr, format, more);
	fprintf(stderr, "\n");
	va_end(more);
	has_failed = true;
	if (is_fatal)
		_exit(FAILED);
}

void criterion_skip(const char *format, ...)
{
	va_list more;

	va_start(more, format);
	printf("[SKIP] ");
	vprintf(format, more);
	printf("\n");
	va_end(more);
	fflush(NULL);
	_exit(SKIPPED);
}

void criterion_note(const char *format, ...)
{
	(void)format;
}

static const struct criterion_options *of_suite(const struct criterion_test *test)
{
	static const struct criterion_options none;

	for (const struct criterion_suite *s = first_suite; s; s = s->next)
		if (strcmp(s->name, test->suite) == 0)
			return &s->options;
	return &none;
}

static void call(void (*f)(void))
{
	if (f)
		f();
}

static int run(const struct criterion_test *test)
{
	const struct criterion_options *suite = of_suite(test);
	pid_t pid = fork();
	int status = 0;

	if (pid == 0) {
		call(suite->init);
		call(test->options.init);
		test->run();
		call(test->options.fini);
		call(suite->fini);
		fflush(NULL);
		_exit(has_failed ? FAILED : PASSED);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		return FAILED;
	if (WIFSIGNALED(status))
		fprintf(stderr, "ended by signal %d\n", WTERMSIG(status));
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

int main(void)
{
	int tested = 0, passing = 0, failing = 0, crashing = 0;

	for (const struct criterion_test *test = first_test; test; test = test->next) {
		int status;

		fflush(NULL);
		status = run(test);
		if (status == SKIPPED)
			continue;
		tested++;
		passing += status == PASSED;
		failing += status == FAILED;
		crashing += status != PASSED && status != FAILED;
		if (status != PASSED)
			printf("[FAIL] %s::%s\n", test->suite, test->name);
	}
	printf("[====] Synthesis: Tested: %d | Passing: %d | Failing: %d | Crashing: %d \n", tested,
	       passing, failing, crashing);
	return failing || crashing;
}
