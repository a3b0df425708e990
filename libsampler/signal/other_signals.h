/* SPDX-License-Identifier: MIT */
/*
 * other_signals.h - samples at signals that are no ticks of the clock.
 *
 * What counts something beside the clock (resource/) has signals of its own, of the same number.
 * Each of them may be a sample, of an atom of its own.
 */
#ifndef CPS_OTHER_SIGNALS_H
#define CPS_OTHER_SIGNALS_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "stream/recording.h"

/* What a thread has consumed that is not to be credited to it, if the recorder has caused it. */
struct cps_other_signals_use {
	uint64_t minor_faults, major_faults;
};

struct cps_other_signals {
	/* [signal] Whether this signal with the number CPS_SIGNAL_OWN is of this kind. */
	bool (*is_mine)(const siginfo_t *info);
	/* [signal] What the calling thread is to be credited with. False: nothing. */
	bool (*credit)(struct cps_thread *t, const siginfo_t *info, struct cps_credit *credit);
	/* [signal] That could not be recorded: it is due with the thread's next sample. */
	void (*keep)(struct cps_thread *t, const siginfo_t *info, const struct cps_credit *credit);
	/* [signal] The signal has been handled, and another one may come. */
	void (*rearm)(struct cps_thread *t, const siginfo_t *info);
	/* [signal] The thread, which may be NULL, begins and ends work of the recorder's. */
	void (*enter)(struct cps_other_signals_use *use);
	/* [signal] */
	void (*leave)(struct cps_thread *t, const struct cps_other_signals_use *use);
};

/* [signal] Set it; it must stay valid, and is never unset: its signals may be on their way. */
void cps_other_signals_use_this(const struct cps_other_signals *others);

/* [signal] In the handler of CPS_SIGNAL_OWN: whether the signal is of this kind; then it was dealt with. */
bool cps_other_signals_handle(const siginfo_t *info, void *context);

/* [signal] Such a signal was taken from the calling thread, whose entry this is, without a handler: another one may come. False:
 * it is not of this kind. */
bool cps_other_signals_forgo(struct cps_thread *t, const siginfo_t *info);

/* [signal] Whether a sample may be taken now. The time that is set for recording may begin with it. */
bool cps_other_signals_is_time(void);

/* [signal] To be called around what the recorder does in the calling thread. */
void cps_other_signals_enter(struct cps_other_signals_use *use);
/* [signal] */
void cps_other_signals_leave(const struct cps_other_signals_use *use);

#endif
