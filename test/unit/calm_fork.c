/* SPDX-License-Identifier: MIT */
/*
 * calm_fork.c - forks when no other thread is at work; for sanitized unit tests.
 *
 * Criterion forks for each test while a thread of its own passes messages. If that thread is in
 * malloc at that instant, the child inherits the lock of the sanitizer's allocator, which nobody
 * will ever release, and waits for ever (glibc's malloc takes care of fork, gcc 12's sanitizer does
 * not). So this fork waits until the other threads have slept for a while.
 */
#include <dirent.h>
#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define CALM_NS 2000000 /* asleep for so long: it waits for a message, not for a lock */
#define TRIES	500

/* How often the thread has gone to sleep, or -1 if it runs. */
static long sleeps(const char *tid)
{
	char path[64], line[128];
	long switches = -1;
	bool is_asleep = false;
	FILE *status;

	snprintf(path, sizeof(path), "/proc/self/task/%.20s/status", tid);
	status = fopen(path, "r");
	if (!status)
		return 0; /* it has ended */
	while (fgets(line, sizeof(line), status)) {
		if (strncmp(line, "State:\tS", 8) == 0)
			is_asleep = true;
		sscanf(line, "voluntary_ctxt_switches: %ld", &switches);
	}
	fclose(status);
	return is_asleep ? switches : -1;
}

/* The sleeps of all other threads together, or -1 if one runs. */
static long others(void)
{
	DIR *tasks = opendir("/proc/self/task");
	struct dirent *entry;
	long sum = 0, n;

	if (!tasks)
		return 0;
	while (sum >= 0 && (entry = readdir(tasks))) {
		if (entry->d_name[0] == '.' || atoi(entry->d_name) == gettid())
			continue;
		n = sleeps(entry->d_name);
		sum = n < 0 ? -1 : sum + n;
	}
	closedir(tasks);
	return sum;
}

pid_t fork(void)
{
	const struct timespec pause = {.tv_nsec = CALM_NS};
	pid_t (*real)(void);
	long before, after;

	*(void **)&real = dlsym(RTLD_NEXT, "fork");
	for (int i = 0; i < TRIES; i++) {
		before = others();
		nanosleep(&pause, NULL);
		after = others();
		if (before >= 0 && before == after)
			break;
	}
	return real();
}
