/* SPDX-License-Identifier: MIT */
/*
 * ends.c - CPU time at the ends of threads and processes where it is easily missed.
 *
 *	ends c11      in a thread made by thrd_create
 *	ends keys     in destructors of thread-local data, after the routine has returned
 *	ends child    in a child made by the bare system call, of which nobody is told
 *	ends iconv    in libraries that the C library loads and unloads by itself
 */
#include <iconv.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <threads.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "burn.h"

static volatile uint64_t sink;

static int in_c11(void *argument)
{
	burn_for(700, 10000);
	return argument == &sink ? 5 : 0;
}

static void in_destructor(void *argument)
{
	(void)argument;
	burn_for(700, 10000);
}

static void *with_key(void *key)
{
	burn_for(100, 10000);
	pthread_setspecific(*(pthread_key_t *)key, key);
	return NULL;
}

static void only_in_child(void)
{
	burn_for(400, 10000);
}

static void *thread_of_child(void *argument)
{
	only_in_child();
	return argument;
}

static int child(void)
{
	pthread_t thread;
	int status;
	pid_t pid = (pid_t)syscall(SYS_fork);

	if (pid == 0) {
		pthread_create(&thread, NULL, thread_of_child, NULL);
		pthread_join(thread, NULL);
		_exit(4);
	}
	waitpid(pid, &status, 0);
	burn_for(600, 10000);
	return WEXITSTATUS(status) == 4;
}

static int convert(void)
{
	static const char *const charsets[] = {"GB18030", "SHIFT_JIS", "EUC-CN", "UHC",	  "JOHAB",
					       "EUC-TW",  "UTF-16",    "BIG5",	 "EUC-JP"};
	char in[4096], out[4 * sizeof(in)];
	int failed = 0;

	memset(in, 'x', sizeof(in));
	for (int i = 0; i < 60; i++) {
		iconv_t c = iconv_open(charsets[i % 9], "UTF-8");
		uint64_t until = cpu_ns(CLOCK_THREAD_CPUTIME_ID) + 20000000;

		if (c == (iconv_t)-1)
			return 0;
		while (cpu_ns(CLOCK_THREAD_CPUTIME_ID) < until) {
			char *from = in, *to = out;
			size_t n = sizeof(in), room = sizeof(out);

			failed |= iconv(c, &from, &n, &to, &room) == (size_t)-1;
		}
		iconv_close(c);
	}
	return !failed;
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "";
	pthread_key_t key;
	pthread_t thread;
	thrd_t c11;
	int result = 0;

	burn_for(300, 10000);
	if (strcmp(mode, "c11") == 0) {
		thrd_create(&c11, in_c11, (void *)&sink);
		thrd_join(c11, &result);
		result = result == 5;
	} else if (strcmp(mode, "keys") == 0) {
		pthread_key_create(&key, in_destructor);
		pthread_create(&thread, NULL, with_key, &key);
		result = pthread_join(thread, NULL) == 0;
	} else if (strcmp(mode, "child") == 0) {
		result = child();
	} else if (strcmp(mode, "iconv") == 0) {
		result = convert();
	}
	printf("%s: %s\n", mode, result ? "as expected" : "WRONG");
	return result ? 0 : 1;
}
