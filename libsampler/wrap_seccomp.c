/* SPDX-License-Identifier: MIT */
/*
 * wrap_seccomp.c - notices when the target forbids itself system calls.
 *
 * Room: door. In: prctl, syscall. Out: a recording that has ended before the filter is there. The handler's own
 * system calls might be what a filter kills for.
 */
#include <dlfcn.h>
#include <errno.h>
#include <linux/seccomp.h>
#include <stdarg.h>
#include <sys/prctl.h>

#include "door.h"
#include "life.h"
#include "pack.h"
#include "recording.h"
#include "regs.h"
#include "sys.h"

#define EXPORT __attribute__((visibility("default")))

static enum cps_seccomp mode;
__attribute__((visibility("hidden"))) long (*cps_wrap_seccomp_real)(long, ...);

void cps_wrap_seccomp_prepare(enum cps_seccomp m)
{
	mode = m;
}

void cps_wrap_seccomp_resolve(void)
{
	cps_wrap_seccomp_real = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall");
}

/* True: the recording has ended, for now. */
static bool step_aside(void)
{
	if (!cps_life_clock())
		return false;
	if (mode == CPS_SECCOMP_JOURNAL) {
		cps_recording_ready(); /* now or never */
		cps_pack_forbid();
	}
	return mode == CPS_SECCOMP_STOP && cps_life_leave(CPS_STOP_SECCOMP);
}

static void have_stepped_aside(bool aside, bool has_failed)
{
	int error = errno;

	if (aside && has_failed)
		cps_life_return();
	else if (aside)
		cps_life_forget();
	errno = error;
}

/* A filter that is NULL is only a question whether there could be one. */
EXPORT int prctl(int option, ...)
{
	unsigned long a[4];
	bool aside = false;
	va_list list;
	int result;

	va_start(list, option);
	for (int i = 0; i < 4; i++)
		a[i] = va_arg(list, unsigned long);
	va_end(list);
	cps_door_open();
	if (option == PR_SET_SECCOMP && (a[0] == SECCOMP_MODE_STRICT || a[1]))
		aside = step_aside();
	if (!cps_real.prctl) {
		errno = ENOSYS;
		return -1;
	}
	result = cps_real.prctl(option, a[0], a[1], a[2], a[3]);
	have_stepped_aside(aside, result != 0);
	return result;
}

/* For the assembly below. */
long cps_wrap_seccomp_call(long number, unsigned long operation, unsigned long flags,
			   const void *filter);
long cps_wrap_seccomp_early(long number, long a, long b, long c, long d, long e, long f);

__attribute__((used)) long cps_wrap_seccomp_early(long number, long a, long b, long c, long d,
						  long e, long f)
{
	long result = cps_sys6(number, a, b, c, d, e, f);

	if (result < 0 && result > -4096) {
		errno = (int)-result;
		return -1;
	}
	return result;
}

__attribute__((used)) long cps_wrap_seccomp_call(long number, unsigned long operation,
						 unsigned long flags, const void *filter)
{
	bool aside = false;
	long result;

	cps_door_open();
	if (operation == SECCOMP_SET_MODE_STRICT ||
	    (operation == SECCOMP_SET_MODE_FILTER && filter))
		aside = step_aside();
	result =
		cps_wrap_seccomp_early(number, (long)operation, (long)flags, (long)filter, 0, 0, 0);
	have_stepped_aside(aside, result < 0);
	return result;
}

CPS_REGS_SYSCALL(317 /* seccomp */, cps_wrap_seccomp_call, cps_wrap_seccomp_real,
		 cps_wrap_seccomp_early);
