/* SPDX-License-Identifier: MIT */
/*
 * interruption.c - finds out which system calls our signals have interrupted.
 *
 * In: the context of a signal. Out: a count for the wrappers, a call that is made again, or one that
 * is not made again.
 */
#include <fcntl.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>
#include <time.h>

#include "base/sys.h"
#include "signal/cut.h"
#include "signal/disposition.h"
#include "signal/gate.h"
#include "signal/masked.h"
#include "signal/sample.h"
#include "signal/waiting.h"
#include "stream/interrupted.h"
#include "unwind/regs.h"
#include "base/poison.h"

__thread uint32_t cps_sample_interrupted;
static atomic_bool is_confined;

void cps_sample_confine(void)
{
	atomic_store(&is_confined, true);
}

/* Signals still come after the end: that which has ended the recording, and those that the target is sent
 * for a recording of signals. They must not end its calls either. */
static bool may_ask(void)
{
	return cps_gate_is_open() || !atomic_load(&is_confined);
}

static bool can_enter_again(const ucontext_t *uc)
{
	enum { EXT_ARG = 8, ABS_TIMER = 32, OFFSET_TIME = 16 };
	uintptr_t flags = cps_regs_call_argument(uc, 4), more = cps_regs_call_argument(uc, 5), time;

	if (!(flags & EXT_ARG) || flags & ABS_TIMER)
		return true;
	if (!cps_sys_readable(more + OFFSET_TIME))
		return false;
	memcpy(&time, (const void *)(more + OFFSET_TIME), sizeof(time));
	return !time;
}

/* Programs and libraries make such calls by instructions of their own, which no wrapper sees. A call that
 * waits for a time from its beginning is left as it is, since the whole time would begin again; and so
 * is one that changes the mask of signals, since it is not known what that lets through. */
static bool can_be_made_again(const ucontext_t *uc, int number)
{
	uintptr_t third = cps_regs_call_argument(uc, 3), fourth = cps_regs_call_argument(uc, 4);
	uintptr_t fifth = cps_regs_call_argument(uc, 5), sixth = cps_regs_call_argument(uc, 6);

	switch (number) {
	case SYS_io_uring_enter:
		return can_enter_again(uc);
	case SYS_io_getevents:
	case SYS_io_pgetevents:
	case SYS_select:
		return !fifth;
	case SYS_pselect6:
		return !fifth && !sixth;
	case SYS_poll:
		return (int)third < 0;
	case SYS_ppoll:
		return !third && !fourth;
	case SYS_epoll_wait:
		return (int)fourth < 0;
	case SYS_epoll_pwait:
		return (int)fourth < 0 && !fifth;
	case SYS_epoll_pwait2:
		return !fourth && !fifth;
	case SYS_clock_nanosleep:
		return cps_regs_call_argument(uc, 2) & TIMER_ABSTIME;
	default:
		return false;
	}
}

/* Those of the signals that end calls. A child that has ended while our handler blocks all signals has
 * sent one that hardly any program handles. */
static uint64_t with_effect(uint64_t signals)
{
	uint64_t left = signals;

	for (; left; left &= left - 1)
		if (cps_disposition_is_ignored(__builtin_ctzll(left) + 1))
			signals &= ~(left & -left);
	return signals;
}

/* The signals that are pending and that the interrupted code does not block, except for our own and those
 * without effect. */
static bool pending_for(const ucontext_t *uc, uint64_t *pending)
{
	uint64_t blocked;

	memcpy(&blocked, &uc->uc_sigmask, sizeof(blocked));
	blocked |= UINT64_C(1) << (cps_sample_signal() - 1) | UINT64_C(1) << (CPS_SIGNAL_OWN - 1);
	if (CPS_SYS(rt_sigpending, pending, sizeof(*pending), 0, 0) != 0)
		return false;
	*pending = with_effect(*pending & ~blocked);
	return true;
}

/* Calls that fail with EINTR after a handler without SA_RESTART (signal(7)). Others that the kernel
 * makes again, such as clone(2), it makes again after any handler. */
static bool can_fail_with_eintr(const ucontext_t *uc, int number)
{
	uintptr_t operation = cps_regs_call_argument(uc, 2);

	switch (number) {
	case SYS_read:
	case SYS_readv:
	case SYS_write:
	case SYS_writev:
	case SYS_recvfrom:
	case SYS_recvmsg:
	case SYS_sendto:
	case SYS_sendmsg:
	case SYS_accept:
	case SYS_accept4:
	case SYS_connect:
	case SYS_wait4:
	case SYS_waitid:
	case SYS_open:
	case SYS_openat:
	case SYS_flock:
	case SYS_splice:
	case SYS_tee:
	case SYS_vmsplice:
	case SYS_sendfile:
	case SYS_getrandom:
	case SYS_mq_timedsend:
	case SYS_mq_timedreceive:
		return true;
	case SYS_fcntl:
		return operation == F_SETLKW || operation == F_OFD_SETLKW;
	case SYS_futex:
		operation &= FUTEX_CMD_MASK;
		return operation == FUTEX_WAIT || operation == FUTEX_WAIT_BITSET;
	default:
		return false;
	}
}

/* A signal that ends a call may find a tick that has come while the thread woke up. The kernel hands
 * the tick over first, because it is meant for this thread. It then prepares that the call is made
 * again, because our handler has SA_RESTART, and does not ask whether the other signal's handler has it,
 * too. If it has not, the call is over. */
static void end_restarted_call(ucontext_t *uc)
{
	struct sigaction action = {.sa_flags = SA_RESTART};
	uint64_t pending;
	int number = cps_regs_restarted_call(uc);

	if (number < 0 || !can_fail_with_eintr(uc, number) || !pending_for(uc, &pending) ||
	    !pending)
		return;
	/* The kernel decides by the first signal, which is the one with the lowest number. */
	cps_disposition_get(__builtin_ctzll(pending) + 1, &action);
	if (action.sa_handler != SIG_DFL && action.sa_handler != SIG_IGN &&
	    !(action.sa_flags & SA_RESTART))
		cps_regs_end_call(uc);
}

/* A wrapper makes the call again, or the program sees it. Who waits for a futex looks again at what it
 * waits for anyway. */
static void leave_interrupted(int number)
{
	cps_sample_interrupted++;
	if (number != SYS_futex && !cps_waiting_is_wrapped())
		cps_interrupted_add();
}

/* If another signal is pending, the call would have been interrupted without us, and does not
 * count. A signal that was handled before ours is not pending any more; but then the kernel lets
 * our signal interrupt that signal's handler, not the call. */
static void note(ucontext_t *uc)
{
	uint64_t pending;
	int number;

	if (!may_ask())
		return;
	if (!cps_regs_interrupted_call(uc) && !cps_cut_is_possible(uc)) {
		end_restarted_call(uc);
		return;
	}
	if (cps_masked_is_over(uc) || !pending_for(uc, &pending) || pending)
		return;
	number = cps_regs_call_number(uc);
	if (cps_regs_interrupted_call(uc) && can_be_made_again(uc, number) &&
	    !cps_cut_may_be_returned_to(uc))
		cps_regs_call_again(uc, number);
	else if (cps_cut_was_returned_to(uc))
		return;
	else if (cps_regs_interrupted_call(uc))
		leave_interrupted(number);
	else
		cps_cut_note();
}

/* The handler ends by a system call, and the thread may make the one again that was interrupted. */
void cps_sample_note_interruption(void *context)
{
	note(context);
	cps_sys_calls += 1 + (cps_regs_restarted_call(context) >= 0);
}
