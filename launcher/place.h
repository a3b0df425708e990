/* SPDX-License-Identifier: MIT */
/*
 * place.h - tells whether a stopped thread is where it holds no lock that loading a library or making a thread takes.
 *
 * The locks are those of the loader, of the allocators, and of functions that make and end threads and processes. A thread
 * holds one only within these functions, so neither the place where it is nor any return address on its stack may lie in one.
 * Each word of the stack counts as one if it follows a call: that needs no unwinding, works through generated code, and finds
 * what a signal handler has interrupted. Words that dead frames have left may look so for ever. Then tables tell which are
 * return addresses (libdw).
 */
#ifndef LAUNCHER_PLACE_H
#define LAUNCHER_PLACE_H

#include <stdbool.h>
#include <sys/user.h>

#include "launcher/target.h"

/* Learn where no thread may be. `libc` is the process's. */
void place_learn(const struct target *t, const struct image *libc);

/* Instead: only the recorder itself is no place to be. */
void place_learn_recorder(const struct target *t);

/* Whether the recorder, if the process has it already, does something in the thread that is not to be interrupted. */
bool place_is_in_recorder(const struct target *t, int tid);

/* Why the stopped thread is not at a safe place; NULL: it is. */
const char *place_unsafe(struct target *t, const struct user_regs_struct *regs);

/* The same by exact unwinding. `why` is the answer of the former, which holds if stacks cannot be unwound. The first call
 * takes long, and is to be made while no thread is stopped, with tid 0. */
const char *place_unsafe_exactly(const struct target *t, int tid, const char *why);

/* Whether a thread that has stopped there is in a restartable sequence (rseq), which it would begin anew if it were taken away. */
bool place_in_sequence(const struct target *t, int tid, const struct user_regs_struct *regs);

#endif
