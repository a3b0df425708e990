/* SPDX-License-Identifier: MIT */
/*
 * waiting.c - tells a clock that a thread goes on which it has found asleep, or that one is going to sleep.
 *
 * In: the beginning or the end of a wrapped call. Out: a call of the clock, as in a handler: who ends
 * the recording waits until it is over.
 */
#include <stddef.h>
#include <stdint.h>

#include "base/sys.h"
#include "signal/gate.h"
#include "signal/sample.h"
#include "signal/waiting.h"
#include "stream/loss.h"
#include "base/poison.h"

__thread volatile unsigned char cps_waiting_state;
__thread volatile uint32_t cps_waiting_count;

/* A handler of the target's could leave this by longjmp. Who ends the recording would then wait for it. */
static bool tell(const struct cps_meter *m, bool sleeps)
{
	uint64_t mask = cps_sys_block_signals();
	struct cps_thread *t = cps_thread_begin_handler();
	bool is_told = false;

	if (t && cps_gate_is_open() && !cps_gate_is_paused() && !cps_gate_is_early() &&
	    !cps_loss_stop_reason(NULL)) {
		if (sleeps)
			is_told = m->doze(t);
		else
			m->wake(t);
	}
	cps_thread_end_handler(t);
	cps_sys_set_mask(mask);
	return is_told;
}

void cps_waiting_wake(void)
{
	const struct cps_meter *m = cps_sample_meter();

	if (m->wake && cps_gate_is_open())
		tell(m, false);
}

void cps_waiting_sleep(void)
{
	const struct cps_meter *m = cps_sample_meter();

	if (m && m->doze && cps_gate_is_open() &&
	    tell(m, true)) /* this process may have no meter */
		cps_waiting_state = CPS_WAITING_ASLEEP;
}

/* Ticks come also before recording begins. */
static void tell_of_call(void (*what)(struct cps_thread *t))
{
	uint64_t mask = cps_sys_block_signals();
	struct cps_thread *t = cps_thread_begin_handler();

	if (t && cps_gate_is_open())
		what(t);
	cps_thread_end_handler(t);
	cps_sys_set_mask(mask);
}

void cps_waiting_hold(void)
{
	const struct cps_meter *m = cps_sample_meter();

	if (m && m->hold && cps_gate_is_open())
		tell_of_call(m->hold);
}

void cps_waiting_let_go(void)
{
	const struct cps_meter *m = cps_sample_meter();

	if (m && m->let_go && cps_gate_is_open())
		tell_of_call(m->let_go);
}
