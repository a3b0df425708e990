/* SPDX-License-Identifier: MIT */
/*
 * process_tree.h - the recordings that one launch has left in the current directory.
 *
 * In: the name of one. Out: all of them.
 */
#ifndef PROCESS_TREE_H
#define PROCESS_TREE_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct process_tree_member {
	char *file;
	uint64_t start_ns, bytes;
};

struct process_tree {
	struct process_tree_member *members; /* by start, then name */
	size_t n, size;
};

/*
 * `newest` and all *.cps here whose process record names the same process tree; `newest` alone if
 * its record names none, or cannot be read. Only the heads of the files are read. -1: memory.
 */
int process_tree_find(struct process_tree *t, const char *newest, struct error *err);
void process_tree_free(struct process_tree *t);

#endif
