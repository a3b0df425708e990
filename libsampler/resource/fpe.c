/* SPDX-License-Identifier: MIT */
/*
 * fpe.c - the engine of the resource `fpe`: exceptions of floating-point arithmetic, by traps of the processor.
 *
 * In: ticks, traps. Out: samples of the instructions that raise exceptions.
 *
 * A signal handler begins with all exceptions masked, and the kernel loads the interrupted code's register MXCSR from
 * the context when it returns. So the handlers of ticks and traps change it there. A trap that cannot be told
 * from one that the program wants is never swallowed while it has a handler, or has enabled one by the C library.
 */
#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "base/moment.h"
#include "base/sys.h"
#include "clock/go_runtime.h"
#include "resource/fpe.h"
#include "resource/point.h"
#include "resource/resource.h"
#include "resource/traced.h"
#include "signal/budget.h"
#include "signal/companion.h"
#include "signal/disposition.h"
#include "signal/gate.h"
#include "signal/sample.h"
#include "signal/side.h"
#include "stream/loss.h"
#include "unwind/regs.h"

#if defined(__x86_64__)

#define KINDS                                                                                      \
	0x3fu /* invalid, denormal, divide, overflow, underflow, inexact: flags; shifted, masks */
#define MASK_SHIFT 7
#define STEP	   0x100 /* in the processor's flags: trap after the next instruction */
#define TRAP_SSE   19	 /* the processor's number of that trap */
#define TRAP_STEP  1
#define STEPS	   8
#define LONGEST	   15 /* bytes of an instruction */

static struct {
	uint32_t number; /* of the resource */
	bool is_exact;
	atomic_bool has_begun;	/* it was asked for */
	atomic_bool is_on;	/* neither paused nor ended */
	atomic_bool is_yielded; /* the program has enabled exceptions itself */
} engine;

/* An instruction that is to be executed alone. */
struct step {
	greg_t pc, sp; /* of the thread before it */
	bool is_pending;
	bool was_stepping; /* somebody else steps, too */
	/* Flags, kinds that were masked, and those that may have trapped. */
	uint32_t flags, masks, traps;
};

static __thread struct {
	uint32_t
		ours; /* kinds that are unmasked by us, unless a function has masked them for its own time */
	uint32_t had;	/* flags that were set when these were unmasked */
	bool has_begun; /* a tick has looked at the thread before */
	uint32_t holds; /* ticks change nothing while this is not 0 */
	/* A handler of the program's may come between the trap and its step, and may trap itself, or leave by longjmp. So
	 * there may be several that are not over. If there are too many the oldest are taken for left. */
	struct step steps[STEPS];
	uint32_t n_left; /* that were */
} own;

static uint32_t *mxcsr_of(ucontext_t *context)
{
	return context->uc_mcontext.fpregs ? &context->uc_mcontext.fpregs->mxcsr : NULL;
}

static uint32_t unmasked(uint32_t mxcsr)
{
	return ~mxcsr >> MASK_SHIFT & KINDS;
}

static bool is_blocked(const ucontext_t *context)
{
	return sigismember(&context->uc_sigmask, SIGFPE) == 1 ||
	       sigismember(&context->uc_sigmask, SIGTRAP) == 1;
}

static bool has_handler(int number)
{
	struct sigaction action;

	cps_disposition_get(number, &action);
	return action.sa_handler != SIG_DFL && action.sa_handler != SIG_IGN;
}

/* Before an exec, which may fail, the kernel is told what the program ignores: a trap of another thread would end it. */
static bool is_default(int number)
{
	struct sigaction action;

	cps_disposition_get(number, &action);
	return action.sa_handler == SIG_DFL;
}

/* Whether the traps are the program's. */
static bool is_theirs(void)
{
	return atomic_load_explicit(&engine.is_yielded, memory_order_relaxed) ||
	       !is_default(SIGFPE) || !is_default(SIGTRAP);
}

/* What the processor raises cannot be ignored: the kernel ends the program. That has the signal's origin from the
 * instruction if it is executed once more, which those are before that raise SIGFPE. */
static void pass_on(int number, siginfo_t *info, void *context)
{
	static const struct sigaction by_default = {.sa_handler = SIG_DFL};

	if (info->si_code > 0 && !has_handler(number)) {
		if (number == SIGFPE && info->si_code != SI_KERNEL) {
			cps_disposition_let_end(number);
			return;
		}
		cps_disposition_set(number, &by_default);
	}
	cps_disposition_pass_on(number, info, context);
}

/* What a thread has from its start is the program's, or of a program that has sent us away. */
static uint32_t change(uint32_t mxcsr, bool may_unmask)
{
	if (!own.has_begun && unmasked(mxcsr))
		cps_fpe_yield();
	own.has_begun = true;
	if (may_unmask && atomic_load(&engine.is_on) && !is_theirs()) {
		own.ours = KINDS;
		own.had = mxcsr & KINDS;
		return mxcsr & ~(KINDS << MASK_SHIFT);
	}
	mxcsr |= own.ours << MASK_SHIFT;
	own.ours = 0;
	return mxcsr;
}

/* Whether the next instruction is one that is to be executed alone. */
static bool is_before_step(const ucontext_t *context)
{
	const greg_t *regs = context->uc_mcontext.gregs;

	for (uint32_t i = 0; i < STEPS && regs[REG_EFL] & STEP; i++)
		if (own.steps[i].is_pending && own.steps[i].pc == regs[REG_RIP] &&
		    own.steps[i].sp == regs[REG_RSP])
			return true;
	return false;
}

/* At a tick. */
static bool at_tick(struct cps_thread *t, const ucontext_t *context, uint64_t now, uint64_t reading,
		    struct cps_credit *credit)
{
	ucontext_t *to_change = (ucontext_t *)(uintptr_t)context;
	uint32_t *mxcsr = mxcsr_of(to_change);

	(void)t, (void)now, (void)reading, (void)credit;
	if (mxcsr && !own.holds && !is_before_step(context))
		*mxcsr = change(*mxcsr, !is_blocked(context));
	return false;
}

static void skip(struct cps_thread *t, uint64_t reading)
{
	(void)t, (void)reading;
}

static const struct cps_companion companion = {at_tick, cps_resource_keep, skip};

/* ---- samples --------------------------------------------------------------------------------- */
/* Each kind is a state of its own. */
static void take(struct cps_thread *t, const ucontext_t *context, uint32_t kinds)
{
	uint64_t begin = cps_sample_own_begin();

	if (atomic_exchange(&t->busy, true)) {
		cps_loss_add(CPS_LOSS_REENTERED, 1);
		return;
	}
	for (uint32_t kind = 0; kind < CPS_FPE_STATES; kind++) {
		struct cps_credit credit;
		uint64_t gticks = kinds >> kind & 1 ? cps_point_pass(engine.number, 1) : 0;

		if (!gticks || !cps_side_is_time())
			continue;
		credit = cps_resource_credit(engine.number, kind, gticks);
		cps_budget_begin(t, cps_moment_ns());
		if (!cps_sample_credit(t, context, &credit))
			cps_resource_keep(t, &credit);
	}
	cps_sample_own_end(t, begin);
	atomic_store(&t->busy, false);
}

/* The thread has executed this instruction, that it was at before. */
static void sample(ucontext_t *context, greg_t at, uint32_t kinds)
{
	struct cps_thread *t = cps_thread_self();
	greg_t *pc = &context->uc_mcontext.gregs[REG_RIP], behind = *pc;

	if (!t || cps_thread_is_gone(t) || !cps_gate_is_open() || !atomic_load(&engine.is_on))
		return;
	*pc = at;
	take(t, context, kinds);
	*pc = behind;
}

/* ---- traps ----------------------------------------------------------------------------------- */
/* One that was begun at the same place of the stack was left by longjmp, since what comes in between is further down. */
static struct step *new_step(greg_t sp)
{
	struct step *free = NULL;

	for (uint32_t i = 0; i < STEPS; i++) {
		if (own.steps[i].is_pending && own.steps[i].sp == sp)
			return &own.steps[i];
		if (!own.steps[i].is_pending)
			free = &own.steps[i];
	}
	return free ? free : &own.steps[own.n_left++ % STEPS];
}

/* Whether the trap is ours, and the instruction that has raised it is to be executed alone. */
static bool begin_step(const siginfo_t *info, ucontext_t *context)
{
	uint32_t *mxcsr = mxcsr_of(context);
	uint32_t traps = mxcsr ? unmasked(*mxcsr) & *mxcsr : 0;
	greg_t *regs = context->uc_mcontext.gregs;
	struct step *step;

	if (!traps || info->si_code <= 0 || regs[REG_TRAPNO] != TRAP_SSE)
		return false;
	if (is_theirs() && !(traps & own.ours))
		return false;
	step = new_step(regs[REG_RSP]);
	*step = (struct step){.pc = regs[REG_RIP],
			      .sp = regs[REG_RSP],
			      .is_pending = true,
			      .was_stepping = regs[REG_EFL] & STEP,
			      .flags = *mxcsr & KINDS & ~(traps & ~own.had),
			      .masks = ~unmasked(*mxcsr) & KINDS,
			      .traps = traps};
	*mxcsr = (*mxcsr & ~KINDS) | KINDS << MASK_SHIFT;
	regs[REG_EFL] |= STEP;
	return true;
}

/* The step that the thread has made now, NULL: none of ours. Such instructions leave the stack pointer as it is. */
static struct step *find_step(const siginfo_t *info, const ucontext_t *context)
{
	const greg_t *regs = context->uc_mcontext.gregs;

	for (uint32_t i = 0; i < STEPS; i++) {
		struct step *step = &own.steps[i];
		greg_t passed = regs[REG_RIP] - step->pc;

		if (step->is_pending && info->si_code == TRAP_TRACE &&
		    regs[REG_TRAPNO] == TRAP_STEP && step->sp == regs[REG_RSP] && passed > 0 &&
		    passed <= LONGEST)
			return step;
	}
	return NULL;
}

/* A trap flags its exception, and some that are not flagged while they are masked: underflow of a tiny result that is
 * exact. So of those that were not flagged before it counts what the step has raised. */
static void end_step(struct step *step, ucontext_t *context)
{
	uint32_t *mxcsr = mxcsr_of(context);
	uint32_t raised = *mxcsr & KINDS, open = ~step->masks & KINDS;

	own.had = raised | step->flags;
	step->is_pending = false;
	if (!step->was_stepping)
		context->uc_mcontext.gregs[REG_EFL] &= ~(greg_t)STEP;
	if (!engine.is_exact)
		open &= ~(raised & step->traps ? raised : step->traps);
	if (!atomic_load(&engine.is_on))
		open = 0;
	own.ours = open;
	*mxcsr = (*mxcsr | step->flags | KINDS << MASK_SHIFT) & ~(open << MASK_SHIFT);
	sample(context, step->pc, raised & step->traps);
}

static CPS_REGS_HANDLER void on_exception(int number, siginfo_t *info, void *context)
{
	int saved = errno;

	if (!begin_step(info, context))
		pass_on(number, info, context);
	errno = saved;
}

static CPS_REGS_HANDLER void on_step(int number, siginfo_t *info, void *context)
{
	int saved = errno;
	struct step *step = find_step(info, context);
	bool is_last = step && !step->was_stepping;
	struct cps_thread *t = cps_thread_begin_handler();
	struct cps_side_use use = {0, 0};

	cps_side_enter(&use);
	if (step)
		end_step(step, context);
	cps_side_leave(&use);
	cps_thread_end_handler(t);
	if (!is_last)
		pass_on(number, info, context);
	errno = saved;
}

/* ---- the calling thread, outside of handlers ------------------------------------------------- */
static uint32_t read_mxcsr(void)
{
	uint32_t mxcsr;

	__asm__ volatile("stmxcsr %0" : "=m"(mxcsr));
	return mxcsr;
}

static void write_mxcsr(uint32_t mxcsr)
{
	__asm__ volatile("ldmxcsr %0" : : "m"(mxcsr));
}

void cps_fpe_settle(void)
{
	own.holds++;
	atomic_signal_fence(memory_order_seq_cst);
	/* What is unmasked here may have been so in a handler's caller. */
	if (atomic_load_explicit(&engine.has_begun, memory_order_relaxed))
		write_mxcsr(read_mxcsr() | (is_theirs() ? own.ours : KINDS) << MASK_SHIFT);
	own.ours = 0;
}

void cps_fpe_go_on(void)
{
	own.holds -= own.holds > 0;
	cps_fpe_arm(NULL);
}

void cps_fpe_yield(void)
{
	atomic_store(&engine.is_yielded, true);
}

/* Only where each exception counts: otherwise the first tick comes soon enough. */
void cps_fpe_arm(struct cps_thread *t)
{
	uint64_t blocked = 0;
	const uint64_t needed = UINT64_C(1) << (SIGFPE - 1) | UINT64_C(1) << (SIGTRAP - 1);

	(void)t;
	if (!engine.is_exact || !atomic_load(&engine.is_on) || own.holds)
		return;
	CPS_SYS(rt_sigprocmask, SIG_BLOCK, NULL, &blocked, sizeof(blocked));
	write_mxcsr(change(read_mxcsr(), !(blocked & needed)));
}

/* ---- the process ----------------------------------------------------------------------------- */
static void find_number(void)
{
	for (uint32_t i = 0; i < CPS_THREAD_POINTS; i++) {
		if (cps_resource_of(i) != &cps_resource_fpe || !cps_resource_is_counted(i))
			continue;
		engine.number = i;
		engine.is_exact = strcmp(cps_resource_name(i), "fpe:exact") == 0;
	}
}

/* The signals are never given back: a thread may be about to trap, and only our handler lets it go on. */
int cps_fpe_start(uint64_t interval)
{
	int error = 0;

	(void)interval;
	find_number();
	if (!cps_disposition_is_taken(SIGTRAP))
		error = cps_disposition_take(SIGTRAP, on_step);
	if (!error && !cps_disposition_is_taken(SIGFPE))
		error = cps_disposition_take(SIGFPE, on_exception);
	if (error)
		return error;
	cps_companion_add(&companion);
	atomic_store(&engine.has_begun, true);
	atomic_store(&engine.is_on, !cps_gate_is_paused());
	cps_fpe_arm(cps_thread_self());
	return 0;
}

void cps_fpe_stop(void)
{
	atomic_store(&engine.is_on, false);
	cps_companion_remove(&companion);
}

void cps_fpe_pause(void)
{
	atomic_store(&engine.is_on, false);
}

void cps_fpe_resume(void)
{
	atomic_store(&engine.is_on, true);
}

int cps_fpe_probe(char *why, size_t bytes)
{
	if (cps_traced_is()) {
		snprintf(why, bytes,
			 "a debugger, which would stop at each exception, traces the program");
		return -EBUSY;
	}
	if (cps_go_runtime_is_here()) {
		snprintf(why, bytes, "Go changes signals past the C library");
		return -ENOTSUP;
	}
	return cps_resource_probe_clock(why, bytes);
}

#endif
