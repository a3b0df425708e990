/* SPDX-License-Identifier: MIT */
/*
 * sample.c - the signal handler.
 *
 * Room: signal. In: a tick. Out: a sample with its weight, or a counted loss. A lost tick loses no
 * consumption: the thread's next sample carries it.
 */
#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>

#include "arena.h"
#include "loss.h"
#include "module.h"
#include "recording.h"
#include "sample.h"
#include "sys.h"
#include "poison.h"

#define PAGE_BYTES 4096

static struct cps_meter meter;
/* On a page that the kernel wipes in a child, however it was made: the child is not recorded, and must
 * not write into its parent's journal. */
static _Atomic(atomic_bool *) is_on;

/* Two copies, so that a handler that comes in the middle of a change finds one that is whole. */
static struct sigaction disposition[2];
static _Atomic unsigned current;

bool cps_sample_start(const struct cps_meter *m)
{
	atomic_bool *page = cps_arena_pages(PAGE_BYTES);

	if (!page || CPS_SYS(madvise, page, PAGE_BYTES, MADV_WIPEONFORK, 0) != 0)
		return false;
	meter = *m;
	atomic_store(page, true);
	atomic_store(&is_on, page);
	return true;
}

void cps_sample_set_disposition(const struct sigaction *action)
{
	unsigned other = !atomic_load(&current);

	disposition[other] = *action;
	atomic_store(&current, other);
}

void cps_sample_get_disposition(struct sigaction *action)
{
	*action = disposition[atomic_load(&current)];
}

void cps_sample_stop(void)
{
	atomic_bool *page = atomic_load(&is_on);

	if (page)
		atomic_store(page, false);
}

bool cps_sample_is_on(void)
{
	atomic_bool *page = atomic_load_explicit(&is_on, memory_order_relaxed);

	return page && atomic_load_explicit(page, memory_order_relaxed);
}

/* The default ends the process: once more, with the default in place. */
static void end_process(int number)
{
	static const uint64_t by_default[4]; /* the kernel's struct sigaction, all zero */

	CPS_SYS(rt_sigaction, number, by_default, 0, 8);
	CPS_SYS(tgkill, cps_sys_getpid(), cps_sys_gettid(), number, 0);
}

/* The mask that the target's handler would run with: that of the interrupted code, the handler's,
 * and the signal itself. The kernel puts the first back when we return. */
static void mask_for(const struct sigaction *action, int number, const ucontext_t *context)
{
	uint64_t interrupted, own;

	memcpy(&interrupted, &context->uc_sigmask, sizeof(interrupted));
	memcpy(&own, &action->sa_mask, sizeof(own));
	interrupted |= own;
	if (!(action->sa_flags & SA_NODEFER))
		interrupted |= UINT64_C(1) << (number - 1);
	CPS_SYS(rt_sigprocmask, SIG_SETMASK, &interrupted, 0, sizeof(interrupted));
}

/* Somebody else's signal: what would have happened without us. */
static void pass_on(int number, siginfo_t *info, void *context)
{
	static const struct sigaction by_default = {.sa_handler = SIG_DFL};
	struct sigaction action;

	cps_sample_get_disposition(&action);
	if (action.sa_handler == SIG_IGN)
		return;
	if (action.sa_handler == SIG_DFL) {
		end_process(number);
		return;
	}
	if (action.sa_flags & SA_RESETHAND)
		cps_sample_set_disposition(&by_default);
	mask_for(&action, number, context);
	if (action.sa_flags & SA_SIGINFO)
		action.sa_sigaction(number, info, context);
	else
		action.sa_handler(number);
}

/* Weight of a sample now: units, and in *rest the gticks that do not make a unit. */
static uint64_t weigh(const struct cps_thread *t, uint64_t reading, uint32_t *rest)
{
	uint64_t gticks;

	if (!meter.read)
		return 1;
	gticks = reading - t->consumed + t->remainder;
	if ((int64_t)gticks < 0)
		gticks = 0;
	*rest = (uint32_t)(gticks % meter.scale);
	return gticks / meter.scale;
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

static void take(struct cps_thread *t, const struct cps_regs *regs, bool is_tail)
{
	uint64_t reading = meter.read ? meter.read() : 0, weight;
	struct cps_peek peek;
	uint32_t rest = 0;

	weight = weigh(t, reading, &rest);
	bounds_of(t, regs, &peek);
	if (!cps_recording_ready() || !cps_recording_add(t, regs, &peek, NULL, weight, is_tail))
		return;
	t->consumed = reading;
	t->remainder = rest;
}

/* A thread that nobody introduced: made by clone(2), or before we came. */
static struct cps_thread *adopt(void)
{
	struct cps_thread *t = cps_thread_take();

	if (t) {
		t->start_us = cps_recording_now_us();
		cps_thread_enter(t, 0);
	}
	return t;
}

static void tick(const ucontext_t *context)
{
	struct cps_thread *t = cps_thread_self();
	struct cps_regs regs;

	if (!t && !meter.adopts)
		return;
	/* Threads that clone(2) made may share their creator's thread-local storage. */
	if (t && meter.adopts && meter.read && t->tid && t->tid != cps_sys_gettid())
		t = cps_thread_find(cps_sys_gettid());
	if (!t)
		t = adopt();
	if (!t) {
		cps_loss_add(CPS_LOSS_MEMORY, 1);
		return;
	}
	if (t->busy) {
		cps_loss_add(CPS_LOSS_REENTERED, 1);
		return;
	}
	t->busy = 1;
	cps_regs_of_context(&regs, context);
	take(t, &regs, false);
	if (meter.rearm && !cps_fuse_reason(NULL))
		meter.rearm(t);
	t->busy = 0;
}

void cps_sample_handler(int number, siginfo_t *info, void *context)
{
	int saved = errno;

	if (!meter.is_mine(info))
		pass_on(number, info, context);
	else if (cps_sample_is_on())
		tick(context);
	errno = saved;
}

void cps_sample_tail(struct cps_thread *t)
{
	struct cps_regs regs;

	if (!meter.read || t->busy || !cps_recording_path())
		return;
	t->busy = 1;
	cps_regs_here(&regs);
	take(t, &regs, true);
	t->busy = 0;
}

void cps_sample_tail_of(struct cps_thread *t)
{
	uint64_t frames[CPS_THREAD_BASE + 1] = {(uintptr_t)t->routine};
	struct cps_stack stack = {.frames = frames, .depth = t->n_base + 1};
	uint32_t rest = 0;
	uint64_t reading, weight;

	if (!meter.read_of || !t->routine || t->busy || !cps_recording_path())
		return;
	memcpy(frames + 1, t->base, t->n_base * sizeof(frames[0]));
	reading = meter.read_of(t);
	weight = weigh(t, reading, &rest);
	if (weight && cps_recording_add(t, NULL, NULL, &stack, weight, true))
		t->consumed = reading;
}
