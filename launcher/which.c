/* SPDX-License-Identifier: MIT */
/*
 * which.c - finds the processes that are meant.
 *
 * In: words, /proc. Out: process ids, each once.
 */
#include "launcher/which.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/line.h"
#include "base/utf8.h"
#include "launcher/proc.h"
#include "launcher/target.h"

#define NAME_BYTES    16 /* of the kernel's names */
#define COMMAND_BYTES 68 /* of a command that is shown */
#define SHOWN_MOST    20
#define FAMILY_MOST   1000
#define DEPTH_MOST    100 /* of processes below each other */

static void add(struct which *w, int pid)
{
	for (size_t i = 0; i < w->n; i++)
		if (w->pids[i] == pid)
			return;
	w->pids = realloc(w->pids, (w->n + 1) * sizeof(*w->pids));
	if (!w->pids)
		exit(125);
	w->pids[w->n++] = pid;
}

const char *which_name(int pid, char *name, size_t bytes)
{
	if (!proc_line(pid, pid, "comm", name, bytes))
		snprintf(name, bytes, "?");
	utf8_clean(name);
	return name;
}

static int parent_of(int pid)
{
	char text[512];
	const char *rest = proc_stat(pid, pid, text, sizeof(text));
	int parent = 0;

	if (!rest || sscanf(rest, " %*c %d", &parent) != 1)
		return 0;
	return parent;
}

/* Call f for each process. */
static void each(void (*f)(int pid, void *context), void *context)
{
	DIR *processes = proc_processes();
	int pid;

	while ((pid = proc_next(processes)))
		f(pid, context);
	proc_close(processes);
}

struct search {
	const char *name;
	struct which *found;
};

/* A longer name is cut by the kernel. This process, and the shell that has become it, are not meant. */
static void compare(int pid, void *context)
{
	struct search *s = context;
	char name[NAME_BYTES + 1];

	which_name(pid, name, sizeof(name));
	if (pid != getpid() && strncmp(name, s->name, NAME_BYTES - 1) == 0)
		add(s->found, pid);
}

static bool is_below(int pid, int ancestor)
{
	for (int i = 0; pid > 0 && i < DEPTH_MOST; i++) {
		pid = parent_of(pid);
		if (pid == ancestor)
			return true;
	}
	return false;
}

/* The one below which all others are; 0: there is none, or there are so many that to look would take long. */
static int topmost_of(const struct which *w)
{
	for (size_t i = 0; i < w->n && w->n <= FAMILY_MOST; i++) {
		size_t k = 0;

		while (k < w->n && (k == i || is_below(w->pids[k], w->pids[i])))
			k++;
		if (k == w->n)
			return w->pids[i];
	}
	return 0;
}

static void say_process(int pid)
{
	char path[64], line[COMMAND_BYTES + 1], name[NAME_BYTES + 1];
	size_t n = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/cmdline", pid);
	f = fopen(path, "re");
	if (f) {
		n = fread(line, 1, COMMAND_BYTES, f);
		fclose(f);
	}
	while (n && !line[n - 1])
		n--;
	line[n] = '\0';
	for (size_t i = 0; i < n; i++)
		line[i] = line[i] ? line[i] : ' ';
	utf8_clean(line);
	fprintf(stderr, "  %-7d %s\n", pid, n ? line : which_name(pid, name, sizeof(name)));
}

static void refuse_several(const char *name, const struct which *found)
{
	int topmost = topmost_of(found);

	fprintf(stderr, "cpsample: %s: %zu processes have this name; ", name, found->n);
	if (topmost)
		fprintf(stderr, "-p %d --tree takes all of them:\n", topmost);
	else
		fputs("name them by number:\n", stderr);
	for (size_t i = 0; i < found->n && i < SHOWN_MOST; i++)
		say_process(found->pids[i]);
	if (found->n > SHOWN_MOST)
		fprintf(stderr, "  ... and %zu more\n", found->n - SHOWN_MOST);
	exit(125);
}

/* With those below it a name means the one that all others are below. */
static int find_name(const char *word, bool has_tree)
{
	char *name = strdup(word);
	struct which found = {0};
	struct search s = {word, &found};
	int pid;

	if (!name)
		exit(125);
	utf8_clean(name);
	each(compare, &s);
	if (!found.n) {
		line_say("cpsample: %s: no process has this name; names are whole, as pgrep -x has "
			 "them",
			 name);
		exit(125);
	}
	pid = found.n > 1 ? topmost_of(&found) : found.pids[0];
	if (found.n > 1 && !(has_tree && pid))
		refuse_several(name, &found);
	free(found.pids);
	free(name);
	return pid;
}

struct family {
	struct which *which;
	int parent;
};

static void add_child(int pid, void *context)
{
	struct family *f = context;

	if (parent_of(pid) == f->parent && pid != getpid())
		add(f->which, pid);
}

void which_find(struct which *w, char **words, size_t n, bool has_tree)
{
	for (size_t i = 0; i < n; i++) {
		char *end;
		long pid = strtol(words[i], &end, 10);

		if (pid == getpid() && !*end) {
			line_say("cpsample: %ld: is cpsample itself", pid);
			exit(125);
		}
		if (isdigit((unsigned char)words[i][0]) && !*end && pid > 0 && pid < 1 << 30)
			add(w, (int)pid);
		else
			add(w, find_name(words[i], has_tree));
	}
	w->n_named = w->n;
	for (size_t i = 0; has_tree && i < w->n; i++) { /* which grows meanwhile */
		struct family f = {w, w->pids[i]};

		each(add_child, &f);
	}
}
