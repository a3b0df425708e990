/* SPDX-License-Identifier: MIT */
/*
 * native_stacks.h - follows stacks of threads that were copied, by the unwind tables of their files.
 */
#ifndef LAUNCHER_NATIVE_STACKS_H
#define LAUNCHER_NATIVE_STACKS_H

#include "launcher/modules.h"
#include "launcher/snapshot.h"

struct native_frame {
	uint64_t pc, sp; /* sp 0: not known */
	bool is_exact; /* it was interrupted there; else it has called, and pc is where the call returns to */
	bool is_guess; /* no table led to it */
};

struct native_stack {
	struct native_frame *frames; /* innermost first */
	size_t n, room;
	bool is_whole; /* it ends in the outermost function */
};

struct native_stacks;

/* Begin with what was copied. NULL: that cannot be done. */
struct native_stacks *native_stacks_open(struct snapshot *s, const struct modules *m);

/* Follow the stack of a thread of the snapshot. `stack` may have been used for another one. */
void native_stacks_walk(struct native_stacks *n, size_t thread, struct native_stack *stack);

void native_stacks_close(struct native_stacks *n);

#endif
