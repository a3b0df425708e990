/* SPDX-License-Identifier: MIT */
/*
 * wrap_altstack.c - our handler has a place on which the kernel can put its frame.
 *
 * In: sigaltstack, threads that begin and end. Out: every thread has an alternate
 * stack.
 *
 * The kernel saves all registers where the handler begins, 3.4 KiB with AVX-512, 11 with AMX. A
 * coroutine with a stack of 4 KiB, a thread that has used most of its 16, and an alternate stack of
 * MINSIGSTKSZ, on which the kernel would rather kill than overflow, have no room for it. So a
 * thread that has no alternate stack, or a small one, gets one of ours, on which the target's
 * handlers then run as well if they ask for an alternate one. The target is told of the one that it
 * has set itself.
 */
#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/sys.h"
#include "door/door.h"
#include "door/life.h"

#define EXPORT	   __attribute__((visibility("default")))
#define BYTES	   (64u << 10)
#define ENOUGH	   (16u << 10) /* for two frames of the kernel's and a handler of the target's */
#define SPARES	   64
#define EVERYTHING (~UINT64_C(0))

static _Atomic(char *) spares[SPARES];

static __thread char *ours; /* NULL: the thread has what the target has set */
static __thread stack_t theirs;
static __thread int tid; /* clone(2) may make threads that share all of this */

static char *take(void)
{
	for (int i = 0; i < SPARES; i++) {
		char *spare = atomic_load_explicit(&spares[i], memory_order_relaxed);

		if (spare && atomic_compare_exchange_strong(&spares[i], &spare, NULL))
			return spare;
	}
	return cps_arena_pages(BYTES);
}

static void give(char *bytes)
{
	for (int i = 0; i < SPARES; i++) {
		char *none = NULL;

		if (atomic_compare_exchange_strong(&spares[i], &none, bytes))
			return;
	}
	cps_sys_munmap(bytes, BYTES);
}

static int ask_kernel(const stack_t *new, stack_t *old)
{
	return (int)CPS_SYS(sigaltstack, new, old, 0, 0);
}

static bool is_small(const stack_t *s)
{
	return s->ss_flags & SS_DISABLE || s->ss_size < ENOUGH;
}

/* The target wants `s`, and the kernel has it. */
static void replace(const stack_t *s)
{
	stack_t mine = {.ss_size = BYTES};

	theirs = *s;
	if (!is_small(s)) {
		if (ours)
			give(ours);
		ours = NULL;
		return;
	}
	if (!ours)
		ours = take();
	mine.ss_sp = ours;
	if (!(s->ss_flags & SS_DISABLE))
		mine.ss_flags = s->ss_flags & ~SS_ONSTACK; /* SS_AUTODISARM */
	if (ours && ask_kernel(&mine, NULL) != 0) {
		give(ours);
		ours = NULL;
	}
}

void cps_wrap_altstack_begin(void)
{
	stack_t now;

	tid = cps_sys_gettid();
	if (!ours && ask_kernel(NULL, &now) == 0 && !(now.ss_flags & SS_ONSTACK))
		replace(&now);
}

void cps_wrap_altstack_end(void)
{
	if (!ours || tid != cps_sys_gettid() || ask_kernel(&theirs, NULL) != 0)
		return; /* it ends on it, in a handler of its own */
	give(ours);
	ours = NULL;
}

/* A handler that runs on ours although there should be none may set another one, which the
 * kernel would not allow: it is taken note of. */
static int change(const stack_t *new)
{
	int error = ask_kernel(new, NULL);

	if (!error) {
		replace(new);
	} else if (error == -EPERM && theirs.ss_flags & SS_DISABLE) {
		theirs = *new;
		error = 0;
	}
	return error;
}

EXPORT int sigaltstack(const stack_t *new, stack_t *old)
{
	uint64_t everything = EVERYTHING, mask;
	stack_t wanted, before;
	int error;

	cps_door_open();
	if (tid != cps_sys_gettid() || !cps_life_is_here()) {
		error = ask_kernel(new, old);
	} else {
		if (new)
			wanted = *new;
		CPS_SYS(rt_sigprocmask, SIG_BLOCK, &everything, &mask, sizeof(mask));
		error = ask_kernel(NULL, &before);
		if (ours && !error) {
			bool is_on =
				before.ss_flags & SS_ONSTACK && !(theirs.ss_flags & SS_DISABLE);

			before = theirs;
			before.ss_flags |= is_on ? SS_ONSTACK : 0;
		}
		if (new && !error)
			error = change(&wanted);
		CPS_SYS(rt_sigprocmask, SIG_SETMASK, &mask, NULL, sizeof(mask));
		if (old && !error)
			*old = before;
	}
	if (error)
		errno = -error;
	return error ? -1 : 0;
}
