/* SPDX-License-Identifier: MIT */
/*
 * sample.c - the signal handler.
 *
 * In: a tick. Out: a sample with its weight, or a counted loss. If a tick is lost, what the thread
 * has used is not: its next sample carries it.
 */
#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

#include "base/moment.h"
#include "base/sys.h"
#include "signal/disposition.h"
#include "signal/gate.h"
#include "signal/own_stack.h"
#include "signal/reading.h"
#include "signal/sample.h"
#include "stream/columns.h"
#include "stream/loss.h"
#include "stream/recording.h"
#include "base/poison.h"

static _Atomic(const struct cps_meter *) meter;
static _Atomic(const struct cps_meter *) meter_before;
static void (*when_over)(const void *);
static _Atomic uint64_t unrecorded; /* gticks of threads that ended before there was a recording */
static __thread uint32_t interruptions;
static __thread uintptr_t masked_call;

#define NEAR_BYTES   1024
#define WORTH_A_FILE 10000000 /* ns of CPU time */

void cps_sample_use(const struct cps_meter *m, void (*over)(const void *context))
{
	when_over = over;
	atomic_store(&meter_before, atomic_load(&meter));
	atomic_store(&meter, m);
}

static const struct cps_meter *meter_now(void)
{
	return atomic_load_explicit(&meter, memory_order_relaxed);
}

uint32_t cps_sample_interruptions(void)
{
	return interruptions;
}

uintptr_t cps_sample_in_masked_call(uintptr_t frame)
{
	uintptr_t before = masked_call;

	masked_call = frame;
	return before;
}

/* Whether the context is that of the masked call itself, not of a call in a handler that has
 * interrupted it. The kernel's frame for a handler is larger than the frames of the few functions
 * of the C library in between. */
static bool is_masked_call(const ucontext_t *uc)
{
	return masked_call - (uintptr_t)uc->uc_mcontext.gregs[REG_RSP] < NEAR_BYTES;
}

uint32_t cps_sample_begin_call(uintptr_t frame)
{
	if (masked_call && frame + NEAR_BYTES > masked_call)
		masked_call = 0;
	return interruptions;
}

/* If another signal is pending, the call would have been interrupted without us, and does not
 * count. A signal that was handled before ours is not pending any more; but then the kernel lets
 * our signal interrupt that signal's handler, not the call. */
void cps_sample_note_interruption(const void *context)
{
	const ucontext_t *uc = context;
	uint64_t pending = 0, blocked;

	if (!cps_regs_interrupted_call(uc))
		return;
	CPS_SYS(rt_sigprocmask, SIG_BLOCK, NULL, &blocked, sizeof(blocked));
	if (is_masked_call(uc) && !(blocked & UINT64_C(1) << (CPS_SAMPLE_MARK - 1)))
		return;
	memcpy(&blocked, &uc->uc_sigmask, sizeof(blocked));
	blocked |= UINT64_C(1) << (meter_now()->signal - 1); /* one of our own may be pending */
	if (CPS_SYS(rt_sigpending, &pending, sizeof(pending), 0, 0) == 0 && !(pending & ~blocked))
		interruptions++;
}

/* What the thread has used and was not credited with. Less than 0: the meter has not reached the
 * reading that was reckoned. */
static int64_t due(const struct cps_thread *t, uint64_t reading)
{
	return (int64_t)(reading - t->consumed + t->remainder);
}

/* The weight of a sample now, in units. *rest gets the gticks that are left for the thread's next
 * sample. A tick weighs whole grains, because only the sum has to be exact, and digits that are
 * noise would be a tenth of the stream. */
static uint64_t weigh(const struct cps_thread *t, uint64_t reading, bool is_tail, uint32_t *rest)
{
	const struct cps_meter *m = meter_now();
	uint32_t units = is_tail ? 1 : cps_columns_grain();
	uint64_t gticks;

	if (!m->read)
		return 1;
	if (due(t, reading) < 0)
		return 0;
	gticks = (uint64_t)due(t, reading);
	*rest = (uint32_t)(gticks % (m->scale * units));
	return gticks / (m->scale * units) * units;
}

static void bounds_of(const struct cps_thread *t, const struct cps_regs *regs,
		      struct cps_peek *peek)
{
	uintptr_t sp = regs->r[CPS_REG_SP];
	bool inside = sp >= t->stack_low && sp < t->stack_high;

	peek->low = inside ? sp - CPS_RED_ZONE : 0;
	peek->high = inside ? t->stack_high : 0;
	peek->page = 0;
}

/* The work that is done on a stack of the recorder's. */
struct job {
	struct cps_thread *thread;
	const struct cps_regs *regs;
	uint64_t reading; /* reading of the meter, if there is one */
	bool is_tail;
};

static void take(void *argument)
{
	const struct job *job = argument;
	struct cps_thread *t = job->thread;
	struct cps_peek peek;
	uint32_t rest = 0;
	uint64_t weight = weigh(t, job->reading, job->is_tail, &rest);

	if (job->is_tail && !weight)
		return;
	bounds_of(t, job->regs, &peek);
	if (!cps_recording_ready() ||
	    !cps_recording_add(t, job->regs, &peek, NULL, weight, job->is_tail))
		return;
	if (due(t, job->reading) < 0)
		return;
	t->consumed = job->reading;
	t->remainder = rest;
}

static void take_on_own_stack(struct cps_thread *t, const struct cps_regs *regs, uint64_t reading,
			      bool is_tail)
{
	struct job job = {t, regs, reading, is_tail};

	if (!cps_own_stack_call(t->id, take, &job))
		cps_loss_add(CPS_LOSS_BUSY, 1);
}

/* Makes an entry for a thread that was not introduced, because it was made by a bare clone(2) or
 * before the recorder was loaded. */
static struct cps_thread *adopt(void)
{
	struct cps_thread *t = cps_thread_take();

	if (t) {
		t->start_us = cps_recording_now_us();
		cps_thread_enter(t, 0);
	}
	return t;
}

/* The entry of the calling thread. NULL: it has none, and the tick is ignored. */
static struct cps_thread *thread_of_tick(const struct cps_meter *m)
{
	struct cps_thread *t = cps_thread_self();

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

static void tick(const struct cps_meter *m, const siginfo_t *info, const ucontext_t *context)
{
	struct cps_thread *t = thread_of_tick(m);
	struct cps_regs regs;
	uint64_t reading, begin;

	if (!t || cps_thread_is_gone(t))
		return; /* what a thread uses after its end is credited to none */
	if (atomic_exchange(&t->busy, true)) {
		cps_loss_add(CPS_LOSS_REENTERED, 1);
		return;
	}
	begin = t->period ? cps_moment_ns() : 0;
	reading = cps_reading_at(t, m->read, begin);
	if (cps_reading_is_left_over(t, reading)) {
		t->left_over++;
	} else {
		cps_regs_of_context(&regs, context);
		take_on_own_stack(t, &regs, reading, false);
		if (t->period)
			t->settled = cps_reading_after(t, m->read, reading, begin);
	}
	if (m->rearm && !cps_loss_stop_reason(NULL))
		m->rearm(t, info);
	atomic_store(&t->busy, false);
}

/* Ignores a tick that comes before recording begins, and what the thread has used until then. */
static void skip(const struct cps_meter *m, const siginfo_t *info)
{
	struct cps_thread *t = cps_thread_self();

	if (!t || !m->read)
		return;
	t->consumed = m->read();
	t->remainder = 0;
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
	switch (cps_gate_verdict()) {
	case CPS_GATE_OPEN:
		tick(m, info, context);
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

void cps_sample_handler(int number, siginfo_t *info, void *context)
{
	const struct cps_meter *m = meter_now();
	int saved = errno;

	if (number == m->signal && m->is_mine(info) && !is_wanted(number)) {
		judge(m, info, context);
		if (cps_gate_is_open()) /* after the end even this system call may be forbidden */
			cps_sample_note_interruption(context);
	} else if (is_deadline(number, info)) {
		if (cps_gate_is_open() && cps_gate_is_over())
			cps_own_stack_call(0, call_over, context);
		cps_sample_note_interruption(context);
	} else if (is_late(number, info)) {
		cps_sample_note_interruption(context);
	} else {
		cps_disposition_pass_on(number, info, context);
	}
	errno = saved;
}

static void tail(struct cps_thread *t, const void *context)
{
	struct cps_regs regs;

	if (!meter_now()->read || !cps_recording_path() || atomic_exchange(&t->busy, true))
		return;
	if (context)
		cps_regs_of_context(&regs, context);
	else
		cps_regs_here(&regs);
	t->consumed -= atomic_exchange(&unrecorded, 0);
	take_on_own_stack(t, &regs, meter_now()->read(), true);
	atomic_store(&t->busy, false);
}

void cps_sample_before_tail(struct cps_thread *t)
{
	const struct cps_meter *m = meter_now();
	uint64_t reading, used, sum;

	if (!m->read || cps_recording_path() || cps_gate_verdict() != CPS_GATE_OPEN)
		return;
	reading = m->read();
	used = due(t, reading) > 0 ? (uint64_t)due(t, reading) : 0;
	/* From here on this time is part of the sum, which goes to the next thread that ends while there
	 * is a recording. */
	t->consumed = reading;
	t->remainder = 0;
	sum = atomic_fetch_add(&unrecorded, used) + used;
	if (sum >= WORTH_A_FILE)
		cps_recording_ready();
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
	uint64_t all = ~UINT64_C(0), mask;

	if (!context)
		CPS_SYS(rt_sigprocmask, SIG_BLOCK, &all, &mask, sizeof(mask));
	tail(t, context);
	if (!context)
		CPS_SYS(rt_sigprocmask, SIG_SETMASK, &mask, NULL, sizeof(mask));
}

static void add_tail_of(struct cps_thread *t, const struct cps_meter *m)
{
	struct cps_frame frames[CPS_THREAD_BASE + 1] = {{.pc = (uintptr_t)t->routine}};
	struct cps_stack stack = {.frames = frames, .depth = t->n_base + 1};
	uint32_t rest = 0;
	uint64_t reading, weight;

	if (atomic_load(&t->state) != CPS_THREAD_LIVE)
		return;
	for (uint32_t i = 0; i < t->n_base; i++)
		frames[i + 1].pc = t->base[i];
	reading = m->read_of(t);
	weight = weigh(t, reading, true, &rest);
	if (weight && cps_recording_add(t, NULL, NULL, &stack, weight, true)) {
		t->consumed = reading;
		t->remainder = rest;
	}
}

void cps_sample_tail_of(struct cps_thread *t)
{
	const struct cps_meter *m = meter_now();

	if (!m->read_of || !t->routine || !cps_recording_path() || atomic_exchange(&t->busy, true))
		return;
	add_tail_of(t, m);
	atomic_store(&t->busy, false);
}

static void skip_one(struct cps_thread *t, void *except)
{
	if (t == except)
		return;
	t->consumed = meter_now()->read_of(t);
	t->remainder = 0;
}

void cps_sample_skip(const struct cps_thread *except)
{
	if (meter_now()->read_of)
		cps_thread_each(skip_one, (void *)(uintptr_t)except);
}

static void rearm_one(struct cps_thread *t, void *context)
{
	(void)context;
	meter_now()->rearm(t, NULL);
}

void cps_sample_rearm(void)
{
	if (meter_now()->rearm)
		cps_thread_each(rearm_one, NULL);
}
