/* SPDX-License-Identifier: MIT */
/*
 * lineage.c - finds a process's ancestors and the root of its process tree.
 *
 * In: /proc. Out: pids, and the root's start. They are looked for only when a recording is created,
 * since most processes of a tree are never sampled (doc/decisions/0055).
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/descriptor.h"
#include "base/sys.h"
#include "base/writer.h"
#include "stream/lineage.h"
#include "base/poison.h"

#define GENERATIONS 64
#define VARIABLE    "LD_PRELOAD="
#define NAME	    "libcpsample"
#define NO_MATCH    SIZE_MAX

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
	int fd = cps_descriptor_open(compose(path, pid, "/stat"), O_RDONLY, 0);
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

/* How much of VARIABLE stands at the beginning of an entry of the environment, or NO_MATCH, and how
 * much of NAME stands at the end of what has been read of its value. */
struct preload_search {
	size_t variable, name;
};

/* Whether NAME is complete with this byte. */
static bool completes_name(struct preload_search *s, char c)
{
	if (c == '\0')
		*s = (struct preload_search){0};
	else if (s->variable < sizeof(VARIABLE) - 1)
		s->variable = c == VARIABLE[s->variable] ? s->variable + 1 : NO_MATCH;
	else if (s->variable != NO_MATCH)
		s->name = c == NAME[s->name] ? s->name + 1 : c == NAME[0];
	return s->name == sizeof(NAME) - 1;
}

/* Whether the environment that the process was started with preloads the recorder. Other variables
 * may contain its name, too, for example PWD in a clone of this repository. */
static bool is_preloaded(uint64_t pid)
{
	char path[48], text[2048];
	int fd = cps_descriptor_open(compose(path, pid, "/environ"), O_RDONLY, 0);
	struct preload_search search = {0};
	bool found = false;
	long n;

	if (fd < 0)
		return false;
	while (!found && (n = cps_sys_read(fd, text, sizeof(text))) > 0)
		for (long i = 0; i < n && !found; i++)
			found = completes_name(&search, text[i]);
	cps_sys_close(fd);
	return found;
}

void cps_lineage_find(struct cps_lineage *l)
{
	uint64_t now = (uint64_t)cps_sys_getpid(), parent, start, next;
	bool is_known = l->tree_pid != 0;

	l->n_ancestors = 0;
	if (!read_stat(now, &parent, &start))
		return;
	for (int i = 0; i < GENERATIONS; i++) {
		if (!is_known) {
			l->tree_pid = now;
			l->tree_start = start;
		}
		if (parent <= 1 || (is_known ? now == l->tree_pid : !is_preloaded(parent)) ||
		    !read_stat(parent, &next, &start))
			return;
		if (l->n_ancestors < CPS_ANCESTORS_MAX)
			l->ancestors[l->n_ancestors++] = parent;
		now = parent;
		parent = next;
	}
}
