/* SPDX-License-Identifier: MIT */
/*
 * stack_groups.h - the process, thread and rank that a group of stacks is of.
 */
#ifndef STACK_GROUPS_H
#define STACK_GROUPS_H

#include "model/profile.h"

struct stack_group {
	const struct profile_process *process; /* NULL: of several */
	const struct profile_thread *thread;   /* likewise */
	bool has_rank;			       /* all of it has this one */
	uint64_t rank;
	const char *run; /* what all of a process tree have; NULL: not known, or of several */
	uint32_t host;	 /* a string; STRINGS_NONE: likewise */
};

struct stack_groups;

struct stack_groups *stack_groups_new(const struct profile *p); /* NULL: out of memory */
void stack_groups_free(struct stack_groups *g);

/* The group of that name, in strings; STRINGS_NONE: all stacks. */
struct stack_group stack_groups_find(const struct stack_groups *g, uint32_t name);

#endif
