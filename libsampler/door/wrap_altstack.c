/* SPDX-License-Identifier: MIT */
/*
 * wrap_altstack.c - gives the kernel a place for the frame of our handler.
 *
 * In: sigaltstack, threads that begin and end. Out: an alternate stack for every thread.
 *
 * The kernel saves all registers on the stack that the handler begins on: 3.4 KiB with AVX-512, 11
 * with AMX. Some stacks are too small for that: the 4 KiB of a coroutine, the rest of a thread's 16
 * KiB, and an alternate stack of MINSIGSTKSZ, where the kernel kills rather than overflows. And on an
 * alternate stack of the target's a coroutine may live. So the kernel has one of ours for every thread
 * (doc/decisions/0006, 0057). The target's handlers are moved to its own (relay.h), which is also what
 * the target is told when it asks.
 */
#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>

#include "base/stacks.h"
#include "base/sys.h"
#include "door/again.h"
#include "door/door.h"
#include "door/life.h"
#include "door/own_memory.h"
#include "signal/relay.h"
#include "unwind/regs.h"

#define EXPORT __attribute__((visibility("default")))

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
	if (ours || ask_kernel(NULL, &now) != 0 || now.ss_flags & SS_ONSTACK)
		return;
	number = cps_stacks_take();
	if (number < 0)
		return;
	ours = cps_stacks_at(number);
	cps_relay_from(ours, CPS_STACKS_BYTES);
	mine = note(&now);
	set_kernels(&mine);
}

void cps_wrap_altstack_end(void)
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
 * with ours, and gives it back without the flag (relay.c) or not at all. */
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
	if (!cps_door_real.sigaltstack)
		return ask_kernel(new, old);
	return cps_door_real.sigaltstack(new, old) ? -errno : 0;
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

	cps_door_open();
	if (!cps_again_has_ticks()) {
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
