/* SPDX-License-Identifier: MIT */
/*
 * process_tree.h - the recordings that one launch has left in the current directory.
 *
 * In: the name of one of them. Out: the names of all.
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
	struct process_tree_member *members; /* sorted by start, then by name */
	size_t n, size;
};

/*
 * Find `newest` and all other *.cps files of the current directory whose process record names the
 * same process tree. If the record of `newest` names no tree, or cannot be read, `newest` is the
 * only member. Only the heads of the files are read. -1: out of memory.
 */
int process_tree_find(struct process_tree *t, const char *newest, struct error *err);
/* Find all recordings of the process tree of this process on this machine, which may be none. */
int process_tree_of(struct process_tree *t, uint64_t pid, uint64_t start, struct error *err);

void process_tree_free(struct process_tree *t);

#endif
