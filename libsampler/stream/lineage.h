/* SPDX-License-Identifier: MIT */
/*
 * lineage.h - finds the process tree that a process belongs to.
 */
#ifndef CPS_LINEAGE_H
#define CPS_LINEAGE_H

#include <stddef.h>
#include <stdint.h>

#include "format.h"

struct cps_lineage {
	uint64_t tree_pid, tree_start; /* the root; its start is in clock ticks after boot; pid 0:
					  not known */
	uint64_t ancestors[CPS_ANCESTORS_MAX]; /* their pids, the parent's first, up to the root */
	size_t n_ancestors;
};

/*
 * [signal] Find the ancestors up to the root of the process tree. If the root is not known, it is
 * the topmost ancestor such that it and all processes below it, down to this one, were started with
 * the recorder; or the process itself. Reads /proc; if that cannot be read, nothing is found. An
 * ancestor that has ended breaks the line.
 */
void cps_lineage_find(struct cps_lineage *l);

#endif
