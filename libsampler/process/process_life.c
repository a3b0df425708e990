/* SPDX-License-Identifier: MIT */
/*
 * process_life.c - starts, hands over, interrupts and ends the recording of a process.
 */
#include <errno.h>
#include <stdatomic.h>
#include <string.h>

#include "arch/arch.h"
#include "base/memory.h"
#include "base/sys.h"
#include "clock/clock_timer.h"
#include "clock/perf.h"
#include "collector/called.h"
#include "collector/calls.h"
#include "process/attach.h"
#include "process/identity.h"
#include "process/output.h"
#include "process/process_life.h"
#include "process/start.h"
#include "process/summary.h"
#include "process/unwinders.h"
#include "process/wrapped.h"
#include "resource/resource.h"
#include "setup/clocks.h"
#include "setup/wanted.h"
#include "signal/disposition.h"
#include "signal/gate.h"
#include "signal/interruption.h"
#include "signal/other_signals.h"
#include "signal/own_stack.h"
#include "signal/sample.h"
#include "stream/atoms.h"
#include "stream/loss.h"
#include "stream/recode.h"
#include "stream/recording.h"
#include "unwind/module.h"
#include "cpsample.h"

/* ---- process life ---------------------------------------------------------------------------- */
/*
 * In: events in the process's life. Out: clocks that are armed or not, a recording that is begun or
 * ended.
 *
 * Order: the settings and the identity are complete before `clock_in_use` is released, and used by who has acquired
 * that. Who sets `has_left` ends the recording, and nobody else. What is wanted is stored before `is_switching` is
 * looked at, and looked at again after that was cleared: one of two threads sees what the other has done.
 */

static const struct cps_config *config;
static struct cps_identity *identity;
static _Atomic(const struct cps_clock *) clock_in_use;
static atomic_bool has_left;
static atomic_flag giving_way = ATOMIC_FLAG_INIT;
static atomic_bool wants_pause;
static atomic_flag is_switching = ATOMIC_FLAG_INIT; /* between paused and recording */
static _Atomic int arm_error;			    /* the last error of a clock */

const struct cps_clock *cps_process_life_clock(void)
{
	return atomic_load(&clock_in_use);
}

bool cps_process_life_is_recorded(void)
{
	return cps_process_life_clock() && cps_own_memory_is_here();
}

static void unblock(int number)
{
	uint64_t mask = UINT64_C(1) << (number - 1);

	CPS_SYS(rt_sigprocmask, SIG_UNBLOCK, &mask, NULL, sizeof(mask));
}

static void end(enum cps_stop why, const void *context);
static void set_deadline(void);
static void drop_deadline(void);

static void over(const void *context)
{
	end(cps_gate_is_over()	       ? CPS_STOP_DURATION
	    : cps_config_is_attached() ? CPS_STOP_DETACHED
				       : CPS_STOP_SWITCH,
	    context);
	cps_attach_ended();
}

static int enter_first_thread(struct cps_thread *t)
{
	const struct cps_meter *meter = cps_process_life_clock()->meter;

	if (!t)
		t = cps_thread_take();
	if (!t)
		return -1;
	cps_thread_enter(t, 0);
	cps_ready_begin(t);
	cps_wrap_altstack_begin();
	t->consumed = meter->read ? meter->read() : 0;
	return 0;
}

static void arm_one(struct cps_thread *t, void *clock)
{
	int error;

	cps_clock_disarm(clock, t);
	error = cps_clock_arm(clock, t);
	if (error == -EINVAL && t->is_introduced) {
		cps_thread_drop(t); /* it has ended since it was seen */
	} else if (error) {
		arm_error = error;
		cps_loss_add(CPS_LOSS_MEMORY, 1);
	}
}

/* Starts the clock and arms all threads. Another thread may end the recording or pause it
 * meanwhile. */
static int start_clock(void)
{
	const struct cps_clock *clock = cps_process_life_clock();
	int error = clock ? cps_clock_start(clock, &config->clock) : 0;

	if (!clock || error)
		return error;
	if (!cps_gate_is_paused())
		cps_thread_each(arm_one, (void *)(uintptr_t)clock);
	if (cps_gate_is_paused() || cps_process_life_clock() != clock)
		cps_clock_stop(clock);
	return 0;
}

static void begin_calls(void)
{
	if (config->counts_calls)
		cps_calls_begin(config->times_calls);
}

static void set_limits(void)
{
	uint64_t from = identity->start_monotonic_ns + config->delay_ns;

	if (config->delay_ns)
		cps_ready_forget();
	cps_gate_limit(config->delay_ns ? from : 0,
		       config->duration_ns ? from + config->duration_ns : 0);
	atomic_store(&wants_pause, config->toggle_signal != 0);
	if (config->toggle_signal) {
		cps_gate_pause();
		cps_ready_forget();
	}
}

/* The signals that start, pause and end the recording come at any time. In a process that is attached to only such resources are
 * counted whose signals come outside of calls (`unattached` in resource.h). */
static bool has_signals_in_calls(const struct cps_clock *clock)
{
	return cps_clock_ticks_in_calls(clock) || config->duration_ns || config->toggle_signal ||
	       (!cps_config_is_attached() && cps_wanted_ticks_in_calls(&config->resources));
}

int cps_process_life_begin(const struct cps_config *c, struct cps_identity *i)
{
	const struct cps_clock *clock;
	static char why[256];
	int error = 0;

	config = c, identity = i;
	cps_own_memory_begin();
	if (cps_recording_name_prepare(config, identity) < 0)
		return -ENAMETOOLONG;
	clock = &cps_clock_none;
	if (cps_resource_needs_clock(&config->resources))
		clock = cps_clocks_choose(
			cps_config_is_attached() ? cps_clocks_attached : cps_clocks_choices,
			cps_clocks_find(&config->clock), &config->clock, why, sizeof(why));
	identity->engine_why = *why ? why : NULL;
	if (!clock)
		return -ENOTSUP;
	atomic_store(&clock_in_use, clock);
	cps_describe(identity, clock, &config->clock);
	cps_sample_use(clock->meter, over);
	cps_budget_set(config->budget);
	if (has_signals_in_calls(clock)) {
		cps_eintr_restart_watch();
		cps_masked_watch(cps_clock_keeps_out(clock) && !config->duration_ns &&
				 !cps_wanted_ticks_in_calls(&config->resources));
		cps_wrap_syscall_watch(true);
	}
	if ((cps_config_is_attached() ? cps_attach_introduce(clock) : enter_first_thread(NULL)) ==
		    0 &&
	    cps_disposition_take(clock->meter->signal, cps_sample_handler) == 0 &&
	    cps_gate_open()) {
		set_limits();
		if (!cps_config_is_attached()) /* else no signal is to come into the launcher's call */
			unblock(clock->meter->signal);
		set_deadline();
		cps_resource_begin(&config->resources, identity);
		cps_bytes_begin();
		cps_wrap_syscall_watch_waits();
		error = start_clock();
		if (!error && !arm_error) {
			begin_calls();
			return 0;
		}
		cps_resource_end();
	}
	cps_gate_close();
	cps_disposition_give_back(clock->meter->signal);
	atomic_store(&clock_in_use, NULL);
	return error ? error : arm_error ? arm_error : -ENOMEM;
}

/* Corrects what the parent knew of itself and is not true of the child. */
static void be_born(void)
{
	identity->ppid = (uint64_t)cps_own_memory_pid();
	cps_own_memory_begin();
	cps_identity_start(identity);
	identity->journal_id ^= identity->start_ns ^ (uint64_t)cps_own_memory_pid() << 32;
}

/* The launcher has asked for its parent. */
static void end_in_child(const struct cps_clock *clock)
{
	cps_gate_close();
	cps_disposition_give_back(clock->meter->signal);
	atomic_store(&clock_in_use, NULL);
	cps_attach_child();
}

void cps_process_life_again(void)
{
	cps_recording_reset();
	cps_module_reset();
	cps_module_closed(); /* nobody has told what was unloaded meanwhile */
	cps_own_stack_reset();
	cps_sample_reset();
	cps_ready_reset();
	cps_disposition_reset();
	cps_resource_reset();
	atomic_flag_clear(&giving_way);
	atomic_store(&has_left, false);
	atomic_flag_clear(&is_switching);
	atomic_store(&wants_pause, false);
	arm_error = 0;
}

void cps_process_life_child(void)
{
	const struct cps_clock *clock = cps_process_life_clock();

	if (!clock || !cps_own_memory_is_copy())
		return;
	if (cps_config_is_attached()) {
		end_in_child(clock);
		return;
	}
	cps_recording_reset();
	cps_module_reset();
	cps_choose_unwinder_child(identity);
	cps_own_stack_reset();
	cps_wrap_altstack_child();
	cps_wrap_thread_child();
	cps_perf_reset();
	cps_sample_reset();
	cps_disposition_reset();
	cps_resource_child();
	cps_called_child();
	cps_got_slots_child();
	/* Not earlier: what a handler of the target does until here must not end the parent's
	 * recording, of which this process has a copy. */
	be_born();
	atomic_flag_clear(&giving_way);
	atomic_store(&has_left, false);
	atomic_flag_clear(&is_switching);
	atomic_store(&wants_pause, cps_gate_is_paused());
	if (cps_recording_name_prepare(config, identity) == 0 &&
	    enter_first_thread(cps_thread_reset()) == 0 && cps_gate_open() && start_clock() == 0) {
		cps_calls_child();
		begin_calls();
		cps_resource_again();
		cps_bytes_begin();
		set_deadline();
		return;
	}
	cps_gate_close();
	cps_disposition_give_back(clock->meter->signal);
	atomic_store(&clock_in_use, NULL);
}

static void tail_of_other(struct cps_thread *t, void *context)
{
	if (t != context) {
		cps_sample_tail_of(t);
		cps_recording_thread_ends(t);
	}
}

static void add_ready(struct cps_thread *t, void *unused)
{
	(void)unused;
	cps_ready_add(t);
}

/* Credits what all threads have used since their last ticks. */
static void credit_rest(const void *context)
{
	struct cps_thread *t = cps_thread_self();

	if (cps_gate_is_early())
		return;
	cps_wrap_thread_drop_gone();
	if (cps_sample_begin_late())
		context = NULL; /* where no tick has met it is not where it has used its time */
	if (t)
		cps_sample_tail(t, context);
	cps_thread_each(tail_of_other, t);
	cps_resource_credit_rest();
	if (t)
		cps_recording_thread_ends(t);
}

void cps_process_life_may_end(void)
{
	struct cps_thread *t = cps_thread_self();
	uint64_t mask;

	if (!cps_process_life_is_recorded() || cps_gate_verdict() != CPS_GATE_OPEN)
		return;
	mask = cps_sys_block_signals();
	if (!cps_recording_path())
		credit_rest(NULL);
	else if (t)
		cps_sample_tail(t, NULL);
	cps_sys_set_mask(mask);
}

static void summarise(uint64_t cpu_ns)
{
	cps_summary(cps_identity_name(identity), cps_recording_name_stem(),
		    cps_recording_name_suffix(), cpu_ns);
}

/* A program that was compiled to tell its calls has a recording however short it is. An exec may fail, and other threads go on
 * meanwhile. */
static void write_calls(enum cps_stop why)
{
	if (why != CPS_STOP_EXEC)
		cps_calls_end();
	if (!cps_called_any() || (!cps_recording_path() && !cps_recording_ready()))
		return;
	cps_recording_keep();
	cps_called_end();
}

static uint64_t finish(const struct cps_clock *clock, enum cps_stop why, const void *context)
{
	struct cps_other_signals_use use = {0, 0};
	uint64_t cpu_ns, system_ns;

	cps_other_signals_enter(&use);
	cps_gate_close(); /* first, because a handler may just be arming its next tick */
	cps_clock_stop(clock);
	drop_deadline();
	if (!cps_gate_is_paused())
		credit_rest(context);
	/* A recording may have begun, which is the recorder's own time. */
	cpu_ns = cps_gate_cpu_ns(&system_ns);
	cps_other_signals_leave(&use);
	cps_bytes_end();
	cps_resource_end();
	cps_resource_settle(cpu_ns, system_ns);
	cps_recording_over();
	if (cps_recording_path()) /* of many threads that takes long */
		cps_thread_each(add_ready, NULL);
	write_calls(why);
	if (cps_recording_path() && !cps_resource_is_worth(cpu_ns) && cps_recording_discard())
		cps_sample_begin_anew(cpu_ns);
	else
		cps_recording_end(cpu_ns, why);
	if (!cps_recording_path() && !cps_gate_is_paused())
		cps_short_tell(config, identity, why);
	if (why != CPS_STOP_EXEC && why != CPS_STOP_SECCOMP && config->directory_bytes &&
	    cps_recording_path())
		cps_quota_keep(config->directory, config->directory_bytes, cps_recording_path());
	return cpu_ns;
}

bool cps_process_life_leave(enum cps_stop why)
{
	uint64_t cpu_ns, mask;

	if (!cps_process_life_is_recorded() || atomic_load(&has_left))
		return false;
	mask = cps_sys_block_signals();
	if (atomic_exchange(&has_left, true)) {
		cps_sys_set_mask(mask);
		return false;
	}
	cpu_ns = finish(cps_process_life_clock(), why, NULL);
	if (why == CPS_STOP_SECCOMP || why == CPS_STOP_DISPATCH)
		cps_thread_wait_for_handlers();
	if (config->verbose && why != CPS_STOP_EXEC)
		summarise(cpu_ns);
	cps_sys_set_mask(mask);
	return true;
}

void cps_process_life_forget(void)
{
	atomic_store(&clock_in_use, NULL);
}

void cps_process_life_return(void)
{
	uint64_t mask = cps_sys_block_signals();

	if (cps_recording_continue())
		cps_called_again();
	atomic_store(&has_left, false);
	if (cps_gate_reopen() && start_clock() == 0)
		cps_resource_again();
	set_deadline();
	if (cps_gate_is_over())
		cps_process_life_end(CPS_STOP_DURATION);
	cps_sys_set_mask(mask);
}

static void end(enum cps_stop why, const void *context)
{
	const struct cps_clock *clock;
	uint64_t cpu_ns;

	if (!cps_process_life_is_recorded() || atomic_exchange(&has_left, true))
		return;
	clock = atomic_exchange(&clock_in_use, NULL);
	if (!clock)
		return;
	cpu_ns = finish(clock, why, context);
	if (config->verbose)
		summarise(cpu_ns);
}

void cps_process_life_end(enum cps_stop why)
{
	end(why, NULL);
}

static void give_way(void)
{
	cps_clock_stop(&cps_clock_itimer);
	identity->engine_why = "the program uses SIGPROF itself, so itimer gave way";
	identity->engine = cps_clock_timer.name;
	cps_atoms_tick_by(identity->engine, identity->engine_why);
	cps_recording_engine(identity->engine, identity->engine_why);
	if (!cps_disposition_is_taken(CPS_SIGNAL_OWN) &&
	    cps_disposition_take(CPS_SIGNAL_OWN, cps_sample_handler) != 0)
		return;
	cps_sample_use(cps_clock_timer.meter, over);
	atomic_store(&clock_in_use, &cps_clock_timer);
	cps_disposition_give_back(SIGPROF);
	start_clock();
}

/* All signals are blocked meanwhile, because a handler that interrupts it may call it again. If two
 * threads call it, the second waits until the first is done. */
void cps_process_life_give_up_sigprof(void)
{
	uint64_t mask, until = 0;
	bool is_busy;

	if (cps_process_life_clock() != &cps_clock_itimer || !cps_process_life_is_recorded())
		return;
	mask = cps_sys_block_signals();
	while ((is_busy = atomic_flag_test_and_set(&giving_way)) && cps_sys_patience(&until))
		;
	if (!is_busy && cps_process_life_clock() == &cps_clock_itimer)
		give_way();
	if (!is_busy)
		atomic_flag_clear(&giving_way);
	mask &= ~(UINT64_C(1) << (CPS_SIGNAL_OWN - 1));
	cps_sys_set_mask(mask);
}

static void pause_now(const void *context)
{
	const struct cps_clock *clock = cps_process_life_clock();

	cps_gate_pause();
	cps_ready_forget();
	if (!clock)
		return;
	cps_clock_stop(clock);
	cps_resource_pause();
	credit_rest(context);
	cps_recording_flush();
}

static void resume_now(void)
{
	cps_sample_skip(NULL);
	cps_gate_resume();
	start_clock();
	cps_resource_resume();
}

static bool is_to_switch(void)
{
	return atomic_load(&wants_pause) != cps_gate_is_paused();
}

static void switch_now(const void *context)
{
	if (atomic_load(&wants_pause))
		pause_now(context);
	else
		resume_now();
}

/* Pauses or resumes until that agrees with `wants_pause`, in one thread at a time. If another
 * thread is doing so, or is interrupted while doing so by the handler that calls this, then that
 * thread will see what is wanted. */
static void settle(const void *context)
{
	uint64_t mask = cps_sys_block_signals();

	while (is_to_switch()) {
		if (atomic_flag_test_and_set(&is_switching))
			break;
		if (is_to_switch()) /* another thread may have done it meanwhile */
			switch_now(context);
		atomic_flag_clear(&is_switching);
	}
	cps_sys_set_mask(mask);
}

/* Ticks give no samples, and what is used is not credited, until cps_process_life_resume. May be called anywhere.
 * context: of the calling signal handler, or NULL. */
static void cps_process_life_pause(const void *context)
{
	if (!cps_process_life_is_recorded())
		return;
	atomic_store(&wants_pause, true);
	settle(context);
}

static void cps_process_life_resume(void)
{
	if (!cps_process_life_is_recorded())
		return;
	atomic_store(&wants_pause, false);
	settle(NULL);
}

/* Pause if it is not paused; otherwise resume. */
static void cps_process_life_toggle(const void *context)
{
	if (atomic_load(&wants_pause))
		cps_process_life_resume();
	else
		cps_process_life_pause(context);
}

/* ---- control --------------------------------------------------------------------------------- */
/*
 * Starts, stops and marks the recording from within the target.
 *
 * In: calls of cpsample.h, CPSAMPLE_TOGGLE_SIGNAL, CPSAMPLE_DURATION. Out: a recording that pauses,
 * continues or ends.
 */

#define EXPORT __attribute__((visibility("default")))

EXPORT void(cpsample_start)(void)
{
	int saved = errno;

	cps_process_life_resume();
	errno = saved;
}

EXPORT void(cpsample_stop)(void)
{
	int saved = errno;

	cps_process_life_pause(NULL);
	errno = saved;
}

EXPORT void(cpsample_mark)(const char *name)
{
	int saved = errno;

	if (name && cps_process_life_clock() && cps_gate_is_open())
		cps_recording_mark(cps_thread_self(), name);
	errno = saved;
}

static void toggle(void *context)
{
	cps_process_life_toggle(context);
}

/* What the signal does by default is to end the process. Who sends it to start or pause a recording may not know
 * that this has ended. */
static bool is_handled(int number)
{
	struct sigaction action;

	cps_disposition_get(number, &action);
	return action.sa_handler != SIG_DFL;
}

static CPS_REGS_HANDLER void on_toggle(int number, siginfo_t *info, void *context)
{
	int saved = errno;

	if (cps_process_life_clock())
		cps_own_stack_call(0, toggle, context);
	else if (is_handled(number))
		cps_disposition_pass_on(number, info, context);
	cps_sample_note_interruption(context);
	errno = saved;
}

int cps_process_life_prepare_control(int toggle_signal)
{
	return toggle_signal ? cps_disposition_take(toggle_signal, on_toggle) : 0;
}

static _Atomic int deadline = -1; /* a timer of the kernel's; -1: there is none */

/* A program that sleeps when its time is over has no tick that would notice it, so there is a
 * timer. */
static void set_deadline(void)
{
	uint64_t until = cps_gate_until();
	int timer;

	atomic_store(&deadline, -1);
	if (!until)
		return;
	if (!cps_disposition_is_taken(CPS_SIGNAL_OWN))
		cps_disposition_take(CPS_SIGNAL_OWN, cps_sample_handler);
	if (!cps_disposition_is_taken(CPS_SIGNAL_OWN) ||
	    cps_posix_timer_create(CLOCK_MONOTONIC, 0, CPS_SIGNAL_OWN, CPS_SAMPLE_DEADLINE,
				   &timer) != 0)
		return;
	atomic_store(&deadline, timer);
	cps_posix_timer_set(timer, TIMER_ABSTIME, until, 0);
}

static void drop_deadline(void)
{
	int timer = atomic_exchange(&deadline, -1);

	if (timer >= 0)
		cps_posix_timer_delete(timer);
}
