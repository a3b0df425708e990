/* SPDX-License-Identifier: MIT */
/*
 * wrap_altstack.c - gives the kernel a place for the frame of our handler.
 *
 * In: sigaltstack, threads that begin and end. Out: an alternate stack for every thread.
 *
 * The kernel saves all registers on the stack that the handler begins on: 3.4 KiB with AVX-512, 11
 * with AMX. Some stacks are too small for that: the 4 KiB of a coroutine, the rest of a thread's 16
 * KiB, and an alternate stack of MINSIGSTKSZ, where the kernel kills rather than overflows. So a
 * thread that has no alternate stack, or a small one, gets one of ours (doc/decisions/0006). The
 * target's handlers also run on it if they ask for an alternate stack. When the target asks, it is
 * told of the one that it has set itself.
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
#define ENOUGH	   (16u << 10) /* for two frames of the kernel and a handler of the target */
#define SPARES	   64
#define EVERYTHING (~UINT64_C(0))

static _Atomic(char *) spares[SPARES];

static __thread char *ours; /* NULL: the thread uses what the target has set */
static __thread stack_t theirs;
static __thread int tid; /* threads made by a bare clone(2) may share all of this */

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

/* Replaces `s`, which the target wants and the kernel has, by ours if it is too small. */
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
		return; /* the thread ends in a handler that runs on it */
	give(ours);
	ours = NULL;
}

/* Sets what the target wants. Only the kernel reads it first, because it need not be there. A handler
 * of the target's may run on our alternate stack although the target has set none. If it then sets
 * one, the kernel refuses to change the stack in use, so it is only noted. */
static int change(const stack_t *new)
{
	int error = ask_kernel(new, NULL);
	stack_t set;

	if (!error && ask_kernel(NULL, &set) == 0) {
		set.ss_flags &= ~SS_ONSTACK;
		replace(&set);
	} else if (error == -EPERM && theirs.ss_flags & SS_DISABLE) {
		theirs = *new;
		error = 0;
	}
	return error;
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

EXPORT int sigaltstack(const stack_t *new, stack_t *old)
{
	uint64_t everything = EVERYTHING, mask;
	stack_t before;
	int error;

	cps_door_open();
	if (tid != cps_sys_gettid() || !cps_life_is_recorded()) {
		error = ask_kernel(new, old);
	} else {
		CPS_SYS(rt_sigprocmask, SIG_BLOCK, &everything, &mask, sizeof(mask));
		error = ask_kernel(NULL, &before);
		if (ours && !error) {
			bool is_on =
				before.ss_flags & SS_ONSTACK && !(theirs.ss_flags & SS_DISABLE);

			before = theirs;
			before.ss_flags |= is_on ? SS_ONSTACK : 0;
		}
		if (new && !error)
			error = change(new);
		CPS_SYS(rt_sigprocmask, SIG_SETMASK, &mask, NULL, sizeof(mask));
		if (old && !error)
			error = store(old, &before);
	}
	if (error)
		errno = -error;
	return error ? -1 : 0;
}
