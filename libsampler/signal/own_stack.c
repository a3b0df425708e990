/* SPDX-License-Identifier: MIT */
/*
 * own_stack.c - stacks for our handler, and for the handlers of the target that it has displaced.
 */
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arch/arch.h"
#include "base/memory.h"
#include "base/sys.h"
#include "signal/disposition.h"
#include "signal/gate.h"
#include "signal/own_stack.h"
#include "stream/loss.h"
#include "base/poison.h"

/* ---- own stack ------------------------------------------------------------------------------- */
/*
 * Hands out stacks for the handler.
 *
 * In: a function. Out: its call on another stack. There are as many stacks as buffers, because more
 * handlers could not work at the same time.
 *
 * Order: a stack belongs to who has acquired its flag, and is released by clearing it; its address
 * is read and made in between.
 */

#define STACKS	    17u
#define STACK_BYTES (64u << 10)

static struct {
	atomic_flag lock;
	_Atomic(char *) bytes; /* NULL until it is first used */
} stacks[STACKS];

static char *bytes_of(uint32_t i)
{
	char *bytes = atomic_load_explicit(&stacks[i].bytes, memory_order_relaxed);

	if (!bytes) {
		bytes = cps_arena_pages(STACK_BYTES);
		atomic_store_explicit(&stacks[i].bytes, bytes, memory_order_relaxed);
	}
	return bytes;
}

static bool call(uint32_t wish, void (*f)(void *), void *argument, enum cps_loss *why)
{
	*why = CPS_LOSS_BUSY;
	for (uint32_t k = 0; k < STACKS; k++) {
		uint32_t i = (wish + k) % STACKS;
		char *bytes;

		if (atomic_flag_test_and_set_explicit(&stacks[i].lock, memory_order_acquire))
			continue;
		bytes = bytes_of(i);
		if (bytes)
			cps_regs_call_on_stack(bytes + STACK_BYTES - 64, f, argument);
		atomic_flag_clear_explicit(&stacks[i].lock, memory_order_release);
		*why = CPS_LOSS_MEMORY;
		return bytes != NULL;
	}
	return false;
}

bool cps_own_stack_call(uint32_t wish, void (*f)(void *), void *argument)
{
	enum cps_loss why;

	return call(wish, f, argument, &why);
}

void cps_own_stack_sample(uint32_t wish, void (*f)(void *), void *argument)
{
	enum cps_loss why;

	if (!call(wish, f, argument, &why))
		cps_loss_add(why, 1);
}

void cps_own_stack_reset(void)
{
	for (uint32_t i = 0; i < STACKS; i++)
		atomic_flag_clear(&stacks[i].lock);
}

/* ---- relay ----------------------------------------------------------------------------------- */
/*
 * Moves the frames of the target's handlers to the stacks where they belong.
 *
 * In: a signal that the kernel has delivered on the recorder's alternate stack. Out: the target's
 * handler, which runs on the target's own alternate stack, or on the stack that was interrupted.
 *
 * Order: a handler's place is exchanged before the kernel is given the relay, so that it is there
 * when a signal comes.
 */

#define RELAYS	1024 /* programs have a few such handlers, and those at most 64 at a time */
#define SIGNALS 64

/* Which handler is to run, and how far the frame was moved for it. */
struct way {
	sighandler_t handler;
	intptr_t distance;
};

void cps_relay_code(void);
struct way cps_relay_choose(const ucontext_t *uc, unsigned i, uintptr_t sp);

CPS_REGS_RELAYS(cps_relay_code, RELAYS, cps_relay_choose);

static _Atomic sighandler_t handlers[RELAYS]; /* filled from the first on, and never emptied */
static atomic_bool was_used[RELAYS];	      /* again, since `next` came by */
static _Atomic unsigned next;		      /* the next one to be replaced, modulo RELAYS */

static __thread uintptr_t low, high; /* our alternate stack */
static __thread stack_t theirs;

static uintptr_t code_of(unsigned i)
{
	return (uintptr_t)cps_relay_code + (uintptr_t)i * CPS_REGS_RELAY_BYTES;
}

sighandler_t cps_relay_behind(sighandler_t handler)
{
	uintptr_t at = (uintptr_t)handler - code_of(0);

	if (!CPS_REGS_HAS_RELAYS || at >= (uintptr_t)RELAYS * CPS_REGS_RELAY_BYTES ||
	    at % CPS_REGS_RELAY_BYTES)
		return handler;
	return atomic_load(&handlers[at / CPS_REGS_RELAY_BYTES]);
}

bool cps_relay_is_function(sighandler_t handler)
{
	return handler != SIG_DFL && handler != SIG_IGN && handler != SIG_ERR &&
	       cps_relay_behind(handler) == handler;
}

bool cps_relay_is_known(sighandler_t handler)
{
	for (unsigned i = 0; i < RELAYS; i++)
		if (atomic_load(&handlers[i]) == handler)
			return true;
	return false;
}

sighandler_t cps_relay_to(sighandler_t handler)
{
	for (unsigned i = 0; i < RELAYS && cps_relay_is_function(handler); i++) {
		sighandler_t there = NULL;

		if (atomic_compare_exchange_strong(&handlers[i], &there, handler))
			return (sighandler_t)code_of(i);
		if (there != handler)
			continue;
		atomic_store(&was_used[i], true);
		return (sighandler_t)code_of(i);
	}
	return handler;
}

/* Whether the relay is a signal's handler, so that it may run at any time. */
static bool is_installed(unsigned i, const sighandler_t installed[SIGNALS])
{
	for (int k = 0; k < SIGNALS; k++)
		if (installed[k] == (sighandler_t)code_of(i))
			return true;
	return false;
}

/* Those that are not installed are replaced in the order of their age. A relay that another thread is just installing, or
 * whose signal is on its way to one, is among the youngest. */
sighandler_t cps_relay_instead(sighandler_t handler)
{
	sighandler_t installed[SIGNALS];

	for (int k = 0; k < SIGNALS; k++) {
		struct sigaction action = {.sa_handler = SIG_DFL};

		cps_disposition_get(k + 1, &action);
		installed[k] = action.sa_handler;
	}
	for (unsigned n = 0; n < 3 * RELAYS; n++) {
		unsigned i = atomic_fetch_add(&next, 1) % RELAYS;
		sighandler_t there = atomic_load(&handlers[i]);

		if (atomic_exchange(&was_used[i], false) || is_installed(i, installed) ||
		    !atomic_compare_exchange_strong(&handlers[i], &there, handler))
			continue;
		atomic_store(&was_used[i], true);
		return (sighandler_t)code_of(i);
	}
	return handler;
}

void cps_relay_from(const char *ours, size_t bytes)
{
	low = (uintptr_t)ours;
	high = low + bytes;
}

void cps_relay_onto(const stack_t *s)
{
	theirs = *s;
}

static bool is_ours(uintptr_t sp)
{
	return sp > low && sp <= high && low;
}

static bool is_theirs(uintptr_t sp)
{
	uintptr_t start = (uintptr_t)theirs.ss_sp;

	return sp > start && sp - start <= theirs.ss_size;
}

/* Where the kernel would put the frame without us, as in its get_sigframe(). With SS_AUTODISARM an
 * alternate stack is not used again until the handler returns. The kernel has this flag with ours. */
static uintptr_t place(const ucontext_t *uc)
{
	uintptr_t sp = cps_regs_interrupted_sp(uc), start = (uintptr_t)theirs.ss_sp;
	bool disarms = theirs.ss_flags & CPS_RELAY_AUTODISARM;
	bool is_used = disarms ? !(uc->uc_stack.ss_flags & CPS_RELAY_AUTODISARM) : is_theirs(sp);
	uintptr_t to, state;

	if (theirs.ss_flags & SS_DISABLE || is_used)
		return cps_regs_place_of_context(uc, sp - CPS_RED_ZONE, &state);
	to = cps_regs_place_of_context(uc, start + theirs.ss_size, &state);
	return to > start + CPS_RED_ZONE ? to : 0; /* otherwise the kernel would end the program */
}

/* A tick in this handler must not find that there is no alternate stack, and use the target's. When
 * the handler returns, the kernel has the flag again. */
static void arm_ours(void)
{
	const stack_t ours = {.ss_sp = (void *)low, .ss_size = high - low};

	if (cps_gate_is_open())
		CPS_SYS(sigaltstack, &ours, NULL, 0, 0);
}

/* Nothing is moved if the target calls the handler itself, or if what was interrupted was on our
 * stack already. */
CPS_REGS_HANDLER struct way cps_relay_choose(const ucontext_t *uc, unsigned i, uintptr_t sp)
{
	struct way way = {atomic_load_explicit(&handlers[i], memory_order_relaxed), 0};
	uintptr_t to;

	if (!is_ours(sp) || !cps_regs_is_handlers_sp(uc, sp) ||
	    is_ours(cps_regs_interrupted_sp(uc)))
		return way;
	to = place(uc);
	if (!to)
		return way;
	cps_regs_move_context(uc, to);
	if (theirs.ss_flags & CPS_RELAY_AUTODISARM)
		arm_ours();
	way.distance = (intptr_t)(to - (uintptr_t)uc);
	return way;
}
