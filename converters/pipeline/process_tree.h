/* SPDX-License-Identifier: MIT */
/*
 * process_tree.h - the recordings that one launch has left in the current directory.
 *
 * In: the name of one of them. Out: the names of all.
 */
#ifndef PROCESS_TREE_H
#define PROCESS_TREE_H

#include <stdbool.h>
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

/* What the process record at the head of a file says of its process tree. */
struct process_tree_head {
	char *host; /* NULL if the record has none */
	uint64_t pid, start;
	uint64_t start_ns; /* of the process */
};

/* Read the head of a file. Returns 1; 0 if it cannot be read or names no tree: then pid is 0; -1 if memory
 * is out. */
int process_tree_head_read(struct process_tree_head *h, const char *file);
void process_tree_head_clear(struct process_tree_head *h);

bool process_tree_is_same(const struct process_tree_head *a, const struct process_tree_head *b);

#endif
