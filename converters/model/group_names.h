/* SPDX-License-Identifier: MIT */
/*
 * group_names.h - what groups of stacks are called.
 */
#ifndef GROUP_NAMES_H
#define GROUP_NAMES_H

#include "model/profile.h"

/* "cc1 [1234]". The caller frees it. NULL: out of memory. */
char *group_names_process(const struct strings *s, const struct profile_process *process);

/* "cc1 [1234] worker (tid 1235)"; if there is only one process, "worker (tid 1235)". */
char *group_names_thread(const struct strings *s, const struct profile_process *process,
			 const struct profile_thread *thread, bool is_alone);

/* "rank 3", or "[no rank]". */
char *group_names_rank(bool has_rank, uint64_t rank);

#endif
