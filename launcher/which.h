/* SPDX-License-Identifier: MIT */
/*
 * which.h - finds the processes that are meant.
 */
#ifndef LAUNCHER_WHICH_H
#define LAUNCHER_WHICH_H

#include <stdbool.h>
#include <stddef.h>

struct which {
	int *pids;
	size_t n, n_named; /* the first ones were named, the others are below them */
};

/* Find them: each word is a process id, or a name that exactly one process has, as pgrep -x finds it. has_tree: and all of their
 * descendants; then all other processes of a name may also be below one. Says in one line what was not found, or lists those that
 * have the name, and ends with status 125 then. */
void which_find(struct which *w, char **words, size_t n, bool has_tree);

/* What the kernel calls the process; "?" if it has ended. Returns `name`. */
const char *which_name(int pid, char *name, size_t bytes);

#endif
