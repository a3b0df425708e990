/* SPDX-License-Identifier: MIT */
/*
 * hijack.h - has one thread of a process make system calls and one call of a function, and puts it back.
 *
 * The launcher may be killed at any instant, also between two of its steps, and must not leave the thread at a place that it
 * has made up. So before it changes a register it writes a signal frame with all that the thread has, as the kernel would for
 * a handler, and code that ends by returning from that frame (rt_sigreturn): whatever the thread is made to do leads there by
 * itself. Both lie in the last pages of parts of files, behind their ends, where nobody has anything; the bytes are put back.
 * No instruction is stepped singly, because that state outlives its tracer.
 *
 * As long as the launcher lives it stops the thread again and sets all registers itself. Then a system call that was
 * interrupted goes on as if nothing had been, with its own remaining time, which a return from a signal would end.
 */
#ifndef LAUNCHER_HIJACK_H
#define LAUNCHER_HIJACK_H

#include <signal.h>
#include <sys/user.h>

#include "launcher/stop.h"

#define HIJACK_XSTATE_MOST 16384
#define HIJACK_HELD_MOST   256

struct hijack_piece {
	uint64_t at;
	size_t n;
	unsigned char *before; /* what stood there */
};

/* A function is called with `argument` on that stack. It sets *done (an address) itself before it returns. `entry` is an address
 * where hijack_code stands. */
struct hijack_call {
	uint64_t entry, function, argument, stack, done;
};

struct hijack {
	struct stopped at;
	unsigned char xstate[HIJACK_XSTATE_MOST];
	size_t xstate_bytes;
	uint64_t mask; /* of signals */
	struct hijack_piece code, frame, fp;
	bool is_entered, is_in_call;	  /* the latter: at the end of a system call */
	struct hijack_call call;	  /* the latest; entry 0: none */
	siginfo_t held[HIJACK_HELD_MOST]; /* signals that came meanwhile */
	int n_held;
	bool drops_ticks; /* those of the recorder's are nobody's any more */
};

/* Find places for code and frames. False: there are none. */
bool hijack_find_places(const struct target *t);

/* Whether code of a launcher lies there that was killed. Then a thread may be on its way back, and needs what lies there. What is
 * put back in the end is what the files have there, where they can be read. */
bool hijack_was_left(const struct target *t);

/* Whether a thread with these registers is. */
bool hijack_is_on_way_back(const struct target *t, const struct user_regs_struct *regs);

/* Stop a thread, as stop_thread does. It goes on by stop_go_on(&h->at), or by hijack_leave. */
int hijack_stop(struct hijack *h, const struct target *t, int tid);

/* Begin to use a stopped thread: from here on it leads a life that is not its own, with all signals blocked. False, with
 * *why: it does not. To be ended by hijack_leave in any case. */
bool hijack_enter(struct hijack *h, const char **why);

/* Make a system call in it. Returns what that returns. */
long hijack_syscall(struct hijack *h, long number, const uint64_t arguments[6]);

/* Write memory of its process, also such as the process itself may only read. */
bool hijack_write(const struct hijack *h, uint64_t at, const void *from, size_t n);

/* Call it. False, with *why: it has not come back in time, or has failed, and the thread is as it was stopped then. */
bool hijack_call(struct hijack *h, const struct hijack_call *call, const char **why);

/* The code for `entry`. */
extern const unsigned char hijack_code[], hijack_code_end[];

/* Put all of it back, and let it go on. */
void hijack_leave(struct hijack *h);

#endif
