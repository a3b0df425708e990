/* SPDX-License-Identifier: MIT */
/*
 * point.h - samples of events that have a size.
 */
#ifndef CPS_POINT_H
#define CPS_POINT_H

#include <stdint.h>

#include "arch/arch.h"
#include "resource/resource.h"
#include "resource/state.h"
#include "stream/recording.h"
#include "stream/thread.h"

/* ---- event ----------------------------------------------------------------------------------- */
/*
 * Samples the stack of a call that the target has just made.
 */

/* [signal] To be called by a wrapper, not in our handler: sample the calling function with so many gticks of the
 * resource, in this state, as cps_resource_sample_in, _block and _outside say. Frames of the recorder are left
 * out. errno stays as it is. All signals are blocked meanwhile. Nothing is recorded while recording is
 * paused; if it cannot be, a loss is counted, and the gticks are due with the thread's next sample of the resource.
 * Returns whether there is a sample. */
bool cps_event_take(uint32_t number, uint32_t state, uint64_t gticks, uint64_t leaf, uint64_t block,
		    const struct cps_code_range *outside);

/* [signal] To be called by a wrapper, for other work of the recorder's: call f(argument) on a stack of the recorder's, with
 * all signals blocked. False: that cannot be now, and f was not called. */
bool cps_event_call(void (*f)(void *), void *argument);

/* ---- point ----------------------------------------------------------------------------------- */
/*
 * Decides which events become samples, and with which weight.
 *
 * Points are strewn over what a thread consumes, at intervals drawn at random. An event is credited
 * with the lengths of all intervals that end inside it, so that each byte has the same chance
 * whatever the size of the event it is part of (Hall & Goldberg, section 5.1, hits; generalised
 * from ticks of a clock to events with a size). What is credited in a thread is what it consumed,
 * up to one interval.
 */

/* [signal] The slow path of cps_point_pass: `left` is used up. Returns the weight of the event in gticks; 0: none. */
uint64_t cps_point_draw(uint32_t number);

/* [signal] The calling thread has consumed n gticks at once. Returns the weight in gticks with which this
 * event is to be sampled; mostly 0, which means not at all. Costs a subtraction and a branch. A handler of the
 * program's that interrupts this may do the same. */
static inline uint64_t cps_point_pass(uint32_t number, uint64_t n)
{
	bool is_used_up;

	if (!cps_thread_has_points())
		cps_thread_arrive();
	is_used_up = cps_single_subtract(&cps_thread_points[number].left, (int64_t)n);
	return __builtin_expect(is_used_up, 0) ? cps_point_draw(number) : 0;
}

/* [signal] The length of the thread's next interval, for an engine that counts it off itself. Each call is taken
 * for a sample. */
uint64_t cps_point_next(struct cps_thread *t, uint32_t number);

/* [signal] The same for a thread with which the engine begins to count: it begins somewhere in an interval. Returns
 * what is left of that until its end, and in *whole its length, which is the weight of what ends it. */
uint64_t cps_point_first(struct cps_thread *t, uint32_t number, uint64_t *whole);

/* [signal] The thread's first interval begins with the thread, for an engine that credits what is left over at its
 * end. To be called before anything has passed. */
void cps_point_begin_whole(struct cps_thread *t, uint32_t number);

/* [signal] What the thread has consumed of the resource since its interval was first drawn. */
uint64_t cps_point_consumed(const struct cps_thread *t, uint32_t number);

#endif
