/* SPDX-License-Identifier: MIT */
/*
 * wrap_thread.c - arms every thread that the target creates, before it runs.
 */
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/resource.h>
#include <threads.h>

#include "arch/arch.h"
#include "base/stacks.h"
#include "base/sys.h"
#include "collector/calls.h"
#include "process/attach.h"
#include "process/config.h"
#include "process/find.h"
#include "process/identity.h"
#include "process/process_life.h"
#include "process/start.h"
#include "resource/resource.h"
#include "signal/disposition.h"
#include "signal/gate.h"
#include "signal/interruption.h"
#include "signal/other_signals.h"
#include "signal/own_stack.h"
#include "stream/loss.h"
#include "stream/recording.h"
#include "unwind/unwind.h"
#include "wrap/eintr_restart.h"
#include "wrap/wrap.h"

#define EXPORT __attribute__((visibility("default")))

/* ---- alternate stacks ------------------------------------------------------------------------ */
/*
 * Gives the kernel a place for the frame of our handler.
 *
 * In: sigaltstack, threads that begin and end. Out: an alternate stack for every thread.
 *
 * The kernel saves all registers on the stack that the handler begins on: 3.4 KiB with AVX-512, 11
 * with AMX. Some stacks are too small for that: the 4 KiB of a coroutine, the rest of a thread's 16
 * KiB, and an alternate stack of MINSIGSTKSZ, where the kernel kills rather than overflows. And on
 * an alternate stack of the target's a coroutine may live. So the kernel has one of ours for every
 * thread (doc/decisions/0006, 0057). The target's handlers are moved to its own (own_stack.h), which is
 * also what the target is told when it asks. Where frames cannot be moved (CPS_REGS_HAS_RELAYS) the kernel has what the
 * target has set, and our handler runs there.
 */

static __thread char *ours; /* NULL: the kernel has what the target has set */
static __thread int number; /* of it */
static __thread stack_t theirs;
static __thread int tid; /* threads made by a bare clone(2) may share all of this */

static int ask_kernel(const stack_t *new, stack_t *old)
{
	return (int)CPS_SYS(sigaltstack, new, old, 0, 0);
}

static void set_kernels(void *stack)
{
	ask_kernel(stack, NULL);
}

/* What the target wants is the relays' to give, and what the kernel has instead. */
static stack_t note(const stack_t *wanted)
{
	stack_t mine = {.ss_sp = ours, .ss_size = CPS_STACKS_BYTES};

	theirs = *wanted;
	theirs.ss_flags &= ~SS_ONSTACK;
	if (!(theirs.ss_flags & SS_DISABLE))
		mine.ss_flags = theirs.ss_flags; /* SS_AUTODISARM */
	cps_relay_onto(&theirs);
	return mine;
}

/* Gives the kernel ours. The thread may run on the stack that the target has just set. The kernel would refuse to
 * change it then, so the call is made on ours. */
static void settle(const stack_t *wanted)
{
	stack_t mine = note(wanted);

	cps_regs_call_on_stack(ours + CPS_STACKS_BYTES - 64, set_kernels, &mine);
}

void cps_wrap_altstack_begin(void)
{
	stack_t now, mine;

	tid = cps_sys_gettid();
	if (!CPS_REGS_HAS_RELAYS || ours || ask_kernel(NULL, &now) != 0 ||
	    now.ss_flags & SS_ONSTACK)
		return;
	number = cps_stacks_take();
	if (number < 0)
		return;
	ours = cps_stacks_at(number);
	cps_relay_from(ours, CPS_STACKS_BYTES);
	mine = note(&now);
	set_kernels(&mine);
}

/* When the calling thread ends: its space for the frame of a tick is free. */
static void cps_wrap_altstack_end(void)
{
	if (!ours || tid != cps_sys_gettid() || ask_kernel(&theirs, NULL) != 0)
		return; /* the thread ends in a handler that runs on it */
	cps_relay_from(NULL, 0);
	ours = NULL;
	cps_stacks_give(number);
}

void cps_wrap_altstack_child(void)
{
	cps_stacks_reset(ours ? number : -1);
}

void cps_wrap_altstack_is_theirs(void)
{
	if (ours)
		ask_kernel(&theirs, NULL);
}

/* Whether SS_AUTODISARM has turned the target's stack off until a handler returns. The kernel does so
 * with ours, and gives it back without the flag (own_stack.c) or not at all. */
static bool is_disarmed(const stack_t *kernels)
{
	return theirs.ss_flags & CPS_RELAY_AUTODISARM &&
	       !(kernels->ss_flags & CPS_RELAY_AUTODISARM);
}

/* Whether the thread runs on what the target has set, by the kernel's rule; or on ours instead, in a
 * handler that is no relay. */
static bool is_on(const stack_t *kernels, uintptr_t sp)
{
	uintptr_t start = (uintptr_t)theirs.ss_sp;

	if (theirs.ss_flags & (SS_DISABLE | CPS_RELAY_AUTODISARM))
		return false;
	return kernels->ss_flags & SS_ONSTACK || (sp > start && sp - start <= theirs.ss_size);
}

/* What the target is told, of which the kernel has a part. */
static stack_t answer(const stack_t *kernels, bool on)
{
	stack_t off = {.ss_flags = SS_DISABLE}, own = theirs;

	own.ss_flags |= on ? SS_ONSTACK : 0;
	return is_disarmed(kernels) ? off : own;
}

/* A handler of the target's that is no relay may run on our alternate stack although the target has set none.
 * If it then sets one, the kernel refuses to change the stack in use, so it is only noted. */
static bool is_only_noted(const stack_t *new, int error)
{
	if (error != -EPERM || !(theirs.ss_flags & SS_DISABLE))
		return false;
	theirs = *new;
	cps_relay_onto(&theirs);
	return true;
}

/* Sets what the target wants. Only the kernel reads it first, because it need not be there. */
static int change(const stack_t *new, bool on)
{
	int error = ask_kernel(new, NULL);
	stack_t set = theirs;

	if (is_only_noted(new, error))
		return 0;
	if (!error) {
		if (!on)
			ask_kernel(NULL, &set);
		settle(&set);
	}
	return on && error != -EFAULT ? -EPERM : error;
}

/* Stores *from. The kernel is made to write there first, which fails where a store would end the
 * program. */
static int store(stack_t *to, const stack_t *from)
{
	for (size_t i = 0; i < sizeof(*to); i += sizeof(uint64_t))
		if (CPS_SYS(rt_sigprocmask, SIG_BLOCK, NULL, (char *)to + i, sizeof(uint64_t)) != 0)
			return -EFAULT;
	*to = *from;
	return 0;
}

/* Neither another process nor a thread that shares our thread-local storage has our stack. */
static bool has_ours(void)
{
	return ours && tid == cps_sys_gettid() && cps_own_memory_is_here();
}

static int ask_libc(const stack_t *new, stack_t *old)
{
	if (!cps_real.sigaltstack)
		return ask_kernel(new, old);
	return cps_real.sigaltstack(new, old) ? -errno : 0;
}

/* No tick comes any more, and a filter may allow this one call. So ours goes when the target sets another one. That the
 * kernel has ours tells whose thread this is. */
static int change_last(const stack_t *new, stack_t *old)
{
	uintptr_t sp = (uintptr_t)__builtin_frame_address(0);
	stack_t kernels = {.ss_flags = sp - (uintptr_t)ours < CPS_STACKS_BYTES ? SS_ONSTACK : 0};
	stack_t own = theirs;
	bool on = is_on(&kernels, sp);
	int error = on && new ? -EPERM : ask_libc(new, old);

	if (new &&is_only_noted(new, error))
		return 0;
	own.ss_flags |= on ? SS_ONSTACK : 0;
	if (!error && old && old->ss_sp == ours)
		*old = own;
	if (!error && new) {
		cps_relay_from(NULL, 0);
		ours = NULL;
	}
	return error;
}

EXPORT int sigaltstack(const stack_t *new, stack_t *old)
{
	stack_t kernels, before;
	int error;

	cps_start();
	if (!cps_eintr_restart_has_ticks()) {
		error = ours ? change_last(new, old) : ask_libc(new, old);
	} else if (!has_ours()) {
		error = ask_kernel(new, old);
	} else {
		uint64_t mask = cps_sys_block_signals();
		bool on;

		error = ask_kernel(NULL, &kernels);
		on = is_on(&kernels, (uintptr_t)__builtin_frame_address(0));
		before = answer(&kernels, on);
		if (new && !error)
			error = change(new, on);
		cps_sys_set_mask(mask);
		if (old && !error)
			error = store(old, &before);
	}
	if (error)
		errno = -error;
	return error ? -1 : 0;
}

/* ---- threads --------------------------------------------------------------------------------- */
/*
 * Arms every thread that the target creates, before it runs.
 *
 * In: pthread_create. Out: a thread with an entry and a ticking clock. The result of the wrapped
 * call is the real one's. If there is no memory for the entry, the thread runs unrecorded.
 *
 * Order: the key is made before `has_key` is released. Who sets it has counted itself in `n_setting` before it looks at
 * `has_key`, and who deletes it has cleared that before it looks at the count: one of them sees the other.
 */

CPS_MAYBE(pthread_key_delete);
CPS_MAYBE(pthread_setspecific);
CPS_MAYBE_OF(__pthread_register_cancel, CPS_GLIBC_LATER);
CPS_MAYBE_OF(__pthread_unregister_cancel, CPS_GLIBC_LATER);
CPS_MAYBE_OF(__pthread_unwind_next, CPS_GLIBC_LATER);
CPS_MAYBE(pthread_attr_getstacksize);

#define DEFAULT_STACK (2u << 20) /* glibc's, when the limit is "unlimited" */

static pthread_key_t key; /* its destructor notices the end of a thread */
static atomic_bool has_key;
static _Atomic unsigned n_setting; /* threads that are just setting it */
static uint64_t default_stack;

/* Notes the frames below the thread's routine, for when its stack cannot be seen
 * (cps_sample_tail_of). */
static void learn_base(struct cps_thread *t)
{
	struct cps_frame frames[CPS_THREAD_BASE] = {{0}};
	struct cps_stack stack = {.frames = frames, .room = CPS_THREAD_BASE};
	struct cps_peek peek = {.low = t->stack_low, .high = t->stack_high};
	struct cps_regs regs;

	cps_regs_here(&regs);
	cps_unwind(&regs, &peek, &stack);
	t->n_base = stack.depth;
	for (uint32_t i = 0; i < stack.depth; i++)
		t->base[i] = frames[i].pc;
}

static void begin(struct cps_thread *t, uint64_t stack_bytes)
{
	const struct cps_clock *clock;
	struct cps_other_signals_use use = {0, 0};
	uint64_t mask, reading;

	if (!cps_process_life_clock())
		return;
	if (cps_config_is_attached())
		cps_attach_forget_self(cps_process_life_clock());
	cps_thread_enter(t, stack_bytes);
	/* Not before: a clock that takes over arms all threads that have entered. */
	clock = cps_process_life_clock();
	t->start_us = cps_recording_now_us();
	if (!clock || !cps_gate_is_open())
		return;
	/* A tick must not come between reading the meter and charging what was read. */
	mask = UINT64_C(1) << (clock->meter->signal - 1);
	CPS_SYS(rt_sigprocmask, SIG_BLOCK, &mask, NULL, sizeof(mask));
	reading = cps_sample_own_begin();
	cps_other_signals_enter(&use);
	learn_base(t);
	cps_wrap_altstack_begin();
	if (cps_clock_arm(clock, t) != 0)
		cps_loss_add(CPS_LOSS_MEMORY, 1);
	cps_resource_arm(t);
	cps_other_signals_leave(&use);
	cps_sample_own_end(t, reading);
	/* The thread's creator may have blocked all signals. */
	CPS_SYS(rt_sigprocmask, SIG_UNBLOCK, &mask, NULL, sizeof(mask));
}

static void end_recorded(struct cps_thread *t)
{
	const struct cps_clock *clock = cps_process_life_clock();
	uint64_t reading;

	if (!clock || !cps_gate_is_open())
		return;
	reading = cps_sample_own_begin();
	cps_clock_disarm(clock, t);
	cps_resource_disarm(t);
	cps_ready_add_last(t);
	cps_sample_own_end(t, reading);
	cps_sample_end_thread(t);
	cps_recording_thread_ends(t);
	cps_wrap_altstack_end();
}

/* A filter that the thread has may kill for our calls. */
static void end(struct cps_thread *t)
{
	uint64_t mask;

	cps_calls_thread_ends();
	if (!cps_eintr_restart_has_ticks()) {
		cps_thread_leave(t);
		return;
	}
	mask = cps_sys_block_signals();
	end_recorded(t);
	cps_thread_leave(t);
	cps_sys_set_mask(mask);
}

/* False: there is no key any more. */
static bool set_key(struct cps_thread *t)
{
	bool is_set;

	atomic_fetch_add(&n_setting, 1);
	is_set = atomic_load(&has_key) && pthread_setspecific(key, t) == 0;
	atomic_fetch_sub(&n_setting, 1);
	return is_set;
}

/*
 * The destructor of the key: the thread has returned, has called pthread_exit, or was cancelled.
 * Destructors of thread-local objects are still running, and are to be sampled, too. The C library
 * calls destructors again as long as one sets its key again, up to PTHREAD_DESTRUCTOR_ITERATIONS
 * times. The thread's entry is closed in the last round.
 */
static void leaving(void *entry)
{
	struct cps_thread *t = entry;

	if (++t->rounds < PTHREAD_DESTRUCTOR_ITERATIONS && set_key(t))
		return;
	end(t);
}

int cps_wrap_thread_prepare(void)
{
	struct rlimit limit = {RLIM_INFINITY, RLIM_INFINITY};
	int error;

	getrlimit(RLIMIT_STACK, &limit);
	default_stack = limit.rlim_cur == RLIM_INFINITY ? DEFAULT_STACK : limit.rlim_cur;
	error = pthread_key_create(&key, leaving);
	atomic_store(&has_key, !error);
	return error;
}

/* A union, because the two kinds of threads differ in what their functions return. */
union routine {
	void *(*posix)(void *);
	int (*c11)(void *);
};

static void end_now(void *entry)
{
	end(entry);
}

/* Without a key the end is noticed by a handler that the C library calls when the thread leaves this function, in
 * whatever way. What destructors use afterwards is not sampled. */
static __attribute__((noinline)) void *run_without_key(struct cps_thread *t, void *argument)
{
	void *(*routine)(void *) = t->routine;
	void *result = NULL;

	pthread_cleanup_push(end_now, t);
	result = routine(argument);
	pthread_cleanup_pop(1);
	return result;
}

static __attribute__((noinline)) int run_c11_without_key(struct cps_thread *t, void *argument)
{
	union routine routine = {t->routine};
	int result = 0;

	pthread_cleanup_push(end_now, t);
	result = routine.c11(argument);
	pthread_cleanup_pop(1);
	return result;
}

static void *run(void *entry)
{
	struct cps_thread *t = entry;
	void *(*routine)(void *) = t->routine;
	void *argument = t->argument; /* after its end the entry may be another thread's */

	begin(t, t->stack_bytes);
	if (!set_key(t))
		return run_without_key(t, argument);
	return routine(argument);
}

static int run_c11(void *entry)
{
	struct cps_thread *t = entry;
	union routine routine = {t->routine};
	void *argument = t->argument;

	begin(t, t->stack_bytes);
	if (!set_key(t))
		return run_c11_without_key(t, argument);
	return routine.c11(argument);
}

static uint64_t stack_of(const pthread_attr_t *attributes)
{
	size_t bytes = 0;

	if (attributes && pthread_attr_getstacksize(attributes, &bytes) == 0)
		return bytes;
	return default_stack;
}

/* Makes an entry for a thread that will run routine(argument). NULL: it runs unrecorded. */
static struct cps_thread *prepare(void *(*routine)(void *), void *argument, uint64_t stack_bytes)
{
	int saved = errno;
	struct cps_thread *t = cps_process_life_clock() ? cps_thread_take() : NULL;

	errno = saved;
	if (!t)
		return NULL;
	t->routine = routine;
	t->argument = argument;
	t->stack_bytes = stack_bytes;
	return t;
}

EXPORT int pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
			  void *(*routine)(void *), void *argument)
{
	struct cps_thread *t;
	int result;

	cps_start();
	CPS_REAL_FIRST(pthread_create, EAGAIN); /* before glibc 2.34 its library can come later */
	t = cps_process_life_clock() ? prepare(routine, argument, stack_of(attributes)) : NULL;
	if (!t)
		return cps_real.pthread_create(thread, attributes, routine, argument);
	result = cps_real.pthread_create(thread, attributes, run, t);
	if (result != 0)
		cps_thread_drop(t);
	return result;
}

/* The C library's thrd_create does not call pthread_create. */
EXPORT int thrd_create(thrd_t *thread, thrd_start_t routine, void *argument)
{
	union {
		int (*c11)(void *);
		void *(*posix)(void *);
	} any = {routine};
	struct cps_thread *t;
	int result;

	cps_start();
	CPS_REAL_FIRST(thrd_create, thrd_error);
	t = prepare(any.posix, argument, stack_of(NULL));
	if (!t)
		return cps_real.thrd_create(thread, routine, argument);
	result = cps_real.thrd_create(thread, run_c11, t);
	if (result != thrd_success)
		cps_thread_drop(t);
	return result;
}

static void credit_one(struct cps_thread *t, void *pointer)
{
	if (t->pointer == *(const uintptr_t *)pointer)
		cps_resource_credit_rest_of(t, NULL);
}

/* A thread that is cancelled does not come back from the call in which it waits, so it is credited before. */
static void credit_sleeper(pthread_t thread)
{
	uintptr_t pointer = (uintptr_t)thread;

	if (cps_process_life_clock() && cps_other_signals_is_time())
		cps_thread_each(credit_one, &pointer);
}

/* The first call of pthread_cancel installs the C library's handler instead of ours. Ours is
 * installed again, and ticks that were lost meanwhile are armed again. If that handler cancels a
 * thread before then, the rest of the thread runs with the signal blocked: what it uses is not
 * sampled, and is credited when it ends. */
EXPORT int pthread_cancel(pthread_t thread)
{
	static atomic_bool was_called;
	bool is_first;
	int result;

	cps_start();
	CPS_REAL_FIRST(pthread_cancel, ENOSYS);
	credit_sleeper(thread);
	is_first = cps_process_life_clock() && !atomic_load(&was_called);
	if (is_first)
		cps_displaced_begin();
	result = cps_real.pthread_cancel(thread);
	if (cps_process_life_clock() && cps_disposition_retake(CPS_SIGNAL_OWN) &&
	    cps_gate_is_open())
		cps_sample_rearm();
	if (is_first)
		cps_displaced_end();
	atomic_store(&was_called, true);
	return result;
}

/* ---- the program's own keys ------------------------------------------------------------------- */

static void watch_no_more(struct cps_thread *t, void *context)
{
	(void)context;
	atomic_store_explicit(&t->is_unwatched, true, memory_order_relaxed);
}

/* The program wants the last key, which is ours, also when the recording has ended. The ends of threads that are alive are noticed no more. Not if another
 * thread is setting it, and does not go on: it would set the program's. */
static bool give_key_up(void)
{
	uint64_t until = 0;

	if (!atomic_exchange(&has_key, false))
		return false;
	while (atomic_load(&n_setting) && cps_sys_patience(&until))
		;
	if (atomic_load(&n_setting) || pthread_key_delete(key) != 0)
		return false;
	cps_thread_each(watch_no_more, NULL);
	return true;
}

static void drop_if_gone(struct cps_thread *t, void *context)
{
	(void)context;
	if (!atomic_load_explicit(&t->is_unwatched, memory_order_relaxed) ||
	    CPS_SYS(tgkill, cps_sys_getpid(), t->tid, 0, 0) != -ESRCH)
		return;
	cps_resource_bury(t);
	cps_thread_drop(t);
}

void cps_wrap_thread_drop_gone(void)
{
	if (!atomic_load(&has_key) || cps_config_is_attached())
		cps_thread_each(drop_if_gone, NULL);
}

void cps_wrap_thread_child(void)
{
	atomic_store(&n_setting, 0);
}

/* The recorder does not begin here: this may be an allocator's first step. */
EXPORT int pthread_key_create(pthread_key_t *new, void (*destructor)(void *))
{
	int result;

	if (!cps_real.pthread_key_create)
		cps_real_find_keys();
	if (!cps_real.pthread_key_create)
		return EAGAIN;
	result = cps_real.pthread_key_create(new, destructor);
	return result == EAGAIN && give_key_up() ? cps_real.pthread_key_create(new, destructor)
						 : result;
}

/* The C library's tss_create does not call pthread_key_create. */
EXPORT int tss_create(tss_t *new, tss_dtor_t destructor)
{
	int result;

	if (!cps_real.tss_create)
		cps_real_find_keys();
	if (!cps_real.tss_create)
		return thrd_error;
	result = cps_real.tss_create(new, destructor);
	return result == thrd_error && give_key_up() ? cps_real.tss_create(new, destructor)
						     : result;
}
