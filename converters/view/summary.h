/* SPDX-License-Identifier: MIT */
/*
 * summary.h - the parts of --summary that have to be computed.
 *
 * In: a tree, a profile. Out: a few paths, a few lines of sources.
 */
#ifndef SUMMARY_H
#define SUMMARY_H

#include "write/out.h"
#include "write/view_input.h"

#define SUMMARY_PATHS 6
#define SUMMARY_LINES 5

/* ---- summary_paths.c ---- */

/* The heaviest paths: down to those nodes with a considerable share of all that have no callee with such a share.
 * A node that has one stands for what it used itself, if that is a considerable share. So what a path weighs is
 * no part of another one. */
struct summary_paths {
	uint32_t nodes[SUMMARY_PATHS]; /* the heaviest first */
	uint64_t weights[SUMMARY_PATHS];
	size_t n;
	uint32_t common; /* the innermost node of the tree that all of them are below; 0: none */
	uint64_t total;	 /* of all that are listed */
};

void summary_paths_find(struct summary_paths *p, const struct tree *t);
/* Write the functions of path i from below what all have in common, or with p->n that, "main -> parse -> read", in lines that
 * begin in `column`. Always shown are the last one, the last one of the user's program or script, and where the path parts from
 * another one; then if they fit in two lines the first one and as many of the last as fit. */
void summary_path_write(struct out *o, const struct tree *t, const struct summary_paths *p,
			size_t i, int column);

/* ---- summary_lines.c ---- */

struct summary_line {
	uint32_t file, line, function; /* file, function: in the profile's strings */
	uint64_t self;
};

struct summary_lines {
	struct summary_line list[SUMMARY_LINES]; /* the heaviest first */
	size_t n;
};

/* The source lines that were running most, of all stacks: a filter has no part in it. -1: memory, or the user
 * has stopped it. */
int summary_lines_find(struct summary_lines *l, const struct view_input *in, struct error *err);

#endif
