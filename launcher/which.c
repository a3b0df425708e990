/* SPDX-License-Identifier: MIT */
/*
 * which.c - finds the processes that are meant.
 *
 * In: words, /proc. Out: process ids, each once.
 */
#include "launcher/which.h"

#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/utf8.h"
#include "launcher/target.h"

#define NAME_BYTES 16 /* of the kernel's names */

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
	char path[64];
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/comm", pid);
	f = fopen(path, "re");
	if (!f || !fgets(name, (int)bytes, f))
		snprintf(name, bytes, "?");
	if (f)
		fclose(f);
	name[strcspn(name, "\n")] = '\0';
	utf8_clean(name);
	return name;
}

static int parent_of(int pid)
{
	char text[512];
	const char *rest = target_stat(pid, pid, text, sizeof(text));
	int parent = 0;

	if (!rest || sscanf(rest, " %*c %d", &parent) != 1)
		return 0;
	return parent;
}

/* Call f for each process. */
static void each(void (*f)(int pid, void *context), void *context)
{
	DIR *directory = opendir("/proc");
	struct dirent *d;

	while (directory && (d = readdir(directory)))
		if (isdigit((unsigned char)d->d_name[0]))
			f(atoi(d->d_name), context);
	if (directory)
		closedir(directory);
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

static int find_name(const char *name)
{
	struct which found = {0};
	struct search s = {name, &found};
	int pid;

	each(compare, &s);
	if (!found.n) {
		fprintf(stderr,
			"cpsample: %s: no process has this name; names are whole, as pgrep -x has "
			"them\n",
			name);
		exit(125);
	}
	if (found.n > 1) {
		fprintf(stderr, "cpsample: %s: %zu processes have this name; name one of ", name,
			found.n);
		for (size_t i = 0; i < found.n && i < 8; i++)
			fprintf(stderr, "%s%d", i ? ", " : "", found.pids[i]);
		fprintf(stderr, "%s\n", found.n > 8 ? ", ..." : "");
		exit(125);
	}
	pid = found.pids[0];
	free(found.pids);
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

		if (isdigit((unsigned char)words[i][0]) && !*end && pid > 0 && pid < 1 << 30)
			add(w, (int)pid);
		else
			add(w, find_name(words[i]));
	}
	w->n_named = w->n;
	for (size_t i = 0; has_tree && i < w->n; i++) { /* which grows meanwhile */
		struct family f = {w, w->pids[i]};

		each(add_child, &f);
	}
}
