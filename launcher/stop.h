/* SPDX-License-Identifier: MIT */
/*
 * stop.h - stops threads of a process for a moment, so that none of them notices.
 *
 * A thread is seized and interrupted, which sends no signal. A call in which it waits is gone on with: the kernel makes most
 * of them again by itself, and those that it would end with EINTR are made again here, with the time that they had left.
 */
#ifndef LAUNCHER_STOP_H
#define LAUNCHER_STOP_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/user.h>

#include "launcher/target.h"

struct stopped {
	const struct target *target;
	int tid;
	struct user_regs_struct regs;
	uint64_t stopped_ns,
		slept_ns; /* when; and how long it had been in its call then, if that is known */
};

/* Nanoseconds of CLOCK_MONOTONIC. */
uint64_t stop_now(void);

/* Stop a thread, wherever it is. 0 or an error number: EBUSY if it does not stop, as a parent in vfork. Then it stops later, and
 * has to be let go by stop_release_late; that happens, too, when this process ends. */
int stop_thread(struct stopped *s, const struct target *t, int tid);

/* The same in three steps, for several threads at once: begin to trace it; ask it to stop; wait until it has stopped, at most
 * until then. After an error of the last one the thread is as if stop_thread had failed. */
int stop_seize(struct stopped *s, const struct target *t, int tid);
int stop_ask(struct stopped *s);
int stop_wait(struct stopped *s, uint64_t until);

/* As stop_wait, but after EBUSY it is to be called again, or stop_wait. */
int stop_try(struct stopped *s, uint64_t until);

/* Let those go on that have stopped since. To be called often as long as it returns true: there are more. */
bool stop_release_late(void);

/* Let it go on. */
void stop_go_on(struct stopped *s);

/* ---- what registers say ---------------------------------------------------------------------------------------- */

uint64_t stop_pc(const struct user_regs_struct *r);
uint64_t stop_sp(const struct user_regs_struct *r);

/* What pthread_self() returns in the thread, with glibc and musl. */
uint64_t stop_thread_pointer(const struct user_regs_struct *r);

/* The number of the call that it is in, or has just left; -1: none. */
long stop_call(const struct user_regs_struct *r);

/* Set those; all others are as good as unknown then. */
void stop_set_place(struct user_regs_struct *r, uint64_t pc, uint64_t sp, long call);

/* The registers with DWARF's numbers from 0 on; the stack pointer is number STOP_DWARF_SP. */
#define STOP_DWARF_REGISTERS 16
#define STOP_DWARF_SP	     7
void stop_dwarf(const struct user_regs_struct *r, uint64_t to[STOP_DWARF_REGISTERS]);

/* ---- for who uses a stopped thread (hijack.h) --------------------------------------------------------------- */

bool stop_get_regs(int tid, struct user_regs_struct *r);
bool stop_set_regs(int tid, const struct user_regs_struct *r);

/* 1: it has stopped, or ended; 0: not until then; -1: it is not ours. */
int stop_wait_until(int tid, int *status, uint64_t until);

/* Whether it is the stop that was asked for. */
bool stop_is_ours(int status);

/* Whether it was stopped in a call that has to be made again, or that the kernel makes again itself. */
bool stop_is_interrupted(const struct user_regs_struct *r);
bool stop_is_restarted(const struct user_regs_struct *r);

/* Change its registers so that the call is made again. */
void stop_make_again(const struct stopped *s, struct user_regs_struct *r);

/* Set its own registers, with which it goes on. */
void stop_set_own(const struct stopped *s);

#endif
