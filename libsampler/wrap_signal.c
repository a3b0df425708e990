/* SPDX-License-Identifier: MIT */
/*
 * wrap_signal.c - the target sees its own disposition of SIGPROF, and ours stays in place.
 *
 * Room: door. In: sigaction and its older relatives. Out: for SIGPROF, what the target asked for
 * is kept and told again, but not installed; every other signal goes to the real call. GNU sort
 * is one of the programs that handle SIGPROF, to remove their temporary files.
 */
#include <errno.h>
#include <signal.h>
#include <string.h>

#include "door.h"

#define EXPORT __attribute__((visibility("default")))

/* Not every libc header declares all of them. */
sighandler_t bsd_signal(int number, sighandler_t handler);
sighandler_t __sysv_signal(int number, sighandler_t handler);

static bool is_ours(int number)
{
	cps_door_open();
	return number == SIGPROF && cps_door_clock();
}

EXPORT int sigaction(int number, const struct sigaction *action, struct sigaction *old)
{
	struct sigaction before;

	if (!is_ours(number))
		return cps_real.sigaction ? cps_real.sigaction(number, action, old) : -1;
	cps_sample_get_disposition(&before);
	if (action)
		cps_sample_set_disposition(action);
	if (old)
		*old = before;
	return 0;
}

static sighandler_t set(sighandler_t handler, int flags)
{
	struct sigaction action, before;

	memset(&action, 0, sizeof(action));
	action.sa_handler = handler;
	action.sa_flags = flags;
	if (!(flags & SA_NODEFER))
		sigaddset(&action.sa_mask, SIGPROF);
	sigaction(SIGPROF, &action, &before);
	return before.sa_handler;
}

EXPORT sighandler_t signal(int number, sighandler_t handler)
{
	if (is_ours(number) && handler != SIG_ERR)
		return set(handler, SA_RESTART);
	return cps_real.signal ? cps_real.signal(number, handler) : SIG_ERR;
}

EXPORT sighandler_t bsd_signal(int number, sighandler_t handler)
{
	return signal(number, handler);
}

EXPORT sighandler_t ssignal(int number, sighandler_t handler)
{
	return signal(number, handler);
}

EXPORT sighandler_t __sysv_signal(int number, sighandler_t handler)
{
	if (is_ours(number) && handler != SIG_ERR)
		return set(handler, (int)(SA_RESETHAND | SA_NODEFER));
	return cps_real.sysv_signal ? cps_real.sysv_signal(number, handler) : SIG_ERR;
}

EXPORT sighandler_t sysv_signal(int number, sighandler_t handler)
{
	return __sysv_signal(number, handler);
}
