/* SPDX-License-Identifier: MIT */
/*
 * wrap_syscall.c - sends calls of syscall(2) to the wrappers of the same system calls.
 *
 * In: syscall(2). Out: wrapped calls for exec, seccomp and prctl; the real syscall(2) for all
 * others, with no register changed.
 */
#include <dlfcn.h>
#include <errno.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "base/sys.h"
#include "door/door.h"
#include "unwind/regs.h"

/* The assembly below uses these. */
__attribute__((visibility("hidden"))) long (*cps_wrap_syscall_real)(long, ...);
long cps_wrap_syscall_chosen(long number, long a, long b, long c, long d, long e);
long cps_wrap_syscall_early(long number, long a, long b, long c, long d, long e, long f);

void cps_wrap_syscall_resolve(void)
{
	cps_wrap_syscall_real = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall");
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

__attribute__((used)) long cps_wrap_syscall_chosen(long number, long a, long b, long c, long d,
						   long e)
{
	switch (number) {
	case SYS_execve:
		return execve((const char *)a, (char *const *)b, (char *const *)c);
	case SYS_execveat:
		return execveat((int)a, (const char *)b, (char *const *)c, (char *const *)d,
				(int)e);
	case SYS_prctl:
		return prctl((int)a, b, c, d, e);
	default:
		return as_libc(
			cps_wrap_seccomp((unsigned long)a, (unsigned long)b, (const void *)c));
	}
}

CPS_REGS_SYSCALL(59 /* execve */, 322 /* execveat */, 317 /* seccomp */, 157 /* prctl */,
		 cps_wrap_syscall_chosen, cps_wrap_syscall_real, cps_wrap_syscall_early);

_Static_assert(SYS_execve == 59 && SYS_execveat == 322 && SYS_seccomp == 317 && SYS_prctl == 157,
	       "the numbers above");
