/* SPDX-License-Identifier: MIT */
/*
 * thread_end_credit.c - credits what threads have used since their last sample when they end.
 *
 * In: a thread that ends, or the end of the process. Out: a tail, which is a weight without a
 * sample; or a balance that another thread takes over.
 */
#include <stdatomic.h>
#include <stddef.h>

#include "base/moment.h"
#include "base/sys.h"
#include "signal/gate.h"
#include "signal/sample.h"
#include "stream/batch.h"
#include "stream/recording.h"
#include "base/poison.h"

/* gticks of threads that have ended without being credited; less than 0 if they were credited too
 * much. Order: a sum needs none. What else is kept of a thread is changed by who has set its `busy`, which acquires what the one
 * before has left there. */
static _Atomic int64_t unrecorded;

/* Adds what the thread is due to the sum that the next thread is credited with that ends while there
 * is a recording. It is less than nothing if the thread was credited too much. Returns the sum. */
static int64_t hand_on(struct cps_thread *t, uint64_t reading)
{
	int64_t used = cps_sample_due(t, reading);

	t->consumed = reading;
	t->remainder = 0;
	return atomic_fetch_add(&unrecorded, used) + used;
}

/* A thread of which there is no record yet gets a unit at least, so that the recording has them all.
 * Returns whether that is so. */
static bool owe_unit(struct cps_thread *t, uint64_t reading)
{
	int64_t lacking = (int64_t)cps_sample_meter()->scale - cps_sample_due(t, reading);

	if (t->announced || lacking < 0)
		return false;
	t->consumed -= (uint64_t)lacking;
	atomic_fetch_sub(&unrecorded, lacking);
	return true;
}

/* What the thread was credited too much is taken back from its latest samples, or if that is not enough, from
 * those of others: it may be what threads that have ended were credited. */
static void take_back(struct cps_thread *t, uint64_t reading, uint32_t from)
{
	const uint64_t scale = cps_sample_meter()->scale;
	int64_t due = cps_sample_due(t, reading);

	if (due <= -(int64_t)scale)
		t->consumed -= scale * cps_latest_take_back(from, (uint64_t)-due / scale);
}

static void tail(struct cps_thread *t, const void *context)
{
	uint64_t reading;

	if (!cps_sample_meter()->read || !cps_recording_path() || atomic_exchange(&t->busy, true))
		return;
	t->consumed -= (uint64_t)atomic_exchange(&unrecorded, 0);
	cps_budget_begin(t, cps_moment_ns());
	reading = cps_sample_meter()->read();
	take_back(t, reading, t->id);
	take_back(t, reading, CPS_LATEST_ANY);
	owe_unit(t, reading);
	cps_sample_take(t, context, reading, 0, true);
	/* There was no buffer free, it was less than a unit, or too much was credited. */
	if (t->consumed != reading && (cps_sample_due(t, reading) > 0 || t->slack))
		hand_on(t, reading);
	atomic_store(&t->busy, false);
}

/* Begins the recording, which is no work of the thread's. */
static bool begin(struct cps_thread *t)
{
	uint64_t from = cps_sample_own_begin();
	bool done = cps_recording_ready();

	if (t)
		cps_sample_own_end(t, from);
	return done;
}

/* Begins the recording if this thread, and others that have ended, have used enough. */
static void begin_late(struct cps_thread *t)
{
	if (hand_on(t, cps_sample_meter()->read()) >= CPS_RECORDING_WORTH_NS)
		begin(t);
}

static void add_due(struct cps_thread *t, void *sum)
{
	const struct cps_meter *m = cps_sample_meter();

	*(int64_t *)sum += cps_sample_due(t, t == cps_thread_self() ? m->read() : m->read_of(t));
}

bool cps_sample_begin_late(void)
{
	const struct cps_meter *m = cps_sample_meter();
	int64_t due = atomic_load(&unrecorded);
	uint64_t mask;
	bool done;

	if (!m->read || !m->read_of || cps_recording_path())
		return false;
	mask = cps_sys_block_signals();
	cps_thread_each(add_due, &due);
	done = due >= CPS_RECORDING_WORTH_NS && begin(cps_thread_self());
	cps_sys_set_mask(mask);
	return done;
}

void cps_sample_begin_anew(uint64_t gticks)
{
	if (cps_sample_meter()->read)
		atomic_store(&unrecorded, (int64_t)gticks);
}

void cps_sample_end_thread(struct cps_thread *t)
{
	const struct cps_meter *m = cps_sample_meter();
	uint64_t reading;

	if (m->read && !cps_recording_path() && cps_gate_verdict() == CPS_GATE_OPEN)
		begin_late(t);
	reading = m->read && t->slack && cps_recording_path() ? m->read() : 0;
	if (!reading || cps_sample_due(t, reading) > (int64_t)t->slack) {
		cps_sample_tail(t, NULL);
		return;
	}
	if (atomic_exchange(&t->busy, true))
		return;
	hand_on(t, reading);
	if (owe_unit(t, reading))
		cps_sample_take(t, NULL, reading, 0, true);
	atomic_store(&t->busy, false);
}

void cps_sample_take_over(struct cps_thread *t)
{
	int64_t left = atomic_exchange(&unrecorded, 0);

	if (left <= (int64_t)t->slack)
		t->consumed -= (uint64_t)left;
	else
		atomic_fetch_add(&unrecorded, left);
}

void cps_sample_reset(void)
{
	atomic_store(&unrecorded, 0);
}

/* Outside of handlers all signals are blocked meanwhile. A handler of the target's would run on the
 * recorder's stack, which may be too small for it. And if it leaves by longjmp, or the thread ends
 * by pthread_cancel, the stack and the buffer would stay acquired for ever. */
void cps_sample_tail(struct cps_thread *t, const void *context)
{
	uint64_t mask = context ? 0 : cps_sys_block_signals();

	tail(t, context);
	if (!context)
		cps_sys_set_mask(mask);
}

void cps_sample_tail_of(struct cps_thread *t)
{
	const struct cps_meter *m = cps_sample_meter();
	uint64_t reading;

	if (!m->read_of || !cps_recording_path() || atomic_exchange(&t->busy, true))
		return;
	if (atomic_load(&t->state) == CPS_THREAD_LIVE) {
		reading = m->read_of(t);
		take_back(t, reading, t->id);
		cps_sample_take(t, NULL, reading, 0, true);
	}
	atomic_store(&t->busy, false);
}
