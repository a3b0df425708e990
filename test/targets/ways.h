/* SPDX-License-Identifier: MIT */
/*
 * ways.h - calls functions that transfer bytes in random order, and prints how many bytes each has transferred.
 */
#ifndef WAYS_H
#define WAYS_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/types.h>
#include <unistd.h>

struct way {
	const char *name;
	ssize_t (*call)(void); /* returns the bytes */
	int is_read, is_write;
};

static void say(const char *resource, const struct way *w)
{
	char line[100];
	int length = snprintf(line, sizeof(line), "%s %s ", resource, w->name);

	if (write(1, line, (size_t)length) != length)
		exit(1);
}

static void say_number(uint64_t n)
{
	char line[32];
	int length = snprintf(line, sizeof(line), "%llu\n", (unsigned long long)n);

	if (write(1, line, (size_t)length) != length)
		exit(1);
}

/* Prints "read FUNCTION BYTES" or "write FUNCTION BYTES" for each. */
static void call_all(const struct way *ways, unsigned n, unsigned turns)
{
	uint64_t sum[32] = {0};

	srandom(1);
	while (turns--) {
		unsigned which = (unsigned)random() % n;
		ssize_t bytes = ways[which].call();

		if (bytes < 0) {
			perror(ways[which].name);
			exit(1);
		}
		sum[which] += (uint64_t)bytes;
	}
	for (unsigned i = 0; i < n; i++) {
		if (ways[i].is_read) {
			say("read", &ways[i]);
			say_number(sum[i]);
		}
		if (ways[i].is_write) {
			say("write", &ways[i]);
			say_number(sum[i]);
		}
	}
}

#endif
