/* SPDX-License-Identifier: MIT */
/*
 * wrap_signal.c - keeps the few signals that the recorder uses out of the target's way.
 *
 * In: sigaction and its relatives, masks, interval timers. Out: the real call, except for a signal
 * that is taken (SIGPROF as a resource, CPSAMPLE_TOGGLE_SIGNAL): what the target asks for is then
 * kept and told again, but not installed. The clock `itimer` is replaced as soon as the target
 * wants SIGPROF for itself.
 */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/time.h>

#include "arch/arch.h"
#include "process/identity.h"
#include "process/process_life.h"
#include "process/start.h"
#include "signal/disposition.h"
#include "signal/own_stack.h"
#include "unwind/libunwind.h"
#include "wrap/eintr_restart.h"
#include "wrap/wrap.h"

#define EXPORT __attribute__((visibility("default")))

/* The C library's headers do not always declare these. */
sighandler_t bsd_signal(int number, sighandler_t handler);
sighandler_t __sysv_signal(int number, sighandler_t handler);

/* Whether this signal is taken, so that the target's wishes are kept here. Not in a child of vfork,
 * which shares our tables but not the kernel's. */
static bool is_taken(int number, bool to_change_it)
{
	cps_start();
	if (number == CPS_SIGNAL_OWN || !cps_disposition_is_taken(number))
		return false; /* the C library refuses this signal with and without us */
	if (number == SIGPROF && to_change_it)
		cps_process_life_give_up_sigprof(); /* not if it only asks, as Python does */
	return cps_disposition_is_taken(number) &&
	       (!cps_eintr_restart_has_ticks() || cps_own_memory_is_here());
}

static int change(int number, const struct sigaction *action, struct sigaction *old)
{
	struct sigaction before;

	if (!is_taken(number, action != NULL))
		return cps_real.sigaction ? cps_real.sigaction(number, action, old) : -1;
	cps_disposition_get(number, &before);
	if (action)
		cps_disposition_set(number, action);
	if (old)
		*old = before;
	return 0;
}

/* Go's runtime asks the kernel itself for the alternate stack, which is ours, and takes a handler that
 * runs elsewhere for a mistake. It installs its handlers by the C library if the program also has code
 * in C. */
static bool is_relayed(const struct sigaction *action)
{
	return CPS_REGS_HAS_RELAYS && action->sa_flags & SA_ONSTACK && cps_process_life_clock() &&
	       (cps_relay_is_known(action->sa_handler) || !cps_go_runtime_is_here());
}

/* A child of vfork shares our relays, but has dispositions and an alternate stack of its own. */
static sighandler_t relay(sighandler_t handler)
{
	sighandler_t found = cps_relay_to(handler);

	if (found != handler || !cps_relay_is_function(handler))
		return found;
	if (cps_own_memory_is_here())
		return cps_relay_instead(handler);
	cps_wrap_altstack_is_theirs();
	return handler;
}

/* A handler that asks for the alternate stack would run on ours, and so is given to the kernel as a
 * relay. */
EXPORT int sigaction(int number, const struct sigaction *action, struct sigaction *old)
{
	struct sigaction relayed;
	int result;

	cps_start();
	if (action && is_relayed(action)) {
		relayed = *action;
		relayed.sa_handler = relay(action->sa_handler);
		action = &relayed;
	}
	result = change(number, action, old);
	if (!result && old)
		old->sa_handler = cps_relay_behind(old->sa_handler);
	return result;
}

static sighandler_t set(int number, sighandler_t handler, int flags)
{
	struct sigaction action, before;

	memset(&action, 0, sizeof(action));
	action.sa_handler = handler;
	action.sa_flags = flags;
	if (!(flags & SA_NODEFER))
		sigaddset(&action.sa_mask, number);
	sigaction(number, &action, &before);
	return before.sa_handler;
}

EXPORT sighandler_t signal(int number, sighandler_t handler)
{
	if (is_taken(number, true) && handler != SIG_ERR)
		return set(number, handler, SA_RESTART);
	return cps_real.signal ? cps_relay_behind(cps_real.signal(number, handler)) : SIG_ERR;
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
	if (is_taken(number, true) && handler != SIG_ERR)
		return set(number, handler, (int)(SA_RESETHAND | SA_NODEFER));
	return cps_real.__sysv_signal ? cps_relay_behind(cps_real.__sysv_signal(number, handler))
				      : SIG_ERR;
}

EXPORT sighandler_t sysv_signal(int number, sighandler_t handler)
{
	return __sysv_signal(number, handler);
}

EXPORT sighandler_t sigset(int number, sighandler_t handler)
{
	if (is_taken(number, true) && handler != SIG_ERR && handler != SIG_HOLD)
		return set(number, handler, 0);
	return cps_real.sigset ? cps_relay_behind(cps_real.sigset(number, handler)) : SIG_ERR;
}

EXPORT int sigignore(int number)
{
	if (is_taken(number, true)) {
		set(number, SIG_IGN, 0);
		return 0;
	}
	return cps_real.sigignore ? cps_real.sigignore(number) : -1;
}

EXPORT int siginterrupt(int number, int interrupt)
{
	if (is_taken(number, true) && !cps_disposition_is_default_only(number))
		return 0; /* our handler always restarts calls */
	return cps_real.siginterrupt ? cps_real.siginterrupt(number, interrupt) : -1;
}

/* ---- masks: blocked, SIGPROF may be waited for, or just never come --------------------------- */

static void blocks(bool sigprof)
{
	cps_start();
	if (sigprof && cps_process_life_clock() == &cps_clock_itimer)
		cps_process_life_give_up_sigprof();
}

static bool has_sigprof(int how, const sigset_t *set)
{
	return set && how != SIG_UNBLOCK && sigismember(set, SIGPROF) == 1;
}

EXPORT int pthread_sigmask(int how, const sigset_t *set, sigset_t *old)
{
	blocks(has_sigprof(how, set));
	return cps_real.pthread_sigmask ? cps_real.pthread_sigmask(how, set, old) : ENOSYS;
}

EXPORT int sigprocmask(int how, const sigset_t *set, sigset_t *old)
{
	if (cps_libunwind_calls_for((uintptr_t)__builtin_return_address(0)))
		return 0;
	blocks(has_sigprof(how, set));
	return cps_real.sigprocmask ? cps_real.sigprocmask(how, set, old) : -1;
}

EXPORT int sigblock(int mask)
{
	blocks(mask & 1 << (SIGPROF - 1));
	return cps_real.sigblock ? cps_real.sigblock(mask) : -1;
}

EXPORT int sigsetmask(int mask)
{
	blocks(mask & 1 << (SIGPROF - 1));
	return cps_real.sigsetmask ? cps_real.sigsetmask(mask) : -1;
}

EXPORT int sighold(int number)
{
	blocks(number == SIGPROF);
	return cps_real.sighold ? cps_real.sighold(number) : -1;
}

/* ---- the one profiling timer of the process -------------------------------------------------- */

EXPORT int setitimer(__itimer_which_t which, const struct itimerval *new, struct itimerval *old)
{
	blocks(which == ITIMER_PROF);
	return cps_real.setitimer ? cps_real.setitimer(which, new, old) : -1;
}

EXPORT int getitimer(__itimer_which_t which, struct itimerval *value)
{
	blocks(which == ITIMER_PROF);
	return cps_real.getitimer ? cps_real.getitimer(which, value) : -1;
}
