/* SPDX-License-Identifier: MIT */
/*
 * wrap_syscall.c - sends calls of syscall(2) to the wrappers of the same system calls.
 *
 * In: syscall(2). Out: wrapped calls for exec, exit, seccomp and prctl; transfers that are finished if a
 * tick has cut them short; waits for futexes, which are counted; the real syscall(2) for all others, with no register
 * changed.
 */
#undef _FORTIFY_SOURCE /* it would define the wrapped functions inline */
#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "base/sys.h"
#include "door/door.h"
#include "door/find.h"
#include "door/whole.h"
#include "resource/lock.h"
#include "unwind/regs.h"

/* The assembly below uses these. */
__attribute__((visibility("hidden"))) long (*cps_wrap_syscall_real)(long, ...);
long cps_wrap_syscall_chosen(long number, long a, long b, long c, long d, long e, long f);
long cps_wrap_syscall_early(long number, long a, long b, long c, long d, long e, long f);

#define LOCK_PI2 13 /* FUTEX_LOCK_PI2, since Linux 5.14 */
#define BIT(n)	 [(n) / 64] = UINT64_C(1) << (n) % 64

/* execveat and seccomp share a word. The calls below that are watched are added with them. */
__attribute__((visibility("hidden"))) uint64_t cps_wrap_syscall_table[8] = {
	BIT(SYS_execve),
	BIT(SYS_prctl),
	BIT(SYS_exit_group),
	[SYS_seccomp / 64] = UINT64_C(1) << SYS_seccomp % 64 | UINT64_C(1) << SYS_execveat % 64,
};

void cps_wrap_syscall_watch(bool on)
{
	static const int watched[] = {
		SYS_read,      SYS_write,	 SYS_readv,	     SYS_writev,
		SYS_sendto,    SYS_recvfrom,	 SYS_sendmsg,	     SYS_recvmsg,
		SYS_getrandom, SYS_io_getevents, SYS_io_uring_enter,
	};

	for (size_t i = 0; i < sizeof(watched) / sizeof(watched[0]); i++)
		if (on)
			cps_wrap_syscall_table[watched[i] / 64] |= UINT64_C(1) << watched[i] % 64;
		else
			cps_wrap_syscall_table[watched[i] / 64] &=
				~(UINT64_C(1) << watched[i] % 64);
}

void cps_wrap_syscall_watch_waits(void)
{
	if (cps_blocking_is_watched())
		cps_again_watch_fully();
	if (cps_lock_is_on())
		cps_again_look_closely();
	if (cps_blocking_is_watched() || cps_lock_is_on())
		cps_wrap_syscall_table[SYS_futex / 64] |= UINT64_C(1) << SYS_futex % 64;
}

void cps_wrap_syscall_resolve(void)
{
	cps_wrap_syscall_real = (long (*)(long, ...))cps_find_next("syscall");
}

static long as_libc(long result)
{
	if (result >= 0 || result <= -4096)
		return result;
	errno = (int)-result;
	return -1;
}

__attribute__((used)) long cps_wrap_syscall_early(long number, long a, long b, long c, long d,
						  long e, long f)
{
	return as_libc(cps_sys6(number, a, b, c, d, e, f));
}

#define ONE(start, bytes) &(struct iovec){(void *)(start), (size_t)(bytes)}, 1

static long rest_of(struct cps_again_wait *w, long number, long a, long b, long c, long d,
		    long done)
{
	const struct msghdr *m = (const struct msghdr *)b;

	switch (number) {
	case SYS_read:
		return cps_whole_read(w, (int)a, ONE(b, c), 0, done);
	case SYS_readv:
		return cps_whole_read(w, (int)a, (const struct iovec *)b, (size_t)c, 0, done);
	case SYS_recvfrom:
		return cps_whole_read(w, (int)a, ONE(b, c), (int)d, done);
	case SYS_recvmsg:
		return cps_whole_message(w, (int)a, m, (int)c, done);
	case SYS_write:
		return cps_whole_write(w, (int)a, ONE(b, c), 0, done);
	case SYS_writev:
		return cps_whole_write(w, (int)a, (const struct iovec *)b, (size_t)c, 0, done);
	case SYS_sendto:
		return cps_whole_write(w, (int)a, ONE(b, c), (int)d, done);
	case SYS_sendmsg:
		return cps_whole_write(w, (int)a, m->msg_iov, m->msg_iovlen, (int)c, done);
	default:
		return done;
	}
}

/* Whether a call that has failed with EINTR may be made again: it waits without an end. */
static bool is_endless(long number, long d, long e)
{
	return (number == SYS_io_uring_enter && !(d & 8 /* IORING_ENTER_EXT_ARG */)) ||
	       (number == SYS_io_getevents && !e);
}

/* The call itself is made directly: syscall(2) does not end a thread that is being cancelled, which
 * the functions of the same name do. */
static long watch(long number, long a, long b, long c, long d, long e, long f)
{
	CPS_AGAIN_WAIT w = cps_again_begin();
	long result;
	bool is_cut;
	int state;

	do
		result = CPS_CUTTABLE(&is_cut, cps_sys6(number, a, b, c, d, e, f));
	while (result == -EINTR && is_endless(number, d, e) && cps_again_after_eintr(&w));
	if (!is_cut || result <= 0)
		return as_libc(result);
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
	if (number == SYS_getrandom)
		result = cps_whole_random(&w, (void *)a, (size_t)b, (unsigned)c, result);
	else
		result = rest_of(&w, number, a, b, c, d, result);
	pthread_setcancelstate(state, NULL);
	return result;
}

static long wait_for_futex(long number, long a, long b, long c, long d, long e, long f)
{
	CPS_WAITS_FOR((const void *)a, CPS_LOCK_FUTEX);
	CPS_BLOCKS_IN(CPS_LOCK, cps_wrap_syscall_real);

	return as_libc(cps_sys6(number, a, b, c, d, e, f));
}

/* Programs ask the kernel to wake others only if others wait, or may. */
static long wake_futex(long number, long a, long b, long c, long d, long e, long f)
{
	uint64_t blame = cps_lock_has_waiters((const void *)a, CPS_LOCK_FUTEX)
				 ? cps_lock_blame((const void *)a, CPS_LOCK_FUTEX)
				 : 0;
	long result = as_libc(cps_sys6(number, a, b, c, d, e, f));

	cps_lock_blamed(blame, CPS_LOCK_FUTEX);
	return result;
}

/* Locks and events of a program's own making. Those that fail with EINTR always look again. */
static long call_futex(long number, long a, long b, long c, long d, long e, long f)
{
	/* The operation is an int of a variadic function: the upper half of its register means nothing. */
	switch ((int)b & FUTEX_CMD_MASK) {
	case FUTEX_WAIT:
	case FUTEX_WAIT_BITSET:
	case FUTEX_WAIT_REQUEUE_PI:
	case FUTEX_LOCK_PI:
	case LOCK_PI2:
		return wait_for_futex(number, a, b, c, d, e, f);
	default:
		return wake_futex(number, a, b, c, d, e, f);
	}
}

__attribute__((used)) long cps_wrap_syscall_chosen(long number, long a, long b, long c, long d,
						   long e, long f)
{
	switch (number) {
	case SYS_execve:
		return execve((const char *)a, (char *const *)b, (char *const *)c);
	case SYS_execveat:
		return execveat((int)a, (const char *)b, (char *const *)c, (char *const *)d,
				(int)e);
	case SYS_prctl:
		return prctl((int)a, b, c, d, e);
	case SYS_exit_group:
		_exit((int)a);
	case SYS_seccomp:
		return as_libc(
			cps_wrap_seccomp((unsigned long)a, (unsigned long)b, (const void *)c));
	case SYS_futex:
		return call_futex(number, a, b, c, d, e, f);
	default:
		return watch(number, a, b, c, d, e, f);
	}
}

CPS_REGS_SYSCALL(cps_wrap_syscall_table, cps_wrap_syscall_chosen, cps_wrap_syscall_real,
		 cps_wrap_syscall_early);
