/* SPDX-License-Identifier: MIT */
/*
 * point.c - samples of events that have a size.
 */
#include <errno.h>

#include "arch/arch.h"
#include "base/moment.h"
#include "base/sys.h"
#include "clock/clock.h"
#include "resource/point.h"
#include "resource/resource.h"
#include "signal/gate.h"
#include "signal/other_signals.h"
#include "signal/own_stack.h"
#include "signal/sample.h"
#include "stream/loss.h"
#include "base/poison.h"

/* ---- event ----------------------------------------------------------------------------------- */
/*
 * Takes a sample outside of the handler.
 *
 * In: a credit, from a wrapper. Out: a sample of the wrapper's caller. What this takes is not
 * credited as CPU time to the target.
 */

/* What it needs is kept in the thread's entry, and done on a stack of the recorder's: the thread may have hardly any
 * room (doc/decisions/0006). */
static void add(struct cps_thread *t)
{
	struct cps_job *job = &cps_state_of(t)->job;
	struct cps_credit credit = cps_resource_credit(job->number, job->state, job->gticks);
	ucontext_t context = {0};

	credit.leaf = job->leaf;
	credit.number = job->block;
	if (job->outside)
		credit.outside = *job->outside;
	_Static_assert(sizeof(job->regs) == CPS_REGS_KEPT * sizeof(uint64_t), "thread.h has room");
	cps_regs_context_of(&context, job->regs);
	job->is_done = cps_sample_add_stack(t, &context, &credit);
}

static void work(void *thread)
{
	struct cps_thread *t = thread;
	struct cps_other_signals_use use = {0, 0};
	uint64_t begin = cps_sample_own_begin();

	cps_other_signals_enter(&use);
	cps_budget_begin(t, cps_moment_ns());
	if (!cps_state_of(t)->job.call)
		add(t);
	else
		cps_state_of(t)->job.call(cps_state_of(t)->job.argument);
	cps_other_signals_leave(&use);
	cps_sample_own_end(t, begin);
}

bool cps_event_call(void (*f)(void *), void *argument)
{
	struct cps_thread *t = cps_thread_self();
	bool is_called = false;
	uint64_t mask;
	int saved = errno;

	if (!t || cps_thread_is_gone(t) || !cps_gate_is_open())
		return false;
	mask = cps_sys_block_signals();
	if (!atomic_exchange(&t->busy, true)) {
		cps_state_of(t)->job.call = f;
		cps_state_of(t)->job.argument = argument;
		is_called = cps_gate_is_open() && cps_own_stack_call(t->id, work, t);
		atomic_store(&t->busy, false);
	}
	cps_sys_set_mask(mask);
	errno = saved;
	return is_called;
}

/* Returns whether there is a sample, for the thread's job. */
static bool take(struct cps_thread *t)
{
	cps_state_of(t)->job.call = NULL;
	cps_state_of(t)->job.is_done = false;
	if (!cps_gate_is_open() || !cps_other_signals_is_time())
		return false; /* it is due later */
	if (atomic_exchange(&t->busy, true)) {
		cps_loss_add(CPS_LOSS_REENTERED, 1);
		return false;
	}
	if (cps_gate_is_open()) /* who closes it looks at `busy` then */
		cps_own_stack_sample(t->id, work, t);
	atomic_store(&t->busy, false);
	return cps_state_of(t)->job.is_done;
}

/* No handler that the thread could run uses the job: signals are blocked. */
bool cps_event_take(uint32_t number, uint32_t state, uint64_t gticks, uint64_t leaf, uint64_t block,
		    const struct cps_code_range *outside)
{
	struct cps_thread *t = cps_thread_self();
	uint64_t mask;
	int saved = errno;
	bool is_done;

	if (!t || cps_thread_is_gone(t))
		return false;
	mask = cps_sys_block_signals();
	cps_state_of(t)->job.mask = mask;
	cps_state_of(t)->job.number = number;
	cps_state_of(t)->job.state = state;
	cps_state_of(t)->job.gticks = gticks;
	cps_state_of(t)->job.leaf = leaf;
	cps_state_of(t)->job.block = block;
	cps_state_of(t)->job.outside = outside;
	cps_regs_keep_here(cps_state_of(t)->job.regs);
	is_done = take(t);
	if (!is_done)
		cps_single_add((int64_t *)&cps_state_of(t)->points[number].rest, (int64_t)gticks);
	cps_sys_set_mask(cps_state_of(t)->job.mask);
	errno = saved;
	return is_done;
}

/* ---- point ----------------------------------------------------------------------------------- */
/*
 * Draws the intervals between points, and widens them where there are too many samples.
 *
 * In: events of a thread. Out: weights.
 */

#define FAR	(INT64_MAX / 2)
#define SECOND	UINT64_C(1000000000)
#define MOST	2000u /* samples of a resource in a second of a thread */
#define AT_ONCE 64u   /* intervals that are drawn for one event; more are of the mean length */
#define SLOWEST 20u   /* times that an interval is doubled */

/* Lengths are not rounded: those that have a common divisor meet a regular sequence of events always at the same
 * places. Each resource has a sequence of its own, which begins anew with its points. So runs with the same seed
 * sample the same of its events, whatever else is counted and when. */
static uint64_t draw(const struct cps_thread *t, uint32_t number, struct cps_point *p)
{
	uint64_t mean = cps_resource_interval(number) << p->slower;

	if (!p->random)
		p->random = ((uint64_t)t->id << 32 | (number + 1)) * UINT64_C(0xd6e8feb86659fd93);
	return cps_clock_vary_by(&p->random, mean, mean / 2);
}

/* A thread begins somewhere in an interval, which is the longer the more likely: so each place of a short thread
 * is as likely to have a point as one of a long thread. What was before the thread is not counted. */
static uint64_t begin_inside(const struct cps_thread *t, uint32_t number, struct cps_point *p)
{
	uint64_t longest = (cps_resource_interval(number) << p->slower) / 2 * 3;

	do
		p->current = draw(t, number, p);
	while (cps_clock_vary_by(&p->random, longest / 2, longest / 2) >= p->current);
	return 1 + cps_clock_vary_by(&p->random, p->current / 2, p->current / 2);
}

static void begin(const struct cps_thread *t, uint32_t number, struct cps_point *p)
{
	uint64_t first = begin_inside(t, number, p);

	cps_single_add(&p->left, (int64_t)first);
	p->passed -= p->current - first;
}

/* Weights are whole grains, since only their sum has to be exact. The rest is for the thread's next sample. */
static uint64_t round_down(struct cps_point *p, uint64_t weight, uint64_t grain)
{
	weight += p->rest;
	p->rest = weight % grain;
	return weight - p->rest;
}

/* Doubles the interval if the last MOST samples came in less than a second. Intervals may change whenever
 * one is drawn, without bias. */
static void widen(struct cps_point *p)
{
	uint64_t now;

	if (++p->n_samples < MOST)
		return;
	now = cps_moment_ns();
	if (now - p->since_ns < SECOND && p->slower < SLOWEST)
		p->slower++;
	p->since_ns = now;
	p->n_samples = 0;
}

/* Takes many whole intervals of an event at once that is longer than all of them. */
static uint64_t take_many(struct cps_point *p, uint64_t mean)
{
	uint64_t many = (uint64_t)-p->left / mean * mean;

	cps_single_add(&p->left, (int64_t)many);
	return many;
}

static uint64_t pass_points(uint32_t number)
{
	struct cps_thread *t = cps_thread_self();
	struct cps_point *p = &cps_thread_points[number];
	uint64_t weight = 0;

	if (!t || p != &cps_state_of(t)->points[number] || !cps_resource_is_counted(number)) {
		p->left = FAR;
		return 0;
	}
	if (!p->current)
		begin(t, number, p);
	for (uint32_t n = 0; p->left <= 0; n++) {
		weight += p->current;
		if (n >= AT_ONCE)
			weight += take_many(p, cps_resource_interval(number) << p->slower);
		p->current = draw(t, number, p);
		cps_single_add(&p->left, (int64_t)p->current);
	}
	if (!weight || cps_gate_is_paused() || cps_gate_is_early())
		return 0;
	p->passed += weight;
	widen(p);
	return round_down(p, weight, cps_resource_grain(number));
}

/* A handler of the target's may consume the same. What it has consumed before this is credited here. */
uint64_t cps_point_draw(uint32_t number)
{
	uint64_t mask = cps_sys_block_signals(), weight = pass_points(number);

	cps_sys_set_mask(mask);
	return weight;
}

uint64_t cps_point_next(struct cps_thread *t, uint32_t number)
{
	struct cps_point *p = &cps_state_of(t)->points[number];

	if (p->current)
		widen(p);
	p->current = draw(t, number, p);
	return p->current;
}

uint64_t cps_point_first(struct cps_thread *t, uint32_t number, uint64_t *whole)
{
	struct cps_point *p = &cps_state_of(t)->points[number];
	uint64_t first = begin_inside(t, number, p);

	*whole = p->current;
	return first;
}

void cps_point_begin_whole(struct cps_thread *t, uint32_t number)
{
	struct cps_point *p = &cps_state_of(t)->points[number];

	p->current = draw(t, number, p);
	p->left = (int64_t)p->current;
}

uint64_t cps_point_consumed(const struct cps_thread *t, uint32_t number)
{
	const struct cps_point *p = &cps_state_of(t)->points[number];
	int64_t rest = (int64_t)p->current - p->left;

	return p->current && rest > 0 ? p->passed + (uint64_t)rest : p->passed;
}
