/* SPDX-License-Identifier: MIT */
/*
 * lineage.c - finds the root of a process tree.
 *
 * In: /proc. Out: a pid and its start. The root is looked for only when a recording is created,
 * since most processes of a tree are never sampled.
 */
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "base/sys.h"
#include "base/writer.h"
#include "stream/lineage.h"
#include "base/poison.h"

#define GENERATIONS 64
#define NAME	    "libcpsample"

static const char *compose(char *path, uint64_t pid, const char *file)
{
	char digits[24];
	const char *p = cps_digits(digits + sizeof(digits), pid);
	size_t n = strlen(p);

	memcpy(path, "/proc/", 6);
	memcpy(path + 6, p, n);
	memcpy(path + 6 + n, file, strlen(file) + 1);
	return path;
}

static uint64_t number(const char **p)
{
	uint64_t n = 0;

	for (; **p >= '0' && **p <= '9'; ++*p)
		n = n * 10 + (uint64_t)(**p - '0');
	return n;
}

/* Skips so many spaces, and what stands before them. */
static const char *skip(const char *p, int fields)
{
	for (; *p && fields; p++)
		fields -= *p == ' ';
	return p;
}

/* Reads fields 4 and 22 of /proc/PID/stat. Field 2, the program's name in parentheses, may contain
 * anything, so fields are counted from the last parenthesis. */
static bool read_stat(uint64_t pid, uint64_t *ppid, uint64_t *start)
{
	char path[48], text[1024];
	int fd = cps_sys_open(compose(path, pid, "/stat"), O_RDONLY, 0);
	const char *p = NULL;
	long n;

	if (fd < 0)
		return false;
	n = cps_sys_read(fd, text, sizeof(text) - 1);
	cps_sys_close(fd);
	if (n <= 0)
		return false;
	text[n] = '\0';
	for (long i = 0; i < n; i++)
		if (text[i] == ')')
			p = text + i;
	if (!p)
		return false;
	p = skip(p, 2);
	*ppid = number(&p);
	p = skip(p, 18);
	*start = number(&p);
	return *start != 0;
}

/* Whether the environment that the process was started with names the recorder. */
static bool is_preloaded(uint64_t pid)
{
	char path[48], text[2048 + 1];
	int fd = cps_sys_open(compose(path, pid, "/environ"), O_RDONLY, 0);
	size_t kept = 0;
	bool found = false;
	long n;

	if (fd < 0)
		return false;
	while (!found && (n = cps_sys_read(fd, text + kept, sizeof(text) - 1 - kept)) > 0) {
		size_t all = kept + (size_t)n;

		for (size_t i = 0; i + sizeof(NAME) - 1 <= all && !found; i++)
			found = memcmp(text + i, NAME, sizeof(NAME) - 1) == 0;
		kept = all < sizeof(NAME) ? all : sizeof(NAME);
		memmove(text, text + all - kept, kept);
	}
	cps_sys_close(fd);
	return found;
}

void cps_lineage_find(uint64_t *pid, uint64_t *start)
{
	uint64_t now = (uint64_t)cps_sys_getpid(), parent, ignored;

	if (!read_stat(now, &parent, start)) {
		*pid = 0;
		return;
	}
	*pid = now;
	for (int i = 0; i < GENERATIONS && parent > 1 && is_preloaded(parent); i++) {
		if (!read_stat(parent, &ignored, &now))
			return;
		*pid = parent;
		*start = now;
		parent = ignored;
	}
}
