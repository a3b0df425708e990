/* SPDX-License-Identifier: MIT */
/*
 * interruption.c - finds out which system calls our signals have interrupted.
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

#include "arch/arch.h"
#include "base/moment.h"
#include "base/sys.h"
#include "signal/disposition.h"
#include "signal/gate.h"
#include "signal/interruption.h"
#include "signal/sample.h"
#include "signal/waiting.h"
#include "stream/loss.h"
#include "unwind/insn.h"
#include "unwind/module.h"
#include "base/poison.h"

/* ---- displaced ------------------------------------------------------------------------------- */
/*
 * Notes when our handler is not in its place.
 *
 * In: the beginning and the end of such a moment. Out: whether there was one during a call.
 *
 * Order: the moment's beginning is stored before it is counted, and its end counted before that is
 * stored; both are looked at the other way round. So if neither says that there was a moment, there
 * was none.
 */

#define LONGEST UINT64_C(1000000000) /* ns */

_Atomic uint32_t cps_displaced_changes;
static _Atomic uint64_t begun_at; /* 0: our handler is in its place */

void cps_displaced_begin(void)
{
	atomic_store(&begun_at, cps_moment_ns());
	atomic_fetch_add(&cps_displaced_changes, 1);
}

void cps_displaced_end(void)
{
	atomic_fetch_add(&cps_displaced_changes, 1);
	atomic_store(&begun_at, 0);
}

bool cps_displaced_since(uint32_t then)
{
	uint64_t begun = atomic_load(&begun_at);

	return cps_displaced_now() != then || (begun && cps_moment_ns() - begun < LONGEST);
}

/* ---- masked ---------------------------------------------------------------------------------- */
/*
 * In: the mask of such a call. Out: a signal that is blocked either in the call or around it, and
 * by which the handler knows where it is. And it keeps our signals out of calls that must not be
 * interrupted.
 */

#define BIT(s) (UINT64_C(1) << ((s)-1))

__thread struct cps_masked cps_masked_now;
static bool is_watched;
static bool are_ticks; /* our signals are, and the clock can keep them out of calls */

/* Another process may send these signals, but hardly ever does. The first is the most unlikely
 * one. SIGSEGV and SIGBUS are not among them: programs that handle these, such as garbage collectors, may touch
 * protected memory in any handler, and are killed if the signal is blocked then. */
static const uint64_t marks[] = {BIT(SIGFPE), BIT(SIGILL), BIT(SIGTRAP)};

void cps_masked_watch(bool are)
{
	is_watched = true;
	are_ticks = are;
}

static uint64_t first_of(uint64_t set)
{
	for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++)
		if (marks[i] & set)
			return marks[i];
	return 0;
}

static uint64_t change(int how, uint64_t bits)
{
	uint64_t before = 0;

	CPS_SYS(rt_sigprocmask, how, &bits, &before, sizeof(bits));
	return before;
}

/* The call lets one of the signals through: it is blocked around the call. If it comes there, it is
 * handled within the call. (A handler that runs there and leaves by a longjmp which keeps the mask leaves
 * it blocked.) */
static void mark_around(struct cps_masked_call *call, uint64_t bit)
{
	cps_masked_now.bit = call->bit = bit;
	cps_masked_now.is_inside = false;
	call->undo = change(SIG_BLOCK, bit) & bit ? -1 : SIG_UNBLOCK;
}

/* The call blocks all of them. If the target does so too, one that is not pending is let through
 * around the call. */
static void mark_inside(struct cps_masked_call *call)
{
	uint64_t blocked = change(SIG_BLOCK, 0), pending = ~UINT64_C(0);

	cps_masked_now.bit = first_of(~blocked);
	cps_masked_now.is_inside = true;
	if (cps_masked_now.bit)
		return;
	CPS_SYS(rt_sigpending, &pending, sizeof(pending), 0, 0);
	cps_masked_now.bit = first_of(~pending);
	if (cps_masked_now.bit) {
		change(SIG_UNBLOCK, cps_masked_now.bit);
		call->bit = cps_masked_now.bit;
		call->undo = SIG_BLOCK;
	}
}

static __attribute__((noinline)) void mark(struct cps_masked_call *call, uintptr_t frame,
					   const sigset_t *mask)
{
	uint64_t inside, bit;

	if (!cps_sys_readable((uintptr_t)mask))
		return;
	memcpy(&inside, mask, sizeof(inside));
	bit = first_of(~inside);
	if (bit)
		mark_around(call, bit);
	else
		mark_inside(call);
	cps_masked_now.frame = cps_masked_now.bit ? frame : 0;
}

/* After the end of the recording a filter may forbid the calls that are made here. Most waits have no mask, and take no
 * stack for one: threads may have little. */
void cps_masked_begin(struct cps_masked_call *call, uintptr_t frame, const sigset_t *mask)
{
	*call = (struct cps_masked_call){.before = cps_masked_now, .undo = -1};
	if (!cps_masked_now.is_quiet)
		cps_masked_now.frame = cps_masked_now.held = 0;
	if (mask && is_watched && cps_gate_is_open())
		mark(call, frame, mask);
}

/* A call that comes to its end was not left by longjmp, whatever cps_masked_forget has made of it:
 * a handler may run on a stack that lies above this one. */
void cps_masked_end(const struct cps_masked_call *call)
{
	if (call->undo >= 0)
		change(call->undo, call->bit);
	if (cps_masked_now.is_quiet && !call->before.is_quiet)
		cps_waiting_let_go();
	cps_masked_now = call->before;
}

struct cps_masked_call cps_masked_hold(uintptr_t frame)
{
	struct cps_masked_call call = {.before = cps_masked_now, .undo = -1};
	uint64_t ours;

	cps_masked_now.frame = 0;
	if (!is_watched || !cps_gate_is_open())
		return call;
	if (are_ticks) {
		if (!call.before.is_quiet)
			cps_waiting_hold();
		cps_masked_now = (struct cps_masked){.frame = frame, .is_quiet = true};
		return call;
	}
	ours = BIT(CPS_SIGNAL_OWN) | BIT(cps_sample_signal());
	call.bit = ours & ~change(SIG_BLOCK, ours);
	call.undo = SIG_UNBLOCK;
	cps_masked_now = (struct cps_masked){.frame = frame, .held = call.bit};
	return call;
}

const sigset_t *cps_masked_awaited(const sigset_t *set, uint64_t *copy)
{
	if (!is_watched || !cps_gate_is_open() || !cps_sys_readable((uintptr_t)set))
		return set;
	memcpy(copy, set, sizeof(*copy));
	if (!(*copy & BIT(CPS_SIGNAL_OWN)))
		return set;
	*copy &= ~BIT(CPS_SIGNAL_OWN);
	return (const sigset_t *)copy;
}

void cps_masked_leave(void)
{
	const struct cps_masked left = cps_masked_now;

	cps_masked_now.frame = cps_masked_now.held = 0;
	cps_masked_now.is_quiet = false;
	if (left.held)
		change(SIG_UNBLOCK, left.held);
	if (left.is_quiet)
		cps_waiting_let_go();
}

/* In our handler: whether the context is that of a masked call that is over, because a handler of the target's
 * has run. */
static bool cps_masked_is_over(const ucontext_t *uc)
{
	return cps_regs_is_below(uc, cps_masked_now.frame) &&
	       !(change(SIG_BLOCK, 0) & cps_masked_now.bit) == cps_masked_now.is_inside;
}

/* ---- transfer cut ---------------------------------------------------------------------------- */
/*
 * Keeps what the handler has seen of the call that its thread is in.
 *
 * In: frames of wrapped calls, contexts of ticks. Out: whether a call was cut short. If a call is
 * left by longjmp its frame stays, which does no harm: the next call sets its own.
 */

__thread struct cps_transfer_cut_state cps_transfer_cut_state;

/* For the handler: whether this is the end of a call that was announced by cps_transfer_cut_begin and has
 * transferred something. A call that a handler of the target's makes is not meant. */
static bool cps_transfer_cut_is_possible(const ucontext_t *uc)
{
	return cps_transfer_cut_state.frame &&
	       cps_regs_is_below(uc, cps_transfer_cut_state.frame) &&
	       cps_regs_call_result(uc) > 0 && cps_regs_is_behind_call(uc);
}

/* A thread may find contexts on its stack that are those of a thread which had this memory before, so
 * each counts in a range of its own. */
void cps_transfer_cut_begin_numbers(void)
{
	enum { RANGE_BITS = 40 };
	static _Atomic uint64_t ranges;

	cps_transfer_cut_state.number =
		(atomic_fetch_add_explicit(&ranges, 1, memory_order_relaxed) + 1) << RANGE_BITS;
}

static bool is_readable(uintptr_t from, uintptr_t to)
{
	return cps_sys_readable(from & ~(uintptr_t)7) && cps_sys_readable(to & ~(uintptr_t)7);
}

/*
 * The context is then also in the memory below the stack pointer, where the kernel had saved it for
 * that handler. Returns it, and in *state where its floating-point registers are; NULL if there is no such
 * context. Our own frame is not there, because it is on the alternate stack. If it is there, or if the
 * target's handler was on that stack, nothing is found.
 */
static const ucontext_t *same_below(const ucontext_t *uc, uintptr_t *state)
{
	const ucontext_t *old = (const ucontext_t *)cps_regs_place_of_context(
		uc, cps_regs_interrupted_sp(uc) - CPS_RED_ZONE, state);

	/* The two lie in a frame that is smaller than a page. */
	if (!old || old == uc || !is_readable((uintptr_t)old, *state + CPS_REGS_STATE_BYTES - 1))
		return NULL;
	return cps_regs_is_same(old, uc) ? old : NULL;
}

/* The same for a call that has no number. It may also be that the handler had returned to an earlier one, made
 * at the same place with the same arguments. */
static bool cps_transfer_cut_may_be_returned_to(const ucontext_t *uc)
{
	uintptr_t state = 0;

	return same_below(uc, &state) != NULL;
}

/* For the handler: whether a handler of the target's has just returned to the end of a call that has a number.
 * It is that handler's signal which has ended the call. A tick that comes while the handler returns looks as if
 * it had ended the call, which that handler's signal had. The number of the call tells whether this context is
 * that of an earlier one. */
static bool cps_transfer_cut_was_returned_to(const ucontext_t *uc)
{
	uintptr_t state = 0;
	uint64_t number = cps_regs_context_number(uc);

	return number && same_below(uc, &state) && cps_regs_number(state) == number;
}

/* For the handler, if neither that is so nor another signal is pending: the call was cut by a tick. */
static void cps_transfer_cut_note(void)
{
	cps_transfer_cut_state.is_cut = true;
}

/* ---- interruption ---------------------------------------------------------------------------- */
/*
 * In: the context of a signal. Out: a count for the wrappers, a call that is made again, or one
 * that is not made again; and whether the program makes calls that no wrapper sees, and that ticks
 * end.
 */

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

/* Whether a read of this file that has got something may wait for more (transfer_finish.c). */
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
	    !cps_regs_is_behind_call(uc) || cps_transfer_cut_is_possible(uc) || is_trusted(pc) ||
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
	if (!cps_regs_interrupted_call(uc) && !cps_transfer_cut_is_possible(uc)) {
		end_restarted_call(uc);
		return;
	}
	if (cps_masked_is_over(uc) || !pending_for(uc, &pending) || pending)
		return;
	number = cps_regs_interrupted_call(uc) ? call_number(uc) : -1;
	if (CPS_REGS_KEEPS_FIRST && cps_regs_interrupted_call(uc) &&
	    can_be_made_again(uc, number) && !cps_transfer_cut_may_be_returned_to(uc))
		cps_regs_call_again(uc, number);
	else if (cps_transfer_cut_was_returned_to(uc))
		return;
	else if (cps_regs_interrupted_call(uc))
		leave_interrupted(number);
	else
		cps_transfer_cut_note();
}

/* The handler ends by a system call, and the thread may make the one again that was interrupted. */
void cps_sample_note_interruption(void *context)
{
	note(context);
	cps_sys_calls += 1 + (cps_regs_restarted_call(context) >= 0);
}
