/* SPDX-License-Identifier: MIT */
/*
 * interruption.c - finds out which system calls our signals have interrupted.
 *
 * In: the context of a signal. Out: a count for the wrappers, a call that is made again, or one that
 * is not made again; and whether the program makes calls that no wrapper sees, and that ticks end.
 */
#include <fcntl.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/uio.h>
#include <time.h>

#include "base/sys.h"
#include "signal/cut.h"
#include "signal/disposition.h"
#include "signal/gate.h"
#include "signal/masked.h"
#include "signal/sample.h"
#include "signal/waiting.h"
#include "stream/interrupted.h"
#include "unwind/insn.h"
#include "unwind/module.h"
#include "unwind/regs.h"
#include "base/poison.h"

__thread uint32_t cps_sample_interrupted;
static atomic_bool is_confined, is_filtered;

void cps_sample_confine(void)
{
	atomic_store(&is_confined, true);
}

void cps_sample_filter(void)
{
	atomic_store(&is_filtered, true);
}

/* Signals still come after the end: that which has ended the recording, and those that the target is sent
 * for a recording of signals. They must not end its calls either. */
static bool may_ask(void)
{
	return cps_gate_is_open() || !atomic_load(&is_confined);
}

static int call_number(const ucontext_t *uc)
{
	struct cps_regs regs;

	cps_regs_of_context(&regs, uc);
	return cps_insn_call_number(&regs);
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

/* The kernel has put there what is left of the time, if it may write there. */
static bool is_told(uintptr_t limit, size_t bytes)
{
	struct iovec here = {(void *)limit, bytes};

	if (atomic_load(&is_filtered))
		return false;
	return cps_sys6(SYS_process_vm_writev, cps_sys_getpid(), (long)&here, 1, (long)&here, 1,
			0) == (long)bytes;
}

static bool has_no_limit(uintptr_t limit, size_t bytes)
{
	return !limit || is_told(limit, bytes);
}

/* Programs and libraries make such calls by instructions of their own, which no wrapper sees. A call that
 * waits for a time from its beginning is left as it is, unless the kernel says what is left, since the whole time would
 * begin again; and so is one that changes the mask of signals, since it is not known what that lets through. */
static bool can_be_made_again(const ucontext_t *uc, int number)
{
	uintptr_t first = cps_regs_call_argument(uc, 1), second = cps_regs_call_argument(uc, 2);
	uintptr_t third = cps_regs_call_argument(uc, 3), fourth = cps_regs_call_argument(uc, 4);
	uintptr_t fifth = cps_regs_call_argument(uc, 5), sixth = cps_regs_call_argument(uc, 6);

	switch (number) {
	case SYS_io_uring_enter:
		return can_enter_again(uc);
	case SYS_pause:
	case SYS_semop:
	case SYS_msgrcv:
	case SYS_msgsnd:
		return true;
	case SYS_semtimedop:
		return !fourth;
	case SYS_rt_sigtimedwait:
		return !third;
	case SYS_futex:
		return (second & FUTEX_CMD_MASK) == FUTEX_WAIT_BITSET;
	case SYS_io_getevents:
	case SYS_io_pgetevents:
		return !fifth;
	case SYS_select:
		return has_no_limit(fifth, sizeof(struct timeval));
	case SYS_pselect6:
		return !sixth && has_no_limit(fifth, sizeof(struct timespec));
	case SYS_poll:
		return (int)third < 0;
	case SYS_ppoll:
		return !fourth && has_no_limit(third, sizeof(struct timespec));
	case SYS_nanosleep:
		return first == second && is_told(second, sizeof(struct timespec));
	case SYS_epoll_wait:
		return (int)fourth < 0;
	case SYS_epoll_pwait:
		return (int)fourth < 0 && !fifth;
	case SYS_epoll_pwait2:
		return !fourth && !fifth;
	case SYS_clock_nanosleep:
		return second & TIMER_ABSTIME ||
		       (third == fourth && is_told(fourth, sizeof(struct timespec)));
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

/* ---- transfers that no wrapper sees ---------------------------------------------------------- */

#define TRUSTED 4
#define LATEST	470 /* newer calls are not known here */

/* Where code goes on by itself with its own calls. */
static _Atomic uint32_t trusted[TRUSTED] = {CPS_MODULE_NONE, CPS_MODULE_NONE, CPS_MODULE_NONE,
					    CPS_MODULE_NONE};

void cps_sample_trust(uintptr_t address)
{
	uint32_t number = cps_module_find(address);

	for (size_t i = 0; i < TRUSTED && number != CPS_MODULE_NONE; i++) {
		uint32_t none = CPS_MODULE_NONE;

		if (atomic_load(&trusted[i]) == number ||
		    atomic_compare_exchange_strong(&trusted[i], &none, number))
			break;
	}
}

static bool is_trusted(uintptr_t pc)
{
	uint32_t number = cps_module_find(pc);

	if (number == CPS_MODULE_NONE)
		return false;
	for (size_t i = 0; i < TRUSTED; i++)
		if (atomic_load_explicit(&trusted[i], memory_order_relaxed) == number)
			return true;
	return cps_module_get(number)->is_own || cps_module_get(number)->is_vdso;
}

/* Under a filter what cannot be asked for is taken to be so. */
static bool does_wait(int fd)
{
	long flags = atomic_load(&is_filtered) ? 0 : CPS_SYS(fcntl, fd, F_GETFL, 0, 0);

	return flags >= 0 && !(flags & O_NONBLOCK);
}

/* Whether a read of this file that has got something may wait for more (whole.c). */
static bool reads_on(int fd, uintptr_t flags)
{
	struct stat s;
	uint64_t gap;
	int least = 1;
	socklen_t bytes = sizeof(least);

	if (atomic_load(&is_filtered))
		return true;
	if (CPS_SYS(fstat, fd, &s, 0, 0) != 0)
		return false;
	if (S_ISCHR(s.st_mode))
		return major(s.st_rdev) == 1 || s.st_rdev == makedev(10, 183) ||
		       cps_sys_terminal_least(fd, &gap) > 1;
	if (!S_ISSOCK(s.st_mode))
		return false;
	cps_sys6(SYS_getsockopt, fd, SOL_SOCKET, SO_RCVLOWAT, (long)&least, (long)&bytes, 0);
	return flags & MSG_WAITALL || least > 1;
}

static uintptr_t bytes_of(uintptr_t vector, uintptr_t n)
{
	const struct iovec *all = (const struct iovec *)vector;
	uintptr_t bytes = 0;

	for (uintptr_t i = 0; i < n && cps_sys_readable((uintptr_t)&all[i]); i++)
		bytes += all[i].iov_len;
	return bytes;
}

static uintptr_t bytes_of_message(uintptr_t message)
{
	const struct msghdr *m = (const struct msghdr *)message;

	if (!cps_sys_readable(message) ||
	    !cps_sys_readable(message + sizeof(*m) - sizeof(uint64_t)))
		return 0;
	return bytes_of((uintptr_t)m->msg_iov, m->msg_iovlen);
}

/* Of several messages the last one may have been transferred in part. */
static bool is_last_partial(uintptr_t messages, uintptr_t n)
{
	const struct mmsghdr *last = (const struct mmsghdr *)messages + n - 1;

	return cps_sys_readable((uintptr_t)last) &&
	       cps_sys_readable((uintptr_t)(last + 1) - sizeof(uint64_t)) &&
	       last->msg_len < bytes_of_message((uintptr_t)last);
}

/* Whether a call may have been cut short that has returned more than 0: it has transferred less than it was asked for,
 * and that is not what it does without a signal, too. */
static bool may_be_cut(const ucontext_t *uc, int number)
{
	uintptr_t result = (uintptr_t)cps_regs_call_result(uc);
	uintptr_t second = cps_regs_call_argument(uc, 2), third = cps_regs_call_argument(uc, 3);
	uintptr_t fourth = cps_regs_call_argument(uc, 4);
	int fd = (int)cps_regs_call_argument(uc, 1);

	switch (number) {
	case SYS_read:
	case SYS_pread64:
		return result < third && reads_on(fd, 0);
	case SYS_recvfrom:
		return result < third && reads_on(fd, fourth);
	case SYS_readv:
	case SYS_preadv:
	case SYS_preadv2:
		return result < bytes_of(second, third) && reads_on(fd, 0);
	case SYS_recvmsg:
		return result < bytes_of_message(second) && reads_on(fd, third);
	case SYS_write:
	case SYS_pwrite64:
	case SYS_sendto:
		return result < third && does_wait(fd);
	case SYS_writev:
	case SYS_pwritev:
	case SYS_pwritev2:
		return result < bytes_of(second, third) && does_wait(fd);
	case SYS_sendmsg:
		return result < bytes_of_message(second) && does_wait(fd);
	case SYS_sendmmsg:
		return (result < (unsigned)third || is_last_partial(second, result)) &&
		       does_wait(fd);
	case SYS_recvmmsg:
		return result < (unsigned)third && !(fourth & MSG_WAITFORONE) && does_wait(fd);
	case SYS_sendfile:
		return result < fourth && does_wait(fd);
	case SYS_splice:
	case SYS_copy_file_range:
		return result < cps_regs_call_argument(uc, 5);
	case SYS_getrandom:
		return result < second;
	case SYS_io_getevents:
	case SYS_io_pgetevents:
		return result < second;
	case SYS_io_uring_enter:
		return third && result == (unsigned)second;
	default:
		return number < 0 || number > LATEST;
	}
}

void cps_sample_note_unseen(const ucontext_t *uc)
{
	uint64_t pending;
	uintptr_t pc = cps_regs_pc(uc);

	if (cps_regs_call_result(uc) <= 0 || cps_interrupted_ever() || !may_ask() ||
	    !cps_regs_is_behind_call(uc) || cps_cut_is_possible(uc) || is_trusted(pc) ||
	    !may_be_cut(uc, call_number(uc)))
		return;
	if (pending_for(uc, &pending) && !pending)
		cps_interrupted_add();
}

/* ---------------------------------------------------------------------------------------------- */

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
	number = cps_regs_interrupted_call(uc) ? call_number(uc) : -1;
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
