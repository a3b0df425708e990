/* SPDX-License-Identifier: MIT */
/*
 * control.c - starts, stops and marks the recording from within the target.
 *
 * In: calls of cpsample.h, CPSAMPLE_TOGGLE_SIGNAL, CPSAMPLE_DURATION. Out: a recording that pauses,
 * continues or ends.
 */
#include <errno.h>
#include <stdatomic.h>
#include <string.h>

#include "base/sys.h"
#include "clock/posix_timer.h"
#include "cpsample.h"
#include "door/door.h"
#include "door/life.h"
#include "signal/disposition.h"
#include "signal/gate.h"
#include "signal/own_stack.h"
#include "signal/sample.h"
#include "stream/recording.h"
#include "unwind/regs.h"

#define EXPORT __attribute__((visibility("default")))

EXPORT void(cpsample_start)(void)
{
	int saved = errno;

	cps_life_resume();
	errno = saved;
}

EXPORT void(cpsample_stop)(void)
{
	int saved = errno;

	cps_life_pause(NULL);
	errno = saved;
}

EXPORT void(cpsample_mark)(const char *name)
{
	int saved = errno;

	if (name && cps_life_clock() && cps_gate_is_open())
		cps_recording_mark(cps_thread_self(), name);
	errno = saved;
}

static void toggle(void *context)
{
	cps_life_toggle(context);
}

/* What the signal does by default is to end the process. Who sends it to start or pause a recording may not know
 * that this has ended. */
static bool is_handled(int number)
{
	struct sigaction action;

	cps_disposition_get(number, &action);
	return action.sa_handler != SIG_DFL;
}

static CPS_REGS_HANDLER void on_toggle(int number, siginfo_t *info, void *context)
{
	int saved = errno;

	if (cps_life_clock())
		cps_own_stack_call(0, toggle, context);
	else if (is_handled(number))
		cps_disposition_pass_on(number, info, context);
	cps_sample_note_interruption(context);
	errno = saved;
}

int cps_control_prepare(int toggle_signal)
{
	return toggle_signal ? cps_disposition_take(toggle_signal, on_toggle) : 0;
}

static _Atomic int deadline = -1; /* a timer of the kernel's; -1: there is none */

/* A program that sleeps when its time is over has no tick that would notice it, so there is a
 * timer. */
void cps_control_set_deadline(void)
{
	uint64_t until = cps_gate_until();
	int timer;

	atomic_store(&deadline, -1);
	if (!until)
		return;
	if (!cps_disposition_is_taken(CPS_SIGNAL_OWN))
		cps_disposition_take(CPS_SIGNAL_OWN, cps_sample_handler);
	if (!cps_disposition_is_taken(CPS_SIGNAL_OWN) ||
	    cps_posix_timer_create(CLOCK_MONOTONIC, 0, CPS_SIGNAL_OWN, CPS_SAMPLE_DEADLINE,
				   &timer) != 0)
		return;
	atomic_store(&deadline, timer);
	cps_posix_timer_set(timer, TIMER_ABSTIME, until, 0);
}

void cps_control_drop_deadline(void)
{
	int timer = atomic_exchange(&deadline, -1);

	if (timer >= 0)
		cps_posix_timer_delete(timer);
}
