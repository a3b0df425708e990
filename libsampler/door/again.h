/* SPDX-License-Identifier: MIT */
/*
 * again.h - a call that one of our signals has interrupted is made again, with what remains of its
 * time.
 *
 * Our handler has SA_RESTART; this is for the calls that the kernel never restarts after a handler
 * (signal(7)). Those that a handler of the target's has interrupted fail with EINTR, as without us.
 */
#ifndef CPS_AGAIN_H
#define CPS_AGAIN_H

#include <aio.h>
#include <poll.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/msg.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

/* Exported by glibc for the sake of other names and of _FORTIFY_SOURCE, not always declared. */
int __poll(struct pollfd *fds, nfds_t n, int timeout);
int __poll_chk(struct pollfd *fds, nfds_t n, int timeout, size_t bytes);
int __ppoll_chk(struct pollfd *fds, nfds_t n, const struct timespec *timeout, const sigset_t *mask,
		size_t bytes);
int __select(int n, fd_set *in, fd_set *out, fd_set *other, struct timeval *timeout);
int __nanosleep(const struct timespec *request, struct timespec *remaining);
int __sigsuspend(const sigset_t *mask) __nonnull((1));
int __xpg_sigpause(int number);
int __connect(int fd, __CONST_SOCKADDR_ARG address, socklen_t bytes);
ssize_t __send(int fd, const void *from, size_t n, int flags);
ssize_t __read(int fd, void *to, size_t n);
ssize_t __write(int fd, const void *from, size_t n);
ssize_t __read_chk(int fd, void *to, size_t n, size_t room);
ssize_t __recv_chk(int fd, void *to, size_t n, size_t room, int flags);
ssize_t __recvfrom_chk(int fd, void *to, size_t n, size_t room, int flags, __SOCKADDR_ARG from,
		       socklen_t *bytes);

/* What a wrapper calls: the next definition of each in the order of the loader, so that other
 * preloaded libraries stay in place. */
/* clang-format off */
#define CPS_NEXT_TIMED(X)                                                                          \
	X(poll) X(__poll_chk) X(ppoll) X(__ppoll_chk) X(select) X(pselect) X(epoll_wait)           \
	X(epoll_pwait) X(epoll_pwait2) X(nanosleep) X(clock_nanosleep) X(usleep) X(sleep)          \
	X(thrd_sleep) X(clock_gettime)
#define CPS_NEXT_EVENT(X)                                                                          \
	X(pause) X(sigsuspend) X(__xpg_sigpause) X(sigwaitinfo) X(sigtimedwait) X(sem_timedwait)   \
	X(sem_clockwait) X(semop) X(semtimedop) X(msgrcv) X(msgsnd) X(aio_suspend) X(aio_suspend64)
#define CPS_NEXT_SOCKET(X)                                                                         \
	X(setsockopt) X(accept) X(accept4) X(connect) X(recv) X(__recv_chk) X(recvfrom)            \
	X(__recvfrom_chk) X(recvmsg) X(recvmmsg) X(send) X(sendto) X(sendmsg) X(sendmmsg)          \
	X(sendfile) X(sendfile64) X(read) X(__read_chk) X(readv) X(write) X(writev)
#define CPS_NEXT_ALL(X) CPS_NEXT_TIMED(X) CPS_NEXT_EVENT(X) CPS_NEXT_SOCKET(X)
/* clang-format on */

#define CPS_NEXT_FIELD(name) __typeof__(name) *name;
struct cps_again_next {
	CPS_NEXT_ALL(CPS_NEXT_FIELD)
	atomic_bool none_is_timed; /* they have been found, and no socket has a timeout */
};

extern struct cps_again_next cps_again_next;

/* Find them. The constructor does; a wrapper that is called before it does, too. */
void cps_again_resolve(void);

/* Never NULL: a function that the C library does not have fails with ENOSYS. */
#define CPS_NEXT(name)                                                                             \
	(*(__builtin_expect(cps_again_next.name != NULL, 1)                                        \
		   ? cps_again_next.name                                                           \
		   : (cps_again_resolve(), cps_again_next.name)))

/* One wrapped call, until it returns to the target. */
struct cps_again_wait {
	int error;	 /* errno before it */
	uint32_t seen;	 /* interruptions before it */
	clockid_t clock; /* its time is of */
	uint64_t start, until;
	const struct timespec *timeout; /* for the next attempt */
	struct timespec left;
};

/* It has no time limit, or an absolute one. */
struct cps_again_wait cps_again_wait(void);

/* It may last so long from now; NULL: any time. The time is not read until the kernel has done
 * so: what is wrong with it is not ours to find. */
struct cps_again_wait cps_again_wait_timeout(const struct timespec *timeout);

/* The same, in milliseconds; 0 and less: there is no clock to be watched. */
struct cps_again_wait cps_again_wait_ms(int timeout);

/* It may last so long from now, and was interrupted already: what remains is known of the kernel. */
void cps_again_wait_remaining(struct cps_again_wait *w, const struct timespec *remaining);

/* The call has failed with errno, or with EINTR: only because of us? Then errno is what it was,
 * and there is a new timeout. */
bool cps_again(struct cps_again_wait *w);
bool cps_again_after_eintr(struct cps_again_wait *w);

/* The time by its clock; how much of its time is left: nanoseconds, or milliseconds rounded up
 * (`timeout` is what the target has asked for). */
uint64_t cps_again_wait_now(const struct cps_again_wait *w);
uint64_t cps_again_wait_ns(const struct cps_again_wait *w);
int cps_again_wait_ms_left(const struct cps_again_wait *w, int timeout);

/* Make a call that returns a negative number and sets errno until it is not our doing. */
#define CPS_AGAIN(w, call)                                                                         \
	({                                                                                         \
		__typeof__(call) result_;                                                          \
		do                                                                                 \
			result_ = (call);                                                          \
		while (__builtin_expect(result_ < 0, 0) && cps_again(&(w)));                       \
		result_;                                                                           \
	})

/*
 * A call that changes the mask of signals while it waits is made as CPS_MASKED, and `marked` is
 * that mask with a mark by which the handler knows that it has interrupted this call. What it
 * cannot read is for the kernel to refuse.
 */
const sigset_t *cps_again_wait_mark(sigset_t *marked, const sigset_t *mask);
#define CPS_MASKED(is_marked, call)                                                                \
	({                                                                                         \
		uintptr_t before_ = cps_sample_in_masked_call(                                     \
			(is_marked) ? (uintptr_t)__builtin_frame_address(0) : 0);                  \
		__typeof__(call) masked_ = (call);                                                 \
                                                                                                   \
		cps_sample_in_masked_call(before_);                                                \
		masked_;                                                                           \
	})

#define CPS_EXPORT __attribute__((visibility("default")))

#endif
