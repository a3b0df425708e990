/* SPDX-License-Identifier: MIT */
/*
 * off_cpu.c - where threads are while they do not run.
 */
#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>

#include "arch/arch.h"
#include "base/memory.h"
#include "base/moment.h"
#include "base/sys.h"
#include "resource/off_cpu.h"
#include "resource/point.h"
#include "resource/resource.h"
#include "resource/switches.h"
#include "signal/gate.h"
#include "signal/own_stack.h"
#include "signal/sample.h"
#include "signal/tick_riders.h"
#include "stream/loss.h"
#include "stream/thread.h"
#include "unwind/unwind.h"
#include "base/poison.h"

/* ---- sleeper --------------------------------------------------------------------------------- */
/*
 * In: what a thread has noted before it was blocked. Out: a sample. Its stack holds still as long
 * as it is blocked. If it wakes up meanwhile its stack may go away, so that all of it is read by
 * the kernel, and what was read is thrown away.
 *
 * Order: what a thread notes is released by the odd sequence number that follows it, and acquired
 * with that. Before it notes something else the number is even, and a fence keeps what follows
 * behind that; or it is another odd one. Who reads has a fence before it looks at the number again:
 * if any word is of a later call, the number is another one.
 */

#define FRAMES 4096u /* that are kept of its stack */
#define TRIES  16u   /* stacks */

#define GET(word)	 atomic_load_explicit(&(word), memory_order_relaxed)
#define SET(word, value) atomic_store_explicit(&(word), value, memory_order_relaxed)

/* Who reads sees the same odd number before and after if what is in between is whole. */
void cps_sleeper_note(struct cps_sleep *s, uint32_t state, uint64_t since, uint64_t leaf,
		      const uint64_t regs[CPS_REGS_KEPT])
{
	uint32_t sequence = GET(s->sequence);

	if (sequence & 1)
		SET(s->sequence, ++sequence);
	atomic_thread_fence(memory_order_release);
	SET(s->state, state);
	SET(s->since, since);
	SET(s->leaf, leaf);
	for (int i = 0; i < CPS_REGS_KEPT; i++)
		SET(s->regs[i], regs[i]);
	atomic_store_explicit(&s->sequence, sequence + 1, memory_order_release);
}

void cps_sleeper_forget(struct cps_sleep *s)
{
	atomic_store_explicit(&s->sequence, (GET(s->sequence) | 1) + 1, memory_order_release);
}

static bool is_noted(const struct cps_sleep *s)
{
	return GET(s->sequence) & 1;
}

bool cps_sleeper_encloses(const struct cps_sleep *s, uintptr_t sp)
{
	return is_noted(s) && GET(s->regs[CPS_REGS_KEPT_SP]) > sp;
}

bool cps_sleeper_is_left(struct cps_sleep *s, const ucontext_t *context)
{
	if (!is_noted(s))
		return true;
	if (cps_regs_is_below(context, GET(s->regs[CPS_REGS_KEPT_SP])))
		return false;
	cps_sleeper_forget(s);
	return true;
}

static bool is_still(const struct cps_sleep *s, uint32_t sequence)
{
	atomic_thread_fence(memory_order_acquire);
	return GET(s->sequence) == sequence;
}

bool cps_sleeper_read(const struct cps_sleep *s, struct cps_sleep *copy)
{
	uint32_t sequence = atomic_load_explicit(&s->sequence, memory_order_acquire);

	if (!(sequence & 1))
		return false;
	SET(copy->state, GET(s->state));
	SET(copy->since, GET(s->since));
	SET(copy->leaf, GET(s->leaf));
	for (int i = 0; i < CPS_REGS_KEPT; i++)
		SET(copy->regs[i], GET(s->regs[i]));
	SET(copy->sequence, sequence);
	return is_still(s, sequence);
}

bool cps_sleeper_is_worth(uint64_t ns)
{
	return ns >= CPS_RECORDING_WORTH_NS || cps_recording_path();
}

struct job {
	struct cps_thread *thread;
	const struct cps_sleep *sleep, *copy; /* NULL: it is not known where the thread is */
	const struct cps_credit *credit;
	struct cps_frame *frames;
	bool is_done;
};

static void add(void *argument)
{
	struct job *job = argument;
	struct cps_stack stack = {.frames = job->frames, .room = FRAMES, .keep = FRAMES};
	struct cps_peek peek = {.low = 0};
	uint64_t regs[CPS_REGS_KEPT];
	ucontext_t context = {0};

	if (!cps_recording_ready())
		return;
	if (!job->copy) {
		job->is_done = cps_sample_add_not_sampled(job->thread, job->credit);
		return;
	}
	stack.until = job->thread->walk_until;
	for (int i = 0; i < CPS_REGS_KEPT; i++)
		regs[i] = GET(job->copy->regs[i]);
	cps_regs_context_of(&context, regs);
	cps_unwinder_in_use()->walk(&context, &peek, &stack);
	if (stack.depth && is_still(job->sleep, GET(job->copy->sequence)))
		job->is_done = cps_recording_add(job->thread, NULL, NULL, &stack, job->credit);
}

/* There is no later sample to which this could be added, so another stack is tried if one is in use. */
static bool take(struct cps_thread *t, struct job *job)
{
	uint32_t tries = 0;

	if (atomic_exchange(&t->busy, true)) {
		cps_loss_add(CPS_LOSS_REENTERED, 1);
		return false;
	}
	cps_budget_begin(t, cps_moment_ns());
	while (++tries < TRIES && !cps_own_stack_call(t->id + tries, add, job))
		;
	if (tries == TRIES)
		cps_own_stack_sample(t->id, add, job);
	atomic_store(&t->busy, false);
	return job->is_done;
}

bool cps_sleeper_take(struct cps_thread *t, const struct cps_sleep *sleep,
		      const struct cps_sleep *copy, const struct cps_credit *credit)
{
	struct cps_frame *frames = cps_arena_pages(FRAMES * sizeof(*frames));
	struct job job = {t, sleep, copy, credit, frames, false};
	bool is_done = frames && take(t, &job);

	cps_arena_unmap(frames, frames ? FRAMES * sizeof(*frames) : 0);
	return is_done;
}

bool cps_sleeper_take_nowhere(struct cps_thread *t, const struct cps_credit *credit)
{
	struct job job = {t, NULL, NULL, credit, NULL, false};

	return take(t, &job);
}

/* ---- off cpu --------------------------------------------------------------------------------- */
/*
 * Counts the time of threads in which they do not run.
 *
 * In: wrapped calls that begin and end, ticks, threads that begin and end. Out: credits of the
 * resource `real`, of which a clock credits the part that is CPU time.
 */

#define SHORT 25000u		  /* ns; the CPU clock takes some 2 % of a call of this length */
#define STALE UINT64_C(100000000) /* ns after which who holds an account has left it by longjmp */

/* ns off the CPU that are worth asking the kernel how much of them the thread was ready: that takes some 14 us, and as much
 * again at the thread's end. While it is hardly ever ready, it is asked less often. */
#define ASK_WORTH   INT64_C(1000000)
#define ASK_MOST    (16 * ASK_WORTH)
#define FIRST_WORTH ((int64_t)CPS_READY_SHORT_NS)
#define HARDLY	    16	      /* one part of so many */
#define NOT_SAID    INT64_MAX /* nothing is more than that */

_Static_assert(sizeof(((struct cps_sleep *)0)->regs) == CPS_REGS_KEPT * sizeof(uint64_t),
	       "thread.h has room for the registers");

#define STALLED_WORTH                                                                              \
	(100 * (uint64_t)CPS_RECORDING_WORTH_NS) /* a busy machine lets every process wait */

static uint32_t number;
static _Atomic uint64_t blocked_ns; /* in calls, of all threads */
static int owner;		    /* the process that this is of */

/* An account is used by its thread, by handlers that interrupt it there, and by who ends the recording. Nobody
 * waits: what is not settled now is settled later. A handler of the target's may leave by longjmp. */
static bool hold(struct cps_off_cpu *o, uint64_t now)
{
	uint64_t since = atomic_load_explicit(&o->held_at, memory_order_relaxed);

	return (!since || (int64_t)(now - since) > (int64_t)STALE) &&
	       atomic_compare_exchange_strong(&o->held_at, &since, now);
}

static void release(struct cps_off_cpu *o)
{
	atomic_store_explicit(&o->held_at, 0, memory_order_release);
}

/* Another thread that has ended has no clock. */
static uint64_t cpu_of(const struct cps_thread *t)
{
	const struct cps_meter *m = cps_sample_meter();
	uint64_t cpu;

	if (t == cps_thread_self())
		return m->read();
	cpu = m->read_of(t);
	return cpu ? cpu : cps_state_of(t)->off_cpu.settled_cpu;
}

/* What is due may be less than nothing for a while: readings of the CPU clock may be reckoned. */
static void settle(struct cps_off_cpu *o, uint64_t now, uint64_t cpu)
{
	uint64_t passed = now - o->settled_at;

	o->due += (int64_t)(passed - (cpu - o->settled_cpu));
	o->unasked += (int64_t)(passed - (cpu - o->settled_cpu));
	o->counted += passed;
	o->settled_at = now;
	o->settled_cpu = cpu;
}

/* Takes at most so much of what is due. */
static uint64_t take_due(struct cps_off_cpu *o, uint64_t most)
{
	uint64_t due = o->due > 0 ? (uint64_t)o->due : 0;

	due = due < most ? due : most;
	o->due -= (int64_t)due;
	return due;
}

/* ---- ready ------------------------------------------------------------------------------------- */
/* How much of a weight the thread was ready: as much as the kernel has counted since it was asked last. What is less than
 * half an interval is left for a later sample, so there are no more of them than points. */

/* What the kernel says now does not count. */
static void begin_ready(void *thread)
{
	const struct cps_thread *t = thread;
	struct cps_off_cpu *o = &cps_state_of(t)->off_cpu;

	if (cps_ready_read(t, &o->said))
		o->ask_at = ASK_WORTH;
}

/* To be called by who holds the account. What it was ready since it was settled is of a later weight. */
static void ask(void *thread)
{
	const struct cps_thread *t = thread;
	struct cps_off_cpu *o = &cps_state_of(t)->off_cpu;
	int64_t grown = 0;
	uint64_t said;

	if (cps_ready_read(t, &said)) {
		grown = (int64_t)(said - o->said);
		grown = grown > 0 ? grown : 0;
		o->said = said;
	}
	o->ready += grown;
	if (grown > o->unasked / HARDLY)
		o->ask_at = ASK_WORTH;
	else if (o->ask_at < ASK_MOST)
		o->ask_at *= 2;
	o->unasked = 0;
}

/* What of the weight it was ready, in whole grains, is for a sample of its own. Returns the other part. What is due still was
 * before the call whose weight it is, outside of calls, where threads hardly wait for anything but a processor. */
static uint64_t split(struct cps_off_cpu *o, uint64_t weight)
{
	int64_t half = (int64_t)cps_resource_interval(number) / 2;
	int64_t ready = o->due > 0 ? o->ready - o->due : o->ready;
	uint64_t part;

	if (!weight || ready < half)
		return weight;
	part = (uint64_t)ready + (uint64_t)half > weight
		       ? weight
		       : (uint64_t)ready - (uint64_t)ready % cps_resource_grain(number);
	o->ready -= (int64_t)part;
	atomic_fetch_add(&o->ready_part, part);
	return weight - part;
}

/* What the latest weight of the thread has of it. */
static uint64_t take_ready_part(struct cps_off_cpu *o)
{
	if (!atomic_load_explicit(&o->ready_part, memory_order_relaxed))
		return 0;
	return atomic_exchange(&o->ready_part, 0);
}

/* ---- calls and ticks ----------------------------------------------------------------------------- */

/* A call begins in the function with these registers, at call->since. */
static void cps_off_cpu_enter(struct cps_blocking_call *call, const uint64_t regs[CPS_REGS_KEPT])
{
	struct cps_sleep *sleep = &cps_state_of(call->thread)->off_cpu.sleep;

	if (cps_sleeper_encloses(sleep, cps_regs_kept_sp(regs)))
		return;
	call->noted |= CPS_BLOCKING_REAL;
	cps_sleeper_note(sleep, call->state, call->since, call->leaf, regs);
}

/* A child of vfork runs with its parent's memory. */
static bool is_counted(const struct cps_thread *t)
{
	return cps_state_of(t)->off_cpu.settled_at && cps_gate_verdict() == CPS_GATE_OPEN &&
	       t->tid == cps_sys_gettid();
}

/* Settles the thread's account at the end of a call. Returns the weight of the call's sample, without what the thread was ready
 * in it. */
static uint64_t settle_call(const struct cps_blocking_call *call, uint64_t now)
{
	struct cps_off_cpu *o = &cps_state_of(call->thread)->off_cpu;
	uint64_t blocked, weight = 0;

	if (!hold(o, now))
		return 0;
	settle(o, now, cpu_of(call->thread));
	blocked = take_due(o, now - call->since);
	if (blocked) {
		atomic_fetch_add_explicit(&blocked_ns, blocked, memory_order_relaxed);
		o->state = call->state;
		weight = cps_point_pass(number, blocked);
	}
	o->weight = o->unasked >= o->ask_at ? weight : 0;
	if (!o->weight)
		weight = split(o, weight);
	release(o);
	return weight;
}

/* Asks for a call that has ended, on a stack of the recorder's: frames of settle_call and of this would be too much for a thread
 * with little stack. */
static void split_call(void *thread)
{
	struct cps_thread *t = thread;
	struct cps_off_cpu *o = &cps_state_of(t)->off_cpu;

	if (!hold(o, cps_moment_ns()))
		return;
	ask(t);
	o->weight = split(o, o->weight);
	release(o);
}

/* It ends. Returns with how many gticks of `real` the function's caller is to be credited, as a call of `leaf`.
 * errno stays as it is. A tick that comes meanwhile finds that the call is not over until it was credited. Its frame is gone
 * when a sample is taken (cps_blocking_leave). */
static __attribute__((noinline)) uint64_t cps_off_cpu_leave(const struct cps_blocking_call *call)
{
	uint64_t now = cps_moment_ns(), weight = 0;

	if (now - call->since >= SHORT && is_counted(call->thread))
		weight = settle_call(call, now);
	if (call->noted & CPS_BLOCKING_REAL)
		cps_sleeper_forget(&cps_state_of(call->thread)->off_cpu.sleep);
	return weight;
}

/* The weight of what was off the CPU in no call, without what the thread was ready. */
static uint64_t settle_stalled(struct cps_thread *t, uint64_t now, uint64_t reading)
{
	struct cps_off_cpu *o = &cps_state_of(t)->off_cpu;
	uint64_t stalled, weight = 0;

	settle(o, now, reading);
	stalled = take_due(o, UINT64_MAX);
	if (stalled) {
		o->state = CPS_STALLED;
		weight = cps_point_pass(number, stalled);
	}
	if (weight && o->unasked >= o->ask_at)
		cps_own_stack_call(t->id, ask, t);
	return split(o, weight);
}

/* It is asked again, and has then settled what there was. */
static bool at_tick(struct cps_thread *t, const ucontext_t *context, uint64_t now, uint64_t reading,
		    struct cps_credit *credit)
{
	struct cps_off_cpu *o = &cps_state_of(t)->off_cpu;
	uint32_t state = CPS_READY;
	uint64_t weight;

	if (!o->settled_at || t->reckoned || !cps_sleeper_is_left(&o->sleep, context) ||
	    !hold(o, now))
		return false;
	weight = take_ready_part(o);
	if (!weight) {
		weight = settle_stalled(t, now, reading);
		state = weight ? CPS_STALLED : CPS_READY;
		weight = weight ? weight : take_ready_part(o);
	}
	release(o);
	*credit = cps_resource_credit(number, state, weight);
	return weight > 0;
}

/* An interval of the point process begins anew. Returns what had passed and no sample has. */
static uint64_t take_interval(struct cps_thread *t)
{
	struct cps_point *p = &cps_state_of(t)->points[number];
	int64_t passed = (int64_t)p->current - p->left;
	uint64_t rest = p->rest;

	p->rest = 0;
	if (!p->current || passed <= 0)
		return rest;
	p->left = (int64_t)p->current;
	return rest + (uint64_t)passed;
}

static void begin(struct cps_thread *t, uint64_t now, uint64_t cpu)
{
	struct cps_off_cpu *o = &cps_state_of(t)->off_cpu;

	take_interval(t);
	take_ready_part(o);
	o->due = o->ready = o->unasked = 0;
	o->said = NOT_SAID;
	o->ask_at = FIRST_WORTH;
	o->settled_cpu = cpu;
	o->settled_at = now;
}

static void skip(struct cps_thread *t, uint64_t reading)
{
	if (!cps_state_of(t)->off_cpu.settled_at)
		return;
	begin(t, cps_moment_ns(), reading);
	if (!cps_gate_is_early()) /* it is skipped again when recording begins */
		cps_own_stack_call(t->id, begin_ready, t);
}

/* It stays what it is: the next sample may be of another state. */
static void keep(struct cps_thread *t, const struct cps_credit *credit)
{
	struct cps_off_cpu *o = &cps_state_of(t)->off_cpu;
	uint64_t part;

	if (!hold(o, cps_moment_ns())) {
		cps_resource_keep(t, credit);
		return;
	}
	part = take_ready_part(o);
	if (credit->atom == cps_resource_credit(number, CPS_READY, 0).atom)
		part += credit->gticks;
	else
		o->due += (int64_t)credit->gticks;
	o->due += (int64_t)part;
	o->ready += (int64_t)part;
	release(o);
}

static const struct cps_tick_riders rider = {at_tick, keep, skip};

void cps_off_cpu_reset(void)
{
	owner = 0;
}

/* A thread that was created just now has been ready since then, but for little. To ask the kernel would take as long. */
void cps_off_cpu_arm(struct cps_thread *t)
{
	uint64_t now = cps_moment_ns();

	cps_state_of(t)->off_cpu.counted = 0;
	if (!cps_state_of(t)->points[number].current)
		cps_point_begin_whole(t, number); /* what is left over is credited at the end */
	begin(t, now, cpu_of(t));
	cps_state_of(t)->off_cpu.said = now - t->taken_ns;
}

static void arm_one(struct cps_thread *t, void *context)
{
	(void)context;
	cps_off_cpu_arm(t);
	begin_ready(t);
}

int cps_off_cpu_start(uint32_t n)
{
	number = n;
	if (owner != cps_sys_getpid())
		atomic_store(&blocked_ns, 0);
	owner = cps_sys_getpid();
	cps_thread_each(arm_one, NULL);
	cps_tick_riders_add(&rider);
	cps_blocking_watch(CPS_BLOCKING_REAL);
	return 0;
}

void cps_off_cpu_stop(void)
{
	cps_blocking_ignore(CPS_BLOCKING_REAL);
	cps_tick_riders_remove(&rider);
}

/* What a thread is due: what is of the call that it is in, what it was ready, and what else has no place. That has the state of
 * the larger part: no tick has come since the thread was stalled, or an interval has not ended. */
struct rest {
	uint64_t blocked, ready, other;
	struct cps_sleep call;
};

/* Who is ready in a call and sleeps in it again is so for less than it was before. */
static void take_ready_of_rest(struct cps_off_cpu *o, struct rest *rest)
{
	uint64_t part = o->ready > 0 ? (uint64_t)o->ready : 0;

	part = part < rest->other ? part : rest->other;
	o->ready -= (int64_t)part;
	rest->ready += part;
	rest->other -= part;
}

static bool find_rest(struct cps_thread *t, struct rest *rest)
{
	struct cps_off_cpu *o = &cps_state_of(t)->off_cpu;
	uint64_t now = cps_moment_ns(), due, interval;

	if (!o->settled_at || !hold(o, now))
		return false;
	settle(o, now, cpu_of(t));
	if (o->unasked >= FIRST_WORTH)
		ask(t);
	due = take_due(o, UINT64_MAX);
	rest->blocked = 0;
	if (cps_sleeper_read(&o->sleep, &rest->call) && rest->call.since < now)
		rest->blocked = due < now - rest->call.since ? due : now - rest->call.since;
	atomic_fetch_add_explicit(&blocked_ns, rest->blocked, memory_order_relaxed);
	interval = take_interval(t);
	rest->ready = take_ready_part(o);
	rest->other = due - rest->blocked + interval;
	take_ready_of_rest(o, rest);
	if (due - rest->blocked > interval)
		o->state = CPS_STALLED;
	else if (rest->blocked)
		o->state = rest->call.state;
	release(o);
	return true;
}

/* Little time is no reason for a recording, but many threads may have little. */
static bool has_recording(uint64_t ns)
{
	return cps_sleeper_is_worth(ns + cps_left_over_kept(number));
}

static void credit(struct cps_thread *t, struct rest *rest)
{
	struct cps_credit place = cps_resource_credit(number, rest->call.state, rest->blocked);

	place.leaf = rest->call.leaf;
	place.is_tail = true;
	if (!place.weight ||
	    !cps_sleeper_take(t, &cps_state_of(t)->off_cpu.sleep, &rest->call, &place))
		rest->other += rest->blocked;
	cps_left_over_credit(t, number, cps_state_of(t)->off_cpu.state, rest->other);
	if (rest->ready)
		cps_left_over_credit(t, number, CPS_READY, rest->ready);
}

void cps_off_cpu_credit_rest(struct cps_thread *t)
{
	uint64_t mask = cps_sys_block_signals();
	struct rest rest = {.blocked = 0};
	uint64_t whole;

	if (find_rest(t, &rest)) {
		whole = rest.blocked + rest.ready + rest.other;
		if (has_recording(whole))
			credit(t, &rest);
		else
			cps_left_over_keep(number, whole);
	}
	cps_sys_set_mask(mask);
}

/* It may have been cancelled in a call. */
void cps_off_cpu_disarm(struct cps_thread *t)
{
	cps_sleeper_forget(&cps_state_of(t)->off_cpu.sleep);
	cps_off_cpu_credit_rest(t);
	cps_state_of(t)->off_cpu.settled_at = 0;
}

bool cps_off_cpu_is_worth(uint64_t counted, uint64_t cpu_ns)
{
	uint64_t blocked = atomic_load(&blocked_ns);

	return blocked >= CPS_RECORDING_WORTH_NS ||
	       (counted > cpu_ns + blocked && counted - cpu_ns - blocked >= STALLED_WORTH);
}

uint64_t cps_off_cpu_take_counted(struct cps_thread *t)
{
	uint64_t counted = cps_state_of(t)->off_cpu.counted;

	cps_state_of(t)->off_cpu.counted = 0;
	return counted;
}

/* ---- blocking -------------------------------------------------------------------------------- */
/*
 * In: wrapped calls that begin and end. Out: the same to those who have asked.
 *
 * Order: what a watcher needs is there before its bit is set, and used by who has acquired that.
 */

_Atomic uint32_t cps_blocking_watchers;

void cps_blocking_watch(uint32_t who)
{
	atomic_fetch_or(&cps_blocking_watchers, who);
}

void cps_blocking_ignore(uint32_t who)
{
	atomic_fetch_and(&cps_blocking_watchers, ~who);
}

void cps_blocking_enter(void *begins, const uint64_t regs[CPS_REGS_KEPT])
{
	struct cps_blocking_call *call = begins;
	struct cps_thread *t = cps_thread_arrive();

	if (!t || cps_thread_is_gone(t))
		return;
	call->thread = t;
	call->who = atomic_load_explicit(&cps_blocking_watchers, memory_order_acquire);
	if (call->who & CPS_BLOCKING_SWITCHES)
		cps_switches_enter(call, regs);
	if (call->who & (CPS_BLOCKING_REAL | CPS_BLOCKING_LASTED))
		call->since = cps_moment_ns();
	if (call->who & CPS_BLOCKING_REAL)
		cps_off_cpu_enter(call, regs);
}

/* Samples are taken here, and not where their weights are found: threads may have little stack. */
void cps_blocking_leave(const struct cps_blocking_call *call)
{
	uint64_t gticks = call->who & CPS_BLOCKING_REAL ? cps_off_cpu_leave(call) : 0;
	const struct cps_switches_part *part;
	struct cps_switch_counts n;

	if (gticks && cps_state_of(call->thread)->off_cpu.weight) {
		cps_event_call(split_call, call->thread);
		gticks = cps_state_of(call->thread)->off_cpu.weight;
	}
	if (gticks)
		cps_resource_sample_in(CPS_RESOURCE_OF_real, call->state, gticks, call->leaf);
	gticks = take_ready_part(&cps_state_of(call->thread)->off_cpu);
	if (gticks)
		cps_resource_sample_in(CPS_RESOURCE_OF_real, CPS_READY, gticks, call->leaf);
	if (!(call->who & CPS_BLOCKING_SWITCHES))
		return;
	for (int i = cps_switches_leave(call, &n) ? 0 : CPS_SWITCHES_PARTS; i < CPS_SWITCHES_PARTS;
	     i++) {
		part = &cps_switches_parts[i];
		gticks = cps_switches_pass(i, &n);
		if (gticks)
			cps_resource_sample_in(part->number, part->state, gticks, call->leaf);
	}
	if (!(call->noted & CPS_BLOCKING_SWITCHES) ||
	    !cps_switches_are_overdue(&cps_state_of(call->thread)->switches))
		return;
	while ((part = cps_switches_take_due(&cps_state_of(call->thread)->switches, &gticks)))
		cps_resource_sample(part->number, part->state, gticks);
}
