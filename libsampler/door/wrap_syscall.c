/* SPDX-License-Identifier: MIT */
/*
 * wrap_syscall.c - sends calls of syscall(2) to the wrappers of the same system calls.
 *
 * In: syscall(2). Out: wrapped calls for exec, exit, seccomp and prctl; those of by_number.h for what a tick could
 * end; waits for futexes, which are counted; the real syscall(2) for all others, with no register changed.
 */
#undef _FORTIFY_SOURCE /* it would define the wrapped functions inline */
#include <errno.h>
#include <linux/futex.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "base/sys.h"
#include "door/again.h"
#include "door/by_number.h"
#include "door/door.h"
#include "door/find.h"
#include "door/whole.h"
#include "resource/lock.h"
#include "unwind/regs.h"

/* The assembly below uses these. */
long (*cps_wrap_syscall_real)(long, ...);
long cps_wrap_syscall_chosen(long number, long a, long b, long c, long d, long e);
long cps_wrap_syscall_early(long number, long a, long b, long c, long d, long e);

/* The kernel goes on by itself with waits for futexes that have no limit; most other calls for them wake somebody. */
__attribute__((visibility("hidden"))) long cps_wrap_syscall_limited = SYS_futex;

#define LOCK_PI2 13 /* FUTEX_LOCK_PI2, since Linux 5.14 */
#define BIT(n)	 [(n) / 64] = UINT64_C(1) << (n) % 64

/* execveat and seccomp share a word. The calls below that are watched are added with them. */
__attribute__((visibility("hidden"))) uint64_t cps_wrap_syscall_table[8] = {
	BIT(SYS_execve),
	BIT(SYS_prctl),
	BIT(SYS_exit_group),
	[SYS_seccomp / 64] = UINT64_C(1) << SYS_seccomp % 64 | UINT64_C(1) << SYS_execveat % 64,
};

static void add_futexes(void)
{
	if (!cps_blocking_is_watched() && !cps_lock_is_on())
		return;
	cps_wrap_syscall_table[SYS_futex / 64] |= UINT64_C(1) << SYS_futex % 64;
	cps_wrap_syscall_limited = -1;
}

void cps_wrap_syscall_watch(bool on)
{
	uint64_t watched[8] = {0};

	cps_by_number_list(watched);
	for (size_t i = 0; i < sizeof(watched) / sizeof(watched[0]); i++)
		if (on)
			cps_wrap_syscall_table[i] |= watched[i];
		else
			cps_wrap_syscall_table[i] &= ~watched[i];
	add_futexes();
}

void cps_wrap_syscall_watch_waits(void)
{
	if (cps_blocking_is_watched())
		cps_again_watch_fully();
	if (cps_lock_is_on())
		cps_again_look_closely();
	add_futexes();
}

void cps_wrap_syscall_resolve(void)
{
	cps_wrap_syscall_real = (long (*)(long, ...))cps_find_next("syscall");
}

/* Threads may have little stack: what a call does not need is not on it. */
#define LITTLE __attribute__((noinline))

static long as_libc(long result)
{
	if (result >= 0 || result <= -4096)
		return result;
	errno = (int)-result;
	return -1;
}

__attribute__((used)) long cps_wrap_syscall_early(long number, long a, long b, long c, long d,
						  long e)
{
	return as_libc(cps_sys6(number, a, b, c, d, e, CPS_REGS_SYSCALL_LAST));
}

static LITTLE long make_futex(const struct cps_by_number *call)
{
	const long *a = call->a;

	return CPS_MASKED(NULL, cps_sys6(call->number, a[0], a[1], a[2], a[3], a[4], a[5]));
}

/* The operation is an int of a variadic function: the upper half of its register means nothing. */
static int operation_of(const struct cps_by_number *call)
{
	return (int)call->a[1] & FUTEX_CMD_MASK;
}

/* FUTEX_WAIT has a limit from its beginning on. What has none, or a time of day, is made again as it is. */
static LITTLE long repeat_futex(struct cps_by_number *call)
{
	const bool is_limited = operation_of(call) == FUTEX_WAIT && call->a[3];
	struct cps_again_wait w =
		cps_again_begin_at(is_limited ? cps_again_time(CLOCK_MONOTONIC) : 0);
	long result;

	w.timeout = is_limited ? (const struct timespec *)call->a[3] : NULL;
	while ((result = make_futex(call)) == -EINTR && cps_again_after_eintr(&w))
		if (is_limited)
			call->a[3] = (long)w.timeout;
	return result;
}

/* The clock is told of the end, and samples are taken, when the state of the wait is not on the stack any more. */
static LITTLE long wait_for_futex(struct cps_by_number *call)
{
	CPS_WAITS_FOR((const void *)call->a[0], CPS_LOCK_FUTEX);
	CPS_BLOCKS_IN(CPS_LOCK, cps_wrap_syscall_real);
	long result = repeat_futex(call);

	cps_waiting_end();
	return as_libc(result);
}

/* Programs ask the kernel to wake others only if others wait, or may. */
static LITTLE long wake_futex(struct cps_by_number *call)
{
	const void *futex = (const void *)call->a[0];
	uint64_t blame = cps_lock_has_waiters(futex, CPS_LOCK_FUTEX)
				 ? cps_lock_blame(futex, CPS_LOCK_FUTEX)
				 : 0;
	long result = as_libc(make_futex(call));

	cps_lock_blamed(blame, CPS_LOCK_FUTEX);
	return result;
}

/* Locks and events of a program's own making. */
static long call_futex(struct cps_by_number *call)
{
	switch (operation_of(call)) {
	case FUTEX_WAIT:
	case FUTEX_WAIT_BITSET:
	case FUTEX_WAIT_REQUEUE_PI:
	case FUTEX_LOCK_PI:
	case LOCK_PI2:
		return wait_for_futex(call);
	default:
		return wake_futex(call);
	}
}

static LITTLE long call_function(const struct cps_by_number *call)
{
	const long *a = call->a;

	switch (call->number) {
	case SYS_execve:
		return execve((const char *)a[0], (char *const *)a[1], (char *const *)a[2]);
	case SYS_execveat:
		return execveat((int)a[0], (const char *)a[1], (char *const *)a[2],
				(char *const *)a[3], (int)a[4]);
	case SYS_prctl:
		return prctl((int)a[0], a[1], a[2], a[3], a[4]);
	case SYS_seccomp:
		return cps_wrap_seccomp((unsigned long)a[0], (unsigned long)a[1],
					(const void *)a[2]);
	default:
		_exit((int)a[0]);
	}
}

static LITTLE long call_frequently(struct cps_by_number *call)
{
	const long *a = call->a;
	struct cps_again_start start = cps_again_start();
	uintptr_t outer = cps_cut_begin((uintptr_t)__builtin_frame_address(0));
	long result = cps_sys6(call->number, a[0], a[1], a[2], a[3], a[4], a[5]);

	if (__builtin_expect(result != -EINTR, 1) && cps_whole_ends_unmet(outer))
		return result;
	return cps_by_number_go_on(call, start, outer, result);
}

__attribute__((used)) long cps_wrap_syscall_chosen(long number, long a, long b, long c, long d,
						   long e)
{
	struct cps_by_number call = {number, {a, b, c, d, e, CPS_REGS_SYSCALL_LAST}, 0};
	long result;

	switch (number) {
	case SYS_execve:
	case SYS_execveat:
	case SYS_prctl:
	case SYS_exit_group:
	case SYS_seccomp:
		return call_function(&call);
	case SYS_futex:
		return call_futex(&call);
	case SYS_recvmmsg:
		call.kept = cps_whole_until((const struct timespec *)e);
		break;
	case SYS_recvmsg:
		call.kept = cps_whole_room((const struct msghdr *)b, (int)c);
		break;
	default:
		break;
	}
	result = cps_by_number_is_frequent(number) && cps_again_is_light()
			 ? call_frequently(&call)
			 : cps_by_number_make(&call);
	cps_waiting_end();
	return as_libc(result);
}

CPS_REGS_SYSCALL(cps_wrap_syscall_table, cps_wrap_syscall_limited, cps_wrap_syscall_chosen,
		 cps_wrap_syscall_real, cps_wrap_syscall_early);
