/* SPDX-License-Identifier: MIT */
/*
 * waiting.h - tells a clock when a wrapped call ends in which it has found its thread asleep.
 *
 * A clock that looks at a sleeping thread ends the sleep, so it leaves the thread alone until it works
 * again. The wrapper of the call knows when that is.
 */
#ifndef CPS_WAITING_H
#define CPS_WAITING_H

#include <stdbool.h>
#include <stdint.h>

enum cps_waiting_state {
	CPS_WAITING_NOT,
	CPS_WAITING,	   /* in a wrapped call */
	CPS_WAITING_ASLEEP /* in one in which the clock has found the thread asleep, or was told so */
};

/* Of the calling thread. A call that is left by longjmp or by the thread's end leaves it as it was. */
extern __thread volatile unsigned char cps_waiting_state;

/* How many calls the calling thread has made by now that are made to wait; reads and writes are not counted. */
extern __thread volatile uint32_t cps_waiting_count;

/* [signal] Tell the clock that the thread goes on. */
void cps_waiting_wake(void);

/* [signal] Tell the clock that the thread sleeps until the end of the wrapped call that has begun. The clock then
 * need not end that sleep. This takes a microsecond, so it is for calls that are rare and hardly ever return
 * at once. */
void cps_waiting_sleep(void);

/* [signal] Tell a clock that can keep its ticks out of a call that one begins, or ends, into which none may come. */
void cps_waiting_hold(void);
/* [signal] */
void cps_waiting_let_go(void);

/* [signal] A wrapped call begins. */
static inline void cps_waiting_begin(void)
{
	cps_waiting_state = CPS_WAITING;
}

/* [signal] It ends. */
static inline void cps_waiting_end(void)
{
	if (__builtin_expect(cps_waiting_state == CPS_WAITING_ASLEEP, 0))
		cps_waiting_wake();
	cps_waiting_state = CPS_WAITING_NOT;
}

/* [signal] In the handler: whether the thread is in a wrapped call. */
static inline bool cps_waiting_is_wrapped(void)
{
	return cps_waiting_state != CPS_WAITING_NOT;
}

/* [signal] For a clock, in the handler, if the thread is asleep: whether it will be told by
 * `wake` (struct cps_meter) when the thread goes on. */
static inline bool cps_waiting_is_told(void)
{
	if (cps_waiting_state == CPS_WAITING_NOT)
		return false;
	cps_waiting_state = CPS_WAITING_ASLEEP;
	return true;
}

#endif
