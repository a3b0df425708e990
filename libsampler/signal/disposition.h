/* SPDX-License-Identifier: MIT */
/*
 * disposition.h - whose handler a signal has: ours in the kernel, the target's kept behind it.
 *
 * Signals that the recorder uses are few: the clock's, and CPSAMPLE_TOGGLE_SIGNAL.
 */
#ifndef CPS_DISPOSITION_H
#define CPS_DISPOSITION_H

#include <signal.h>
#include <stdbool.h>

/*
 * The clocks' own signal. The C library keeps it for the cancellation of threads and lets no
 * program block, handle, await or send it: so nothing that a target does with masks and
 * dispositions can stop our ticks, and it never sees them. The library's own use is passed on.
 */
#define CPS_SIGNAL_OWN 32

/* [signal] Put `handler` in place, and keep what was there as the target's. 0 or -errno. */
int cps_disposition_take(int number, void (*handler)(int, siginfo_t *, void *));

/* [signal] Put `handler` in place only while the target wants the default: everything else that
 * it asks for goes to the kernel. 0 or -errno. */
int cps_disposition_take_default(int number, void (*handler)(int, siginfo_t *, void *));
/* [signal] Was the signal taken so? */
bool cps_disposition_is_default_only(int number);

/* [signal] The C library has put its own handler in the place of ours: keep that as the
 * target's, and put ours back. False: it is ours. */
bool cps_disposition_retake(int number);

/* [signal] The signal is the target's again. What is pending is dropped: it was ours. */
void cps_disposition_give_back(int number);

/* [signal] Before and after an exec: the new program is to find ignored what the target ignores,
 * and nothing of signal `number` (0: none), which was ours, pending. Works in a child of vfork,
 * too. */
void cps_disposition_leave(int number);
/* [signal] */
void cps_disposition_return(void);

/* [signal] In a child that fork has made: nobody is changing anything. */
void cps_disposition_reset(void);

/* [signal] Is our handler in place for this signal? */
bool cps_disposition_is_taken(int number);

/* [signal] What the target has asked for, or wants from now on. */
void cps_disposition_get(int number, struct sigaction *action);
/* [signal] */
void cps_disposition_set(int number, const struct sigaction *action);

/* [signal] Is the signal ignored in the kernel? */
bool cps_disposition_is_ignored(int number);

/* [signal] In the handler: what would have happened without us. */
void cps_disposition_pass_on(int number, siginfo_t *info, void *context);

#endif
