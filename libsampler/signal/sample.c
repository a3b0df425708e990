/* SPDX-License-Identifier: MIT */
/*
 * sample.c - the signal handler: a tick becomes a sample.
 */
#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "arch/arch.h"
#include "base/moment.h"
#include "base/sys.h"
#include "collector/called.h"
#include "collector/calls.h"
#include "signal/disposition.h"
#include "signal/gate.h"
#include "signal/other_signals.h"
#include "signal/own_stack.h"
#include "signal/sample.h"
#include "signal/tick_riders.h"
#include "stream/atoms.h"
#include "stream/loss.h"
#include "stream/recode.h"
#include "stream/recording.h"
#include "base/poison.h"

/* ---- reading --------------------------------------------------------------------------------- */
/*
 * Finds out what a thread's meter says at a tick, by asking it or by reckoning.
 *
 * In: a meter, the time. Out: a reading. The time is read in the vDSO, but the thread's CPU clock
 * takes a system call, which is a good part of what a tick costs (doc/decisions/0013).
 */

#define RECKONED    15	     /* the most ticks in a row; 2^n - 1 */
#define PERIOD_MOST 10000000 /* ns; so few ticks are not worth it */
#define SURELY_RAN  20000    /* ns; in a longer time another program may have run */

/* Order: an estimate by itself. Threads may overwrite what others have learnt. */
static _Atomic uint32_t reckoned_most = 1;

/* Adjusts how many ticks in a row may be reckoned, for all threads. `drift` is the meter's reading
 * at a tick in time less the reckoned one. It is negative if ticks run ahead of the thread's clock,
 * which may leave out the time of interrupts and of a virtual machine's host. A machine does so for
 * a while. */
static void learn_from(int64_t drift, uint64_t period)
{
	uint32_t most = atomic_load_explicit(&reckoned_most, memory_order_relaxed);

	if (drift < -(int64_t)(period / 8))
		most /= 2;
	else if (most < RECKONED)
		most = 2 * most + 1;
	atomic_store_explicit(&reckoned_most, most, memory_order_relaxed);
}

/*
 * The meter's reading at a tick that began at `begin`; 0 if there is no meter.
 *
 * Ticks come at equal distances of the thread's CPU time. So a tick that also comes in time by the
 * wall clock is one period after the previous one, and its reading is reckoned. Up to 15 ticks in a
 * row are reckoned as long as this agrees with the meter, which is asked now and then. Since only
 * differences from earlier readings are credited, that corrects what was reckoned. The meter is
 * asked at all other ticks, which are all ticks if the period is not known (t->period is 0).
 */
static uint64_t cps_reading_at(struct cps_thread *t, uint64_t (*read)(void), uint64_t begin)
{
	uint64_t period = t->period, since = begin - t->began, before = t->reading;
	bool is_in_time = t->began && since - (period - period / 4) < period / 2;

	if (!read)
		return 0;
	if (!period || period > PERIOD_MOST)
		return read();
	if (is_in_time && !t->n_awaited &&
	    t->reckoned < atomic_load_explicit(&reckoned_most, memory_order_relaxed)) {
		t->reckoned++;
		t->reading = before + period;
	} else {
		t->reading = read();
		if (is_in_time) {
			int64_t drift = (int64_t)(t->reading - before - period);

			learn_from(drift, period);
			if (t->reckoned) /* `settled` was reckoned, too */
				t->settled += (uint64_t)drift;
		}
		t->reckoned = 0;
	}
	t->began = begin;
	return t->reading;
}

/* Whether a tick is left over. Ticks of a clock that does not wait for the handler pile up while the handler
 * runs or the signal is blocked, and then come all at once. The first of them stands for the whole time. The
 * others would be samples of the same place that weigh nothing; if the handler is slower than the clock they
 * would leave the program no time at all. A tick is left over if the thread has used too little time since the
 * previous one was handled. */
static bool cps_reading_is_left_over(const struct cps_thread *t, uint64_t reading)
{
	return t->period && (int64_t)(reading - t->settled) < (int64_t)(t->period / 2);
}

/* Learns from a tick by how much it is late. After a long handler one or more ticks are missing;
 * that does not shift the ticks that follow. */
static void learn_delay(struct cps_thread *t, uint64_t reading, bool is_prompt)
{
	int64_t delay = (int64_t)(reading - t->awaited), period = (int64_t)t->period;

	if (delay <= -period / 2) /* it was not this tick that was awaited */
		return;
	if (delay >= period) {
		t->awaited += (uint64_t)(delay / period) * t->period;
	} else if (is_prompt) {
		cps_own_time_learn(delay);
		t->n_awaited--;
	}
	t->awaited += t->period;
}

/* Take the kernel's time for this tick out of what the thread will be credited with. A tick that is awaited also
 * tells how long the kernel takes, if it is `is_prompt`: a tick within a system call is brought when the call
 * ends, and until then the time is the target's. Returns that time. */
static uint64_t cps_reading_charge_tick(struct cps_thread *t, uint64_t reading, bool is_prompt)
{
	int64_t due = (int64_t)(reading - t->consumed);
	uint64_t ns;

	if (!t->period) /* it is not known when the tick was due */
		return 0;
	if (t->n_awaited)
		learn_delay(t, reading, is_prompt);
	if (due <= 0)
		return 0;
	ns = cps_own_time_add_tick((uint64_t)due);
	t->consumed += ns;
	return ns;
}

/* Take the time of the handler, at whose begin it was `begin` and the meter had `reading`, out of what the
 * thread will be credited with. Asking the meter again would be another system call. The time that the handler
 * took by the wall clock is the same, unless the handler was interrupted for long. Returns that time. */
static uint64_t cps_reading_charge_handler(struct cps_thread *t, uint64_t (*read)(void),
					   uint64_t reading, uint64_t begin, bool is_left_over)
{
	uint64_t elapsed = cps_moment_ns() - begin, own = elapsed;

	if (elapsed > SURELY_RAN) {
		own = read() - reading;
		own = own < elapsed ? own : (int64_t)own < 0 ? 0 : elapsed;
	}
	t->consumed += own;
	cps_own_time_add(own);
	if (!is_left_over)
		t->settled = reading + own;
	return own;
}

/* ---- mode ------------------------------------------------------------------------------------ */
/*
 * In: a thread, the interrupted context. Out: the atom of its sample.
 */

/* What the kernel's ticks have met the thread in since this was asked for the last time, in ns. */
struct passed {
	uint64_t user, system;
};

static struct passed take_passed(struct cps_thread *t)
{
	uint64_t user = cps_sys_clock_ns(cps_sys_user_clock(t->tid));
	uint64_t both = cps_sys_clock_ns(cps_sys_tick_clock(t->tid));
	struct passed p = {user - t->user_ticks, both - user - t->system_ticks};

	if (both < user || p.user > both || p.system > both)
		p = (struct passed){0, 0};
	t->user_ticks = user;
	t->system_ticks = both - user;
	return p;
}

uint32_t cps_mode_atom(struct cps_thread *t, const ucontext_t *context,
		       struct cps_kernel_chain *chain)
{
	uint32_t kernel = cps_atoms_kernel();
	const struct cps_meter *m = cps_sample_meter();
	struct passed p = {0, 0};
	int mode = -1;

	chain->n = 0;
	if (!kernel)
		return 0;
	if (m->mode)
		mode = m->mode(t, chain);
	if (mode >= 0)
		return mode ? kernel : 0;
	if (m->is_kernels_tick)
		p = take_passed(t);
	if (!p.user != !p.system)
		return p.system ? kernel : 0;
	return cps_regs_is_from_call(context) ? kernel : 0;
}

/* The atom of what a thread has used since its latest tick, of which it is not known where that was. */
static uint32_t cps_mode_atom_of_rest(struct cps_thread *t)
{
	struct passed p = {0, 0};

	if (cps_atoms_kernel())
		p = take_passed(t);
	return p.system > p.user ? cps_atoms_kernel() : 0;
}

/* ---- sample ---------------------------------------------------------------------------------- */
/*
 * The signal handler.
 *
 * In: a tick. Out: a sample with its weight, or a counted loss. If a tick is lost, what the thread
 * has used is not: its next sample carries it.
 *
 * Order: the meter of before is stored before the meter is released, and looked at by who has acquired that: a late tick
 * of the previous clock finds one or the other. What a tick changes of a thread belongs to who has set its `busy`.
 */

static _Atomic(const struct cps_meter *) meter;
static _Atomic(const struct cps_meter *) meter_before;
static void (*when_over)(const void *);

void cps_sample_use(const struct cps_meter *m, void (*over)(const void *context))
{
	when_over = over;
	atomic_store(&meter_before, atomic_load(&meter));
	atomic_store(&meter, m);
}

const struct cps_meter *cps_sample_meter(void)
{
	return atomic_load_explicit(&meter, memory_order_acquire);
}

int cps_sample_signal(void)
{
	return cps_sample_meter()->signal;
}

int64_t cps_sample_due(const struct cps_thread *t, uint64_t reading)
{
	return (int64_t)(reading - t->consumed + t->remainder);
}

/* The weight of a sample now, in units. *rest gets the gticks that are left for the thread's next
 * sample. A tick weighs whole grains, because only the sum has to be exact, and digits that are
 * noise would be a tenth of the stream. */
static uint64_t weigh(const struct cps_thread *t, uint64_t reading, bool is_tail, uint32_t *rest)
{
	const struct cps_meter *m = cps_sample_meter();
	uint32_t units = is_tail ? 1 : cps_columnar_grain();
	uint64_t gticks;

	if (!m->read)
		return 1;
	if (cps_sample_due(t, reading) < 0)
		return 0;
	gticks = (uint64_t)cps_sample_due(t, reading);
	*rest = (uint32_t)(gticks % (m->scale * units));
	return gticks / (m->scale * units) * units;
}

/* Set the bounds of the stack on which the thread is in this context, if they are known. */
static void cps_sample_bounds(const struct cps_thread *t, const ucontext_t *context,
			      struct cps_peek *peek)
{
	uintptr_t sp = cps_regs_interrupted_sp(context);
	bool inside = sp >= t->stack_low && sp < t->stack_high;

	peek->low = inside ? sp - CPS_RED_ZONE : 0;
	peek->high = inside ? t->stack_high : 0;
}

/* The work that is done on a stack of the recorder's. */
struct job {
	struct cps_thread *thread;
	const ucontext_t *context; /* NULL: it is not known where the thread was */
	uint64_t reading;	   /* reading of the meter, if there is one */
	uint64_t at_ns;		   /* as in struct cps_credit */
	bool is_tail;
};

/* Its stack is what is known of any stack of the thread: the function in which it began, and what called
 * that. */
bool cps_sample_add_not_sampled(struct cps_thread *t, const struct cps_credit *credit)
{
	struct cps_frame frames[CPS_THREAD_BASE + 2] = {{.pc = CPS_NOT_SAMPLED_ADDRESS}};
	struct cps_stack stack = {.frames = frames, .depth = 1, .mark = CPS_MARK_NOT_SAMPLED};

	if (t->routine)
		frames[stack.depth++].pc = (uintptr_t)t->routine;
	for (uint32_t i = 0; t->routine && i < t->n_base; i++)
		frames[stack.depth++].pc = t->base[i];
	return cps_recording_add(t, NULL, NULL, &stack, credit);
}

static bool add_sample(const struct job *job, uint64_t weight)
{
	struct cps_kernel_chain chain;
	struct cps_credit credit = {.weight = weight, .at_ns = job->at_ns, .is_tail = job->is_tail};
	struct cps_peek peek;

	if (!job->context) {
		credit.atom = cps_mode_atom_of_rest(job->thread);
		return cps_sample_add_not_sampled(job->thread, &credit);
	}
	credit.atom = cps_mode_atom(job->thread, job->context, &chain);
	credit.kernel = &chain;
	cps_kernel_note(&chain);
	cps_sample_bounds(job->thread, job->context, &peek);
	return cps_recording_add(job->thread, job->context, &peek, NULL, &credit);
}

/* What the thread has used since it was credited last, which may be less than it is credited with now. */
static int64_t used_by(const struct cps_thread *t)
{
	const struct cps_meter *m = cps_sample_meter();

	return m->read ? cps_sample_due(t, m->read()) : INT64_MAX;
}

static void add(void *argument)
{
	const struct job *job = argument;
	struct cps_thread *t = job->thread;
	uint32_t rest = 0;
	uint64_t weight = weigh(t, job->reading, job->is_tail, &rest);
	int64_t used = job->is_tail || cps_recording_is_kept() ? 0 : used_by(t);

	if (job->is_tail && !weight)
		return;
	if (!cps_recording_ready() || !add_sample(job, weight))
		return;
	if (!job->is_tail)
		cps_recording_note_tick(used);
	if (cps_sample_due(t, job->reading) < 0)
		return;
	t->consumed = job->reading;
	t->remainder = rest;
}

void cps_sample_take(struct cps_thread *t, const ucontext_t *context, uint64_t reading,
		     uint64_t at_ns, bool is_tail)
{
	struct job job = {t, context, reading, at_ns, is_tail};

	cps_own_stack_sample(t->id, add, &job);
}

/* ---- what others credit ------------------------------------------------------------------------ */

bool cps_sample_add_stack(struct cps_thread *t, const ucontext_t *context,
			  const struct cps_credit *credit)
{
	struct cps_peek peek;

	cps_sample_bounds(t, context, &peek);
	return cps_recording_ready() && cps_recording_add(t, context, &peek, NULL, credit);
}

struct given {
	struct cps_thread *thread;
	const ucontext_t *context;
	const struct cps_credit *credit;
	bool is_done;
};

static void add_given(void *argument)
{
	struct given *given = argument;

	given->is_done = cps_sample_add_stack(given->thread, given->context, given->credit);
}

bool cps_sample_credit(struct cps_thread *t, const ucontext_t *context,
		       const struct cps_credit *credit)
{
	struct given given = {t, context, credit, false};

	cps_own_stack_sample(t->id, add_given, &given);
	return given.is_done;
}

/* ---- ticks --------------------------------------------------------------------------------------- */

/* Makes an entry for a thread that was not introduced, because it was made by a bare clone(2) or
 * before the recorder was loaded. */
static struct cps_thread *adopt(void)
{
	struct cps_thread *t = cps_thread_take();

	if (t) {
		t->start_us = cps_recording_now_us();
		cps_thread_enter(t, 0);
		cps_ready_begin(t);
	}
	return t;
}

/* The entry of the calling thread. NULL: it has none, and the tick is ignored. */
static struct cps_thread *thread_of_tick(const struct cps_meter *m, const ucontext_t *context)
{
	struct cps_thread *t = cps_thread_self();

	if (!t || !cps_thread_is_taken(t))
		t = cps_thread_come(cps_regs_interrupted_sp(context));
	if (!t && !m->adopts)
		return NULL;
	/* Threads that were made by a bare clone(2) may share their creator's thread-local
	 * storage. */
	if (t && m->adopts && m->read && t->tid && t->tid != cps_sys_gettid())
		t = cps_thread_find(cps_sys_gettid());
	if (!t)
		t = adopt();
	if (!t)
		cps_loss_add(CPS_LOSS_MEMORY, 1);
	return t;
}

/* Whether the tick has met a hook that counts calls, which the program would not have without the recorder. */
static bool is_profiling(const struct cps_meter *m, const ucontext_t *context)
{
	return m->read && cps_calls_is_hook(cps_regs_pc(context));
}

static void charge_profiling(struct cps_thread *t, uint64_t reading)
{
	int64_t due = cps_sample_due(t, reading);

	if (due <= 0)
		return;
	cps_own_time_add_profiling((uint64_t)due);
	t->consumed = reading;
	t->remainder = 0;
}

static void keep_calls(void *unused)
{
	(void)unused;
	if (cps_recording_path())
		cps_called_keep(cps_recording_now_us(), cps_recording_id());
}

/* Returns the time when it began. */
static uint64_t tick(const struct cps_meter *m, const siginfo_t *info, const ucontext_t *context)
{
	struct cps_thread *t = thread_of_tick(m, context);
	uint64_t reading, credited, took = 0, begin = cps_moment_ns();
	bool is_left_over, is_sample;

	if (!t || cps_thread_is_gone(t))
		return begin; /* what a thread uses after its end is credited to none */
	if (atomic_exchange(&t->busy, true)) {
		cps_loss_add(CPS_LOSS_REENTERED, 1);
		return begin;
	}
	reading = cps_reading_at(t, m->read, begin);
	is_left_over = cps_reading_is_left_over(t, reading);
	if (is_left_over)
		t->left_over++;
	else
		took = cps_reading_charge_tick(t, reading,
					       t->n_awaited && !cps_regs_is_behind_call(context));
	credited = reading;
	is_sample = !is_left_over && (!m->admit || m->admit(t, info, context, begin, &credited));
	if (is_sample && is_profiling(m, context)) {
		charge_profiling(t, credited);
	} else if (is_sample && cps_budget_is_over(t)) {
		cps_loss_add(CPS_LOSS_BUDGET, 1);
	} else if (is_sample) {
		cps_budget_begin(t, begin);
		cps_sample_take(t, context, credited, begin, false);
		cps_tick_riders_take(t, context, begin, reading);
	}
	if (cps_called_any())
		cps_own_stack_call(t->id, keep_calls, NULL);
	if (m->rearm && !cps_loss_stop_reason(NULL))
		m->rearm(t, info);
	if (m->read) {
		took += cps_reading_charge_handler(t, m->read, reading, begin, is_left_over);
		cps_budget_settle(t, reading, took);
	}
	atomic_store_explicit(&t->busy, false, memory_order_release);
	return begin;
}

static void skip_until(struct cps_thread *t, uint64_t reading)
{
	t->consumed = reading;
	t->remainder = 0;
	cps_tick_riders_skip(t, reading);
}

/* Ignores a tick that comes before recording begins, and what the thread has used until then. */
static void skip(const struct cps_meter *m, const siginfo_t *info)
{
	struct cps_thread *t = cps_thread_self();

	if (!t || !m->read)
		return;
	skip_until(t, m->read());
	if (m->forget)
		m->forget(t);
	if (m->rearm)
		m->rearm(t, info);
}

static void call_over(void *context)
{
	when_over(context);
}

/* Whether this is the timer that says that the time for recording has passed. A timer is needed
 * because a program that sleeps does not tick. */
static bool is_deadline(int number, const siginfo_t *info)
{
	return number == CPS_SIGNAL_OWN && info->si_code == SI_TIMER &&
	       (uintptr_t)info->si_value.sival_ptr == CPS_SAMPLE_DEADLINE;
}

static void judge(const struct cps_meter *m, const siginfo_t *info, const ucontext_t *context)
{
	uint64_t now;

	switch (cps_gate_verdict()) {
	case CPS_GATE_OPEN:
		now = tick(m, info, context);
		if (cps_off_switch_was_seen(now) || cps_lease_is_over(now))
			cps_own_stack_call(0, call_over, (void *)(uintptr_t)context);
		break;
	case CPS_GATE_BEGINS:
		cps_sample_skip(NULL);
		skip(m, info);
		break;
	case CPS_GATE_EARLY:
		skip(m, info);
		break;
	case CPS_GATE_OVER:
		tick(m, info, context);
		cps_own_stack_call(0, call_over, (void *)(uintptr_t)context);
		break;
	case CPS_GATE_PAUSED:
	case CPS_GATE_CLOSED:
		break;
	}
}

/* Whether this is a tick of the previous clock, which was on its way while the clock was
 * changed. */
static bool is_late(int number, const siginfo_t *info)
{
	const struct cps_meter *m = atomic_load(&meter_before);

	return m && number == m->signal && m->is_mine(info);
}

/* Whether the target wants this SIGPROF: after the recording has ended it may use that signal
 * itself. */
static bool is_wanted(int number)
{
	struct sigaction action;

	if (number != SIGPROF || cps_gate_is_open() || !cps_disposition_is_taken(number))
		return false;
	cps_disposition_get(number, &action);
	return action.sa_handler != SIG_DFL && action.sa_handler != SIG_IGN;
}

/* The tick's last step, which changes the context. The first call that fails because of a tick may change when
 * the clock ticks next, after it has been set. */
static void note_interruption(const struct cps_meter *m, const siginfo_t *info, void *context)
{
	struct cps_thread *t = cps_thread_self();
	bool was_one = cps_interrupted_ever();

	if (m->is_in_call && m->is_in_call(info))
		cps_sample_note_unseen(context);
	cps_sample_note_interruption(context);
	if (!was_one && cps_interrupted_ever() && t && m->rearm && cps_gate_is_open() &&
	    !cps_loss_stop_reason(NULL))
		m->rearm(t, info);
}

/* Whether the signal is ours. A handler of the target's, which may leave by longjmp, is not called in
 * here. */
static bool handle(int number, const siginfo_t *info, void *context)
{
	const struct cps_meter *m = cps_sample_meter();

	if (number == CPS_SIGNAL_OWN && cps_other_signals_handle(info, context)) {
		return true;
	} else if (number == m->signal && m->is_mine(info) && !is_wanted(number)) {
		judge(m, info, context);
		note_interruption(m, info, context);
	} else if (is_deadline(number, info)) {
		if (cps_gate_is_open() && cps_gate_is_over())
			cps_own_stack_call(0, call_over, context);
		cps_sample_note_interruption(context);
	} else if (is_late(number, info)) {
		cps_sample_note_interruption(context);
	} else {
		return false;
	}
	return true;
}

CPS_REGS_HANDLER void cps_sample_handler(int number, siginfo_t *info, void *context)
{
	int saved = errno;
	struct cps_thread *t = cps_thread_begin_handler();
	struct cps_other_signals_use use = {0, 0};
	bool is_ours;

	cps_other_signals_enter(&use);
	is_ours = handle(number, info, context);
	cps_other_signals_leave(&use);
	cps_thread_end_handler(t);
	if (!is_ours)
		cps_disposition_pass_on(number, info, context);
	errno = saved;
}

uint64_t cps_sample_own_begin(void)
{
	return cps_sample_meter()->read ? cps_sample_meter()->read() : 0;
}

void cps_sample_own_end(struct cps_thread *t, uint64_t begin)
{
	uint64_t own = cps_sample_own_begin() - begin;

	t->consumed += own;
	cps_own_time_add(own);
}

static void skip_one(struct cps_thread *t, void *except)
{
	const struct cps_meter *m = cps_sample_meter();

	if (t != except)
		skip_until(t, m->read_of ? m->read_of(t) : 0);
}

void cps_sample_skip(const struct cps_thread *except)
{
	cps_thread_each(skip_one, (void *)(uintptr_t)except);
}

static void rearm_one(struct cps_thread *t, void *context)
{
	(void)context;
	cps_sample_meter()->rearm(t, NULL);
}

void cps_sample_rearm(void)
{
	if (cps_sample_meter()->rearm)
		cps_thread_each(rearm_one, NULL);
}
