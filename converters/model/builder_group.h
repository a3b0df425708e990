/* SPDX-License-Identifier: MIT */
/*
 * builder_group.h - names what stacks belong to, and selects samples by that, by time and by state.
 */
#ifndef MODEL_BUILDER_GROUP_H
#define MODEL_BUILDER_GROUP_H

#include "model/profile.h"

/* ---- group names ----------------------------------------------------------------------------- */

/* "cc1 [1234]". The caller frees it. NULL: out of memory. */
char *group_names_process(const struct strings *s, const struct profile_process *process);

/* "cc1 [1234] worker (tid 1235)"; if there is only one process, "worker (tid 1235)". */
char *group_names_thread(const struct strings *s, const struct profile_process *process,
			 const struct profile_thread *thread, bool is_alone);

/* "rank 3", or "[no rank]". */
char *group_names_rank(bool has_rank, uint64_t rank);

#endif
