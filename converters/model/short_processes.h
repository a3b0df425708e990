/* SPDX-License-Identifier: MIT */
/*
 * short_processes.h - the processes of a run that ended without a recording.
 *
 * In: the processes of a profile, the lists beside their recordings or in their pack. Out: processes without samples.
 */
#ifndef MODEL_SHORT_PROCESSES_H
#define MODEL_SHORT_PROCESSES_H

#include "base/stop.h"
#include "model/profile.h"

/*
 * Fill p->shorts with those of the runs whose recordings these are. Without `all`, only with those of runs of which several
 * recordings were read, or that of their first process: a recording that is named stands for itself.
 *
 * What a process has used is what it says, without what its earlier programs say. So no time counts twice, whichever of
 * them have recordings. -1: memory is out, or a pack is damaged.
 */
int short_processes_find(struct profile *p, bool all, struct error *err);

/* A run with a list of such processes that is shown. */
struct short_list {
	uint32_t file; /* a recording beside the list */
	uint64_t tree_pid, tree_start;
};

/* The lists that short_processes_find() reads, by process and start of their runs. The caller frees *lists, also on error. -1: as
 * above. */
int short_processes_lists(struct profile *p, bool all, struct short_list **lists, size_t *n,
			  struct error *err);

/* The CPU time (ns) of them all. */
uint64_t short_processes_used(const struct profile *p);

/* A list of all processes, those with recordings first, of n_processes + n_shorts; what they hold is the profile's. The caller
 * frees the list. NULL: memory. */
struct profile_process *short_processes_and_others(const struct profile *p);

#endif
