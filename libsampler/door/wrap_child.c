/* SPDX-License-Identifier: MIT */
/*
 * wrap_child.c - tells the clock when a wait for a child is over.
 *
 * In: wait and its kin. Out: the real calls. The kernel goes on with them after a tick, so that they need
 * not be made again; but a shell hardly does anything else than to wait in them, and works in between
 * for less than a tick of the kernel (waiting.h, doc/decisions/0067).
 */
#include <sys/wait.h>

#include "door/again.h"

pid_t __wait(int *status);
pid_t __waitpid(pid_t pid, int *status, int options);

static inline struct cps_again_wait begin(int options)
{
	struct cps_again_wait w = cps_again_begin();

	if (!(options & WNOHANG))
		cps_waiting_sleep();
	return w;
}

CPS_EXPORT pid_t wait(int *status)
{
	CPS_BLOCKS(CPS_WAIT, wait);
	CPS_AGAIN_WAIT w = begin(0);

	return CPS_AGAIN(w, CPS_NEXT(wait)(status));
}

CPS_EXPORT pid_t __wait(int *status) __attribute__((alias("wait")));

CPS_EXPORT pid_t waitpid(pid_t pid, int *status, int options)
{
	CPS_BLOCKS(CPS_WAIT, waitpid);
	CPS_AGAIN_WAIT w = begin(options);

	return CPS_AGAIN(w, CPS_NEXT(waitpid)(pid, status, options));
}

CPS_EXPORT pid_t __waitpid(pid_t pid, int *status, int options) __attribute__((alias("waitpid")));

CPS_EXPORT pid_t wait3(int *status, int options, struct rusage *used)
{
	CPS_BLOCKS(CPS_WAIT, wait3);
	CPS_AGAIN_WAIT w = begin(options);

	return CPS_AGAIN(w, CPS_NEXT(wait3)(status, options, used));
}

CPS_EXPORT pid_t wait4(pid_t pid, int *status, int options, struct rusage *used)
{
	CPS_BLOCKS(CPS_WAIT, wait4);
	CPS_AGAIN_WAIT w = begin(options);

	return CPS_AGAIN(w, CPS_NEXT(wait4)(pid, status, options, used));
}

CPS_EXPORT int waitid(idtype_t kind, id_t id, siginfo_t *info, int options)
{
	CPS_BLOCKS(CPS_WAIT, waitid);
	CPS_AGAIN_WAIT w = begin(options);

	return CPS_AGAIN(w, CPS_NEXT(waitid)(kind, id, info, options));
}
