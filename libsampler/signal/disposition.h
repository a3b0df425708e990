/* SPDX-License-Identifier: MIT */
/*
 * disposition.h - keeps the target's dispositions of signals whose handler is the recorder's.
 *
 * The recorder uses few signals: the clock's, and CPSAMPLE_TOGGLE_SIGNAL.
 */
#ifndef CPS_DISPOSITION_H
#define CPS_DISPOSITION_H

#include <signal.h>
#include <stdbool.h>

/*
 * The clocks' own signal. The C library keeps it for the cancellation of threads, and lets no
 * program block, handle, await or send it. So nothing that a target does with masks and
 * dispositions can stop the ticks, and it never sees them. Signals that the C library sends are
 * passed on to its handler (doc/decisions/0009).
 */
#define CPS_SIGNAL_OWN 32

/* [signal] Install `handler`, which must be a CPS_REGS_HANDLER, and keep the present disposition as
 * the target's. 0 or -errno. */
int cps_disposition_take(int number, void (*handler)(int, siginfo_t *, void *));

/* [signal] Install `handler` only while the target wants the default. Everything else that it asks
 * for is given to the kernel. 0 or -errno. */
int cps_disposition_take_default(int number, void (*handler)(int, siginfo_t *, void *));
/* [signal] Whether the signal was taken by the function above. */
bool cps_disposition_is_default_only(int number);

/* [signal] If the C library has installed its own handler instead of ours, keep that as the
 * target's and install ours again. False: ours was in place. */
bool cps_disposition_retake(int number);

/* [signal] Give the signal back to the target. A pending one is dropped, because it was ours. */
void cps_disposition_give_back(int number);

/* [signal] To be called before and after an exec. What the target ignores must be ignored in the
 * new program, and signal `number` (0: none), which was ours, must not be pending there. Works in a
 * child of vfork, too. */
void cps_disposition_leave(int number);
/* [signal] */
void cps_disposition_return(void);

/* [signal] For a child made by fork: no thread is changing a disposition there. */
void cps_disposition_reset(void);

/* [signal] Whether the signal was taken. */
bool cps_disposition_is_taken(int number);

/* [signal] The disposition that the target has asked for; and the one that it asks for now. */
void cps_disposition_get(int number, struct sigaction *action);
/* [signal] */
void cps_disposition_set(int number, const struct sigaction *action);

/* [signal] Whether the kernel ignores the signal, by the default or because it was told to. */
bool cps_disposition_is_ignored(int number);

/* [signal] In our handler: do what the signal would have done without us. */
void cps_disposition_pass_on(int number, siginfo_t *info, void *context);

#endif
