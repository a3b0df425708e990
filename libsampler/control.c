/* SPDX-License-Identifier: MIT */
/*
 * control.c - starts, stops and marks the recording from within the target.
 *
 * Room: door. In: calls of cpsample.h, CPSAMPLE_TOGGLE_SIGNAL. Out: a recording that pauses or goes on.
 */
#include <errno.h>

#include "cpsample.h"
#include "disposition.h"
#include "door.h"
#include "gate.h"
#include "life.h"
#include "own_stack.h"
#include "recording.h"
#include "sample.h"

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
	if (cps_gate_is_paused())
		cps_life_resume();
	else
		cps_life_pause(context);
}

static void on_toggle(int number, siginfo_t *info, void *context)
{
	int saved = errno;

	if (cps_life_clock())
		cps_own_stack_call(0, toggle, context);
	else
		cps_disposition_pass_on(number, info, context);
	cps_sample_note_interruption(context);
	errno = saved;
}

int cps_control_prepare(int toggle_signal)
{
	return toggle_signal ? cps_disposition_take(toggle_signal, on_toggle) : 0;
}
