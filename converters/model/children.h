/* SPDX-License-Identifier: MIT */
/*
 * children.h - what the children of recorded processes used, and how much of it no recording shows.
 *
 * In: struct profile. Out: CPU times.
 */
#ifndef CHILDREN_H
#define CHILDREN_H

#include "model/profile.h"

/* All in nanoseconds. */
struct children {
	uint64_t used_ns;    /* CPU time of children that ended and were waited for, each once */
	uint64_t missing_ns; /* the part of it that is in no recording of the profile */
	uint64_t *missing;   /* by process: such a part of what its children, and theirs, used */
};

/*
 * Each recording says what its process's children used and what theirs did, as getrusage(2) has it. A
 * recording of a child is subtracted from what the nearest recorded ancestor says, so that nothing
 * counts twice. A process that outlived this ancestor was not waited for and is not subtracted. If
 * the recordings of children sum up to more than the ancestor says, as when it ignores SIGCHLD, nothing
 * is missing there. Fills *c; children_free it. Returns 0 or -1 (memory).
 */
int children_find(struct children *c, const struct profile *p, struct error *err);
void children_free(struct children *c);

#endif
