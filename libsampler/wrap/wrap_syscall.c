/* SPDX-License-Identifier: MIT */
/*
 * wrap_syscall.c - sends calls of syscall(2) to the wrappers of the same system calls.
 *
 * They end as they would have ended without a tick, like those that the C library has functions
 * for: transfers are finished (transfer_finish.h), waits are made again with what is left of their time
 * (eintr_restart.h), and what allows neither is not interrupted (signal/interruption.h).
 */
#undef _FORTIFY_SOURCE /* it would define the wrapped functions inline */
#include <errno.h>
#include <linux/aio_abi.h>
#include <linux/bpf.h>
#include <linux/futex.h>
#include <linux/io_uring.h>
#include <pthread.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "arch/arch.h"
#include "base/sys.h"
#include "resource/lock.h"
#include "wrap/eintr_restart.h"
#include "wrap/transfer_finish.h"
#include "wrap/wrap.h"

/* ---- by number ------------------------------------------------------------------------------- */
/*
 * Makes system calls by their numbers, and goes on with them if a tick has ended them.
 *
 * In: a number and its arguments. Out: the result that the kernel would have given without the
 * tick. The first attempt is always the very call that the target makes. What the wrappers of the
 * same calls do after that is done here, too; since some of it may end a thread that is being
 * cancelled, which syscall(2) does not, that waits until it is done.
 */

struct cps_by_number {
	long number, a[6];
	uint64_t kept; /* what its rest needs from before the call */
};

/* Whether the call is one that programs may make as often as they can, so that its maker looks after it as long as no
 * tick meets it. */
static bool cps_by_number_is_frequent(long number)
{
	return number == SYS_read || number == SYS_write || number == SYS_readv ||
	       number == SYS_writev || number == SYS_pread64 || number == SYS_pwrite64 ||
	       number == SYS_recvfrom || number == SYS_sendto || number == SYS_recvmsg ||
	       number == SYS_sendmsg;
}

/* Threads may have little stack: what a call does not need is not on it. */
#define LITTLE __attribute__((noinline))

#define LATEST	470 /* newer calls are not known here */
#define NUMBERS 512

#define ABS_TIMER  32 /* IORING_ENTER_ABS_TIMER, since Linux 6.12 */
#define REGISTERED 64 /* IORING_ENTER_EXT_ARG_REG, since Linux 6.13 */

/* What a call is that a signal can end before its time. */
enum kind {
	NOT_ENDED, /* it is none */
	TRANSFER,  /* `at` is the descriptor that it may wait for, until there are `events` */
	ENDLESS,   /* a wait without a limit, or until a time of day */
	MILLISECONDS,
	RELATIVE, /* a wait with a limit from its beginning on */
	TOLD,	  /* the same; the kernel puts there what is left of it */
	TOLD_US,  /* the same, as a timeval */
	SLEEP,
	SLEEP_BY, /* a clock */
	RING,
	HELD /* the call cannot be gone on with */
};

/* Where in its arguments it has its descriptor or limit, and a set of signals that are blocked meanwhile: by numbers
 * from 1 on; 0: it has none. */
struct form {
	uint8_t kind, at, mask;
	bool is_mask_pair; /* of its address and its size */
	short events;
};

/* clang-format off */
#define READS(n)		    {TRANSFER, n, 0, false, POLLIN}
#define WRITES(n)		    {TRANSFER, n, 0, false, POLLOUT}
#define WAITS(limit, n)		    {limit, n, 0, false, 0}
#define MASKED_WAIT(limit, n, mask) {limit, n, mask, false, 0}
#define PAIRED_WAIT(limit, n, mask) {limit, n, mask, true, 0}

static const struct form forms[NUMBERS] = {
	[SYS_read] = READS(1),		     [SYS_readv] = READS(1),	  [SYS_pread64] = READS(1),
	[SYS_preadv] = READS(1),	     [SYS_preadv2] = READS(1),	  [SYS_recvfrom] = READS(1),
	[SYS_recvmsg] = READS(1),	     [SYS_recvmmsg] = READS(1),	  [SYS_accept] = READS(1),
	[SYS_accept4] = READS(1),	     [SYS_write] = WRITES(1),	  [SYS_writev] = WRITES(1),
	[SYS_pwrite64] = WRITES(1),	     [SYS_pwritev] = WRITES(1),	  [SYS_pwritev2] = WRITES(1),
	[SYS_sendto] = WRITES(1),	     [SYS_sendmsg] = WRITES(1),	  [SYS_sendmmsg] = WRITES(1),
	[SYS_connect] = WRITES(1),	     [SYS_sendfile] = WRITES(1),  [SYS_splice] = WRITES(3),
	[SYS_copy_file_range] = WRITES(3),   [SYS_getrandom] = READS(0),  [SYS_getdents] = READS(0),
	[SYS_getdents64] = READS(0),

	[SYS_poll] = WAITS(MILLISECONDS, 3),	    [SYS_ppoll] = MASKED_WAIT(TOLD, 3, 4),
	[SYS_select] = WAITS(TOLD_US, 5),	    [SYS_pselect6] = PAIRED_WAIT(TOLD, 5, 6),
	[SYS_epoll_wait] = WAITS(MILLISECONDS, 4),  [SYS_epoll_pwait] = MASKED_WAIT(MILLISECONDS, 4, 5),
	[SYS_rt_sigtimedwait] = WAITS(RELATIVE, 3), [SYS_epoll_pwait2] = MASKED_WAIT(RELATIVE, 4, 5),
	[SYS_pause] = WAITS(ENDLESS, 0),	    [SYS_rt_sigsuspend] = MASKED_WAIT(ENDLESS, 0, 1),
	[SYS_semop] = WAITS(ENDLESS, 0),	    [SYS_semtimedop] = WAITS(RELATIVE, 4),
	[SYS_msgrcv] = WAITS(ENDLESS, 0),	    [SYS_msgsnd] = WAITS(ENDLESS, 0),
	[SYS_io_getevents] = WAITS(RELATIVE, 5),    [SYS_io_pgetevents] = PAIRED_WAIT(RELATIVE, 5, 6),
	[SYS_ioctl] = WAITS(ENDLESS, 0),	    [SYS_futex] = WAITS(RELATIVE, 4),
	[SYS_nanosleep] = WAITS(SLEEP, 0),	    [SYS_clock_nanosleep] = WAITS(SLEEP_BY, 0),
	[SYS_io_uring_enter] = WAITS(RING, 0),	    [SYS_fallocate] = WAITS(HELD, 0),
	[SYS_bpf] = WAITS(HELD, 0),		    [SYS_swapoff] = WAITS(HELD, 0),
};
/* clang-format on */

static long make(const struct cps_by_number *c)
{
	return cps_sys6(c->number, c->a[0], c->a[1], c->a[2], c->a[3], c->a[4], c->a[5]);
}

/* ---- transfers ------------------------------------------------------------------------------- */

#define ONE(start, bytes)                                                                          \
	(one = (struct iovec){(void *)(start), (size_t)(bytes)}, &one), CPS_WHOLE_ONE
#define VECTOR(start) (const struct iovec *)(start)

/* Those of recvfrom and sendto, or of preadv2 and pwritev2; read, preadv and the like have none. */
static int flags_of(const struct cps_by_number *c)
{
	if (c->number == SYS_recvfrom || c->number == SYS_sendto)
		return (int)c->a[3];
	return c->number == SYS_preadv2 || c->number == SYS_pwritev2 ? (int)c->a[5] : 0;
}

static inline __attribute__((always_inline)) long rest_of(struct cps_eintr_restart_wait *w,
							  struct cps_by_number *c, long done)
{
	const long *a = c->a;
	struct msghdr *m = (struct msghdr *)a[1];
	int fd = (int)a[0], flags = flags_of(c);
	struct iovec one;

	switch (c->number) {
	case SYS_read:
	case SYS_recvfrom:
		return cps_transfer_finish_read(w, fd, ONE(a[1], a[2]), flags, done);
	case SYS_readv:
		return cps_transfer_finish_read(w, fd, VECTOR(a[1]), (size_t)a[2], 0, done);
	case SYS_recvmsg:
		return cps_transfer_finish_message(w, fd, m, c->kept, (int)a[2], done);
	case SYS_recvmmsg:
		return cps_transfer_finish_received(w, fd, (struct mmsghdr *)a[1], (unsigned)a[2],
						    (int)a[3], (struct timespec *)a[4], c->kept,
						    (int)done);
	case SYS_pread64:
		return cps_transfer_finish_read_at(w, fd, ONE(a[1], a[2]), a[3], 0, done);
	case SYS_preadv:
	case SYS_preadv2:
		return cps_transfer_finish_read_at(w, fd, VECTOR(a[1]), (size_t)a[2], a[3], flags,
						   done);
	case SYS_write:
	case SYS_sendto:
		return cps_transfer_finish_write(w, fd, ONE(a[1], a[2]), flags, done);
	case SYS_writev:
		return cps_transfer_finish_write(w, fd, VECTOR(a[1]), (size_t)a[2], 0, done);
	case SYS_sendmsg:
		return cps_transfer_finish_write(w, fd, m->msg_iov, m->msg_iovlen, (int)a[2], done);
	case SYS_sendmmsg:
		return cps_transfer_finish_sent(w, fd, (struct mmsghdr *)a[1], (unsigned)a[2],
						(int)a[3], (int)done);
	case SYS_pwrite64:
		return cps_transfer_finish_write_at(w, fd, ONE(a[1], a[2]), a[3], 0, done);
	case SYS_pwritev:
	case SYS_pwritev2:
		return cps_transfer_finish_write_at(w, fd, VECTOR(a[1]), (size_t)a[2], a[3], flags,
						    done);
	case SYS_sendfile:
		return cps_transfer_finish_sendfile(w, fd, (int)a[1], (off64_t *)a[2], (size_t)a[3],
						    done);
	case SYS_splice:
		return cps_transfer_finish_splice(w, fd, (off64_t *)a[1], (int)a[2],
						  (off64_t *)a[3], (size_t)a[4], (unsigned)a[5],
						  done);
	case SYS_copy_file_range:
		return cps_transfer_finish_copy(w, fd, (off64_t *)a[1], (int)a[2], (off64_t *)a[3],
						(size_t)a[4], (unsigned)a[5], done);
	case SYS_getrandom:
		return cps_transfer_finish_random(w, (void *)a[0], (size_t)a[1], (unsigned)a[2],
						  done);
	case SYS_getdents:
	case SYS_getdents64:
		return cps_transfer_finish_entries(c->number, fd, (void *)a[1], (unsigned)a[2],
						   done);
	default:
		return done;
	}
}

/* Whether a call that has failed with EINTR is to be made again, when its socket is ready. *result is what the target
 * gets if not. */
static LITTLE bool is_again(struct cps_eintr_restart_wait *w, const struct cps_by_number *c,
			    const struct form *form, long *result)
{
	int state, fd;
	bool is;

	if (!form->at)
		return cps_eintr_restart_after_eintr(w);
	fd = (int)c->a[form->at - 1];
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
	errno = EINTR;
	if (c->number == SYS_connect) {
		*result = cps_socket_time_connect(w, fd, (const struct sockaddr *)c->a[1],
						  (socklen_t)c->a[2]);
		is = false;
	} else {
		is = cps_socket_time_again(w, fd, form->events, EAGAIN);
		*result = -1;
	}
	*result = *result < 0 ? -errno : *result;
	pthread_setcancelstate(state, NULL);
	return is;
}

static LITTLE long finish(struct cps_eintr_restart_wait *w, struct cps_by_number *c, long done)
{
	int state;

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
	done = rest_of(w, c, done);
	pthread_setcancelstate(state, NULL);
	return done;
}

static LITTLE long make_cuttable(bool *is_cut, const struct cps_by_number *c)
{
	return CPS_CUTTABLE(is_cut, make(c));
}

static inline __attribute__((always_inline)) long
go_on(struct cps_eintr_restart_wait *w, struct cps_by_number *c, long result, bool is_cut)
{
	while (result == -EINTR && is_again(w, c, &forms[c->number], &result))
		result = make_cuttable(&is_cut, c);
	return is_cut && result > 0 ? finish(w, c, result) : result;
}

static LITTLE long transfer(struct cps_by_number *c)
{
	struct cps_eintr_restart_wait w = cps_socket_time_begin();
	bool is_cut;
	long result = make_cuttable(&is_cut, c);

	return go_on(&w, c, result, is_cut);
}

/* Such a call has begun so, by cps_eintr_restart_start and cps_transfer_cut_begin, which has returned `outer`,
 * and has this result. A tick has met it. Returns the result that the target gets, or -errno. cps_waiting_end
 * must follow here, too. */
static LITTLE long cps_by_number_go_on(struct cps_by_number *c,
				       struct cps_eintr_restart_start start, uintptr_t outer,
				       long result)
{
	struct cps_eintr_restart_wait w = cps_eintr_restart_wait_of(start, 0);

	return go_on(&w, c, result, cps_transfer_cut_end(outer));
}

/* ---- waits ----------------------------------------------------------------------------------- */

static LITTLE long make_masked(const sigset_t *mask, const struct cps_by_number *c)
{
	return CPS_MASKED(mask, make(c));
}

static const sigset_t *mask_of(const struct form *form, const long a[6])
{
	uintptr_t mask = form->mask ? (uintptr_t)a[form->mask - 1] : 0;

	if (form->is_mask_pair && mask) {
		if (!cps_sys_readable(mask))
			return NULL;
		memcpy(&mask, (const void *)mask, sizeof(mask));
	}
	return (const sigset_t *)mask;
}

/* What is left of a limit that the kernel has changed. It has not if it may not write there; then it is what it was. */
union told {
	struct timespec time;
	struct timeval us;
};

static size_t told_bytes(const struct form *form)
{
	return form->kind == TOLD_US ? sizeof(struct timeval) : sizeof(struct timespec);
}

static void read_told(struct cps_eintr_restart_wait *w, const struct form *form, void *user)
{
	struct timespec left;
	union told told;

	memcpy(&told, user, told_bytes(form));
	left = told.time;
	if (form->kind == TOLD_US)
		left = (struct timespec){told.us.tv_sec, (told.us.tv_usec + 1) * 1000};
	cps_eintr_restart_set_remaining(w, &left);
	if (cps_eintr_restart_give(user, &told, told_bytes(form)))
		w->until -= cps_eintr_restart_now(w) - w->start;
	cps_eintr_restart_shorten(w);
}

/* The next attempt has the limit in a place of ours. */
static void set_told(const struct cps_eintr_restart_wait *w, const struct form *form,
		     union told *told)
{
	told->time = *w->timeout;
	if (form->kind == TOLD_US)
		told->us = (struct timeval){w->left.tv_sec, (w->left.tv_nsec + 999) / 1000};
}

/* Waits in calls by which the target is told what is left. */
static LITTLE long wait_told(struct cps_by_number *c, const struct form *form)
{
	long *limit = &c->a[form->at - 1];
	void *user = (void *)*limit;
	struct cps_eintr_restart_wait w =
		cps_eintr_restart_begin_at(user ? cps_eintr_restart_time(CLOCK_MONOTONIC) : 0);
	const sigset_t *mask = mask_of(form, c->a);
	union told told;
	long result;

	while ((result = make_masked(mask, c)) == -EINTR && cps_eintr_restart_after_eintr(&w)) {
		if (!user)
			continue;
		if (!w.timeout)
			read_told(&w, form, user);
		set_told(&w, form, &told);
		*limit = (long)&told;
	}
	if (*limit != (long)user)
		cps_eintr_restart_give(user, &told, told_bytes(form));
	return result;
}

/* Of events some have come, and the call waits for the others. */
static bool takes_events(struct cps_by_number *c, struct cps_eintr_restart_wait *w, long result,
			 long *done)
{
	if ((c->number != SYS_io_getevents && c->number != SYS_io_pgetevents) || result <= 0 ||
	    result >= c->a[1])
		return false;
	*done += result;
	c->a[1] -= result;
	c->a[2] -= result;
	c->a[3] += result * (long)sizeof(struct io_event);
	cps_eintr_restart_shorten(w);
	return true;
}

static LITTLE long wait_in(struct cps_by_number *c, const struct form *form)
{
	long none = 0, *limit = form->at ? &c->a[form->at - 1] : &none;
	const int ms = form->kind == MILLISECONDS ? (int)*limit : 0;
	const bool is_limited = form->kind == RELATIVE ? *limit != 0 : ms > 0;
	const sigset_t *mask = mask_of(form, c->a);
	struct cps_eintr_restart_wait w = cps_eintr_restart_begin_at(
		is_limited ? cps_eintr_restart_time(CLOCK_MONOTONIC) : 0);
	long result, done = 0;
	uint64_t signals;
	bool is_cut;

	if (c->number == SYS_rt_sigtimedwait)
		c->a[0] = (long)cps_masked_awaited((const sigset_t *)c->a[0], &signals);
	if (form->kind == RELATIVE)
		w.timeout = (const struct timespec *)*limit;
	else if (is_limited)
		w.until = w.start + (uint64_t)ms * 1000000;
	for (;;) {
		result = CPS_CUTTABLE(&is_cut, make_masked(mask, c));
		if (!(result == -EINTR && cps_eintr_restart_after_eintr(&w)) &&
		    !(is_cut && takes_events(c, &w, result, &done)))
			break;
		if (form->kind == MILLISECONDS)
			*limit = cps_eintr_restart_ms_left(&w, ms);
		else if (form->kind == RELATIVE)
			*limit = (long)w.timeout;
	}
	return result > 0 ? done + result : done ? done : result;
}

static int sleep_for(clockid_t clock, int flags, const struct timespec *request,
		     struct timespec *remaining)
{
	(void)clock, (void)flags;
	return -(int)make(
		&(struct cps_by_number){SYS_nanosleep, {(long)request, (long)remaining}, 0});
}

static int sleep_by(clockid_t clock, int flags, const struct timespec *request,
		    struct timespec *remaining)
{
	return -(int)make(&(struct cps_by_number){
		SYS_clock_nanosleep, {clock, flags, (long)request, (long)remaining}, 0});
}

/* ---- io_uring -------------------------------------------------------------------------------- */

/* What a call that waits for completions is told beside their number: struct io_uring_getevents_arg. */
struct ring_wait {
	uint64_t mask;
	uint32_t mask_bytes, min_wait;
	uint64_t time;
};

/* Whether the call says so in memory; then *told is what it says. */
static bool read_ring_wait(const struct cps_by_number *c, struct ring_wait *told)
{
	if (!(c->a[3] & IORING_ENTER_EXT_ARG) || (size_t)c->a[5] != sizeof(*told) ||
	    !cps_sys_readable((uintptr_t)c->a[4]) ||
	    !cps_sys_readable((uintptr_t)c->a[4] + sizeof(*told) - sizeof(uint64_t)))
		return false;
	memcpy(told, (const void *)c->a[4], sizeof(*told));
	return true;
}

/* The kernel returns how many requests it has taken, if any, also if its wait has ended before its time. Then this waits
 * on. */
static LITTLE long enter_ring(struct cps_by_number *c)
{
	struct ring_wait told = {0, 0, 0, 0};
	bool is_told = read_ring_wait(c, &told), is_cut;
	uintptr_t limit = c->a[3] & ABS_TIMER ? 0 : told.time;
	uintptr_t mask = c->a[3] & IORING_ENTER_EXT_ARG ? told.mask : (uintptr_t)c->a[4];
	struct cps_eintr_restart_wait w =
		cps_eintr_restart_begin_timeout((const struct timespec *)limit);
	bool waits = c->a[3] & IORING_ENTER_GETEVENTS && (unsigned)c->a[2];
	long result, taken = 0;

	for (;;) {
		result = CPS_CUTTABLE(&is_cut, make_masked((const sigset_t *)mask, c));
		if (is_cut && waits && result > 0 && result == (long)(unsigned)c->a[1]) {
			taken = result;
			c->a[1] = 0;
			cps_eintr_restart_shorten(&w);
		} else if (result != -EINTR || !cps_eintr_restart_after_eintr(&w)) {
			return taken ? taken : result;
		}
		if (is_told && limit) {
			told.time = (uintptr_t)w.timeout;
			c->a[4] = (long)&told;
		}
	}
}

/* ---- all of them ----------------------------------------------------------------------------- */

static LITTLE long hold(const struct cps_by_number *c)
{
	return CPS_HELD(make(c));
}

/* Set in a table of 512 bits those of the calls that a signal could end before their time, and those that are
 * not known here. */
static void cps_by_number_list(uint64_t table[NUMBERS / 64])
{
	for (unsigned n = 0; n < NUMBERS; n++)
		if (forms[n].kind != NOT_ENDED || n > LATEST)
			table[n / 64] |= UINT64_C(1) << n % 64;
}

/* Make such a call, whose number is less than 512. Returns the result, or -errno. Like syscall(2) this does not
 * end a thread that is being cancelled. errno stays as it is. cps_waiting_end must follow, which tells the
 * clock: that takes some stack, and the state of the call is not there any more then. */
static long cps_by_number_make(struct cps_by_number *c)
{
	const struct form *form = &forms[c->number];
	const long *a = c->a, what = (int)*a;

	switch ((enum kind)form->kind) {
	case TRANSFER:
		return transfer(c);
	case ENDLESS:
		return c->number == SYS_ioctl && cps_wrap_file_holds(a[1], a[2]) ? hold(c)
										 : wait_in(c, form);
	case MILLISECONDS:
	case RELATIVE:
		return wait_in(c, form);
	case TOLD:
	case TOLD_US:
		return wait_told(c, form);
	case SLEEP:
		return -cps_eintr_restart_sleep(CLOCK_MONOTONIC, 0, (const struct timespec *)a[0],
						(struct timespec *)a[1], sleep_for);
	case SLEEP_BY:
		return -cps_eintr_restart_sleep((clockid_t)a[0], (int)a[1],
						(const struct timespec *)a[2],
						(struct timespec *)a[3], sleep_by);
	case RING:
		return a[3] & REGISTERED ? hold(c) : enter_ring(c);
	default: /* of bpf(2) few commands take long, and some programs give the others all the time */
		return c->number == SYS_bpf && what != BPF_PROG_LOAD && what != BPF_PROG_TEST_RUN
			       ? make(c)
			       : hold(c);
	}
}

/* ---- syscall --------------------------------------------------------------------------------- */
/*
 * Sends calls of syscall(2) to the wrappers of the same system calls.
 *
 * In: syscall(2). Out: wrapped calls for exec, exit, seccomp and prctl; those by number for
 * what a tick could end; waits for futexes, which are counted; the real syscall(2) for all others,
 * with no register changed.
 */

/* The assembly below uses these. */
long cps_wrap_syscall_chosen(long number, long a, long b, long c, long d,
			     long e CPS_REGS_SYSCALL_MORE);
long cps_wrap_syscall_early(long number, long a, long b, long c, long d,
			    long e CPS_REGS_SYSCALL_MORE);

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
		cps_eintr_restart_watch_fully();
	if (cps_lock_is_on())
		cps_eintr_restart_look_closely();
	add_futexes();
}

static long as_libc(long result)
{
	if (result >= 0 || result <= -4096)
		return result;
	errno = (int)-result;
	return -1;
}

__attribute__((used)) long cps_wrap_syscall_early(long number, long a, long b, long c, long d,
						  long e CPS_REGS_SYSCALL_MORE)
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
	struct cps_eintr_restart_wait w = cps_eintr_restart_begin_at(
		is_limited ? cps_eintr_restart_time(CLOCK_MONOTONIC) : 0);
	long result;

	w.timeout = is_limited ? (const struct timespec *)call->a[3] : NULL;
	while ((result = make_futex(call)) == -EINTR && cps_eintr_restart_after_eintr(&w))
		if (is_limited)
			call->a[3] = (long)w.timeout;
	return result;
}

/* The clock is told of the end, and samples are taken, when the state of the wait is not on the stack any more. */
static LITTLE long wait_for_futex(struct cps_by_number *call)
{
	CPS_WAITS_FOR((const void *)call->a[0], CPS_LOCK_FUTEX);
	CPS_BLOCKS_IN(CPS_LOCK, cps_real.syscall);
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
	struct cps_eintr_restart_start start = cps_eintr_restart_start();
	uintptr_t outer = cps_transfer_cut_begin((uintptr_t)__builtin_frame_address(0));
	long result = cps_sys6(call->number, a[0], a[1], a[2], a[3], a[4], a[5]);

	if (__builtin_expect(result != -EINTR, 1) && cps_transfer_finish_ends_unmet(outer))
		return result;
	return cps_by_number_go_on(call, start, outer, result);
}

__attribute__((used)) long cps_wrap_syscall_chosen(long number, long a, long b, long c, long d,
						   long e CPS_REGS_SYSCALL_MORE)
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
		call.kept = cps_transfer_finish_until((const struct timespec *)e);
		break;
	case SYS_recvmsg:
		call.kept = cps_transfer_finish_room((const struct msghdr *)b, (int)c);
		break;
	default:
		break;
	}
	result = cps_by_number_is_frequent(number) && cps_eintr_restart_is_light()
			 ? call_frequently(&call)
			 : cps_by_number_make(&call);
	cps_waiting_end();
	return as_libc(result);
}

_Static_assert(offsetof(struct cps_real, syscall) == 0, "where the assembly jumps to");
CPS_REGS_SYSCALL(cps_wrap_syscall_table, cps_wrap_syscall_limited, cps_wrap_syscall_chosen,
		 cps_real, cps_wrap_syscall_early);
