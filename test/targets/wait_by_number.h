/* SPDX-License-Identifier: MIT */
/*
 * wait_by_number.h - makes the calls of wait_calls.h by syscall(2), for waits_by_number.c.
 *
 * It includes all headers that those files include, since it gives other meanings to the names of functions.
 */
#include <aio.h>
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

#define BY_NUMBER
#define MASK_BYTES    8 /* of a set of signals */
#define EPOLL_PWAIT_2 441

/* The kernel says what is left of the time: nothing, if it has passed. */
static long is_told(long result, const struct timespec *left)
{
	if (result != 0 || !left || (!left->tv_sec && !left->tv_nsec))
		return result;
	errno = ETIME;
	return -1;
}

static long ppoll_by_number(struct pollfd *fds, nfds_t n, struct timespec *t, const sigset_t *mask)
{
	return is_told(syscall(SYS_ppoll, fds, n, t, mask, MASK_BYTES), t);
}

static long pselect_by_number(int n, fd_set *in, struct timespec *t, const sigset_t *mask)
{
	const struct {
		const sigset_t *mask;
		size_t bytes;
	} pair = {mask, MASK_BYTES};

	return is_told(syscall(SYS_pselect6, n, in, NULL, NULL, t, &pair), t);
}

static int clock_nanosleep_by_number(clockid_t clock, int flags, const struct timespec *t,
				     struct timespec *rest)
{
	int before = errno, error;

	error = syscall(SYS_clock_nanosleep, clock, flags, t, rest) ? errno : 0;
	errno = before;
	return error;
}

/* clang-format off */
#ifdef SYS_poll /* newer machines have only the newer forms */
#define poll(fds, n, ms)		    syscall(SYS_poll, fds, n, ms)
#define select(n, in, out, other, t)	    syscall(SYS_select, n, in, out, other, t)
#define epoll_wait(fd, events, n, ms)	    syscall(SYS_epoll_wait, fd, events, n, ms)
#define pause()				    syscall(SYS_pause)
#endif
#define ppoll(fds, n, t, mask)		    ppoll_by_number(fds, n, t, mask)
#define pselect(n, in, out, other, t, mask) pselect_by_number(n, in, t, mask)
#define epoll_pwait(fd, events, n, ms, mask) \
	syscall(SYS_epoll_pwait, fd, events, n, ms, mask, MASK_BYTES)
#define epoll_pwait2(fd, events, n, t, mask) \
	syscall(EPOLL_PWAIT_2, fd, events, n, t, mask, MASK_BYTES)
#define nanosleep(t, rest)		    syscall(SYS_nanosleep, t, rest)
#define clock_nanosleep(clock, flags, t, rest) clock_nanosleep_by_number(clock, flags, t, rest)
#define sigsuspend(mask)		    syscall(SYS_rt_sigsuspend, mask, MASK_BYTES)
#define sigwaitinfo(set, info)		    syscall(SYS_rt_sigtimedwait, set, info, NULL, MASK_BYTES)
#define sigtimedwait(set, info, t)	    syscall(SYS_rt_sigtimedwait, set, info, t, MASK_BYTES)
#define semop(id, operations, n)	    syscall(SYS_semop, id, operations, n)
#define semtimedop(id, operations, n, t)    syscall(SYS_semtimedop, id, operations, n, t)
#define msgrcv(id, m, n, type, flags)	    syscall(SYS_msgrcv, id, m, n, (long)(type), flags)
#define msgsnd(id, m, n, flags)		    syscall(SYS_msgsnd, id, m, n, flags)
#define recv(fd, to, n, flags)		    syscall(SYS_recvfrom, fd, to, n, flags, NULL, NULL)
#define recvfrom(fd, to, n, flags, name, room) syscall(SYS_recvfrom, fd, to, n, flags, name, room)
#define recvmsg(fd, m, flags)		    syscall(SYS_recvmsg, fd, m, flags)
#define recvmmsg(fd, m, n, flags, t)	    syscall(SYS_recvmmsg, fd, m, n, flags, t)
#define read(fd, to, n)			    syscall(SYS_read, fd, to, n)
#define readv(fd, to, n)		    syscall(SYS_readv, fd, to, n)
#define send(fd, from, n, flags)	    syscall(SYS_sendto, fd, from, n, flags, NULL, 0)
#define sendto(fd, from, n, flags, name, room) syscall(SYS_sendto, fd, from, n, flags, name, room)
#define sendmsg(fd, m, flags)		    syscall(SYS_sendmsg, fd, m, flags)
#define sendmmsg(fd, m, n, flags)	    syscall(SYS_sendmmsg, fd, m, n, flags)
#define sendfile(out, in, at, n)	    syscall(SYS_sendfile, out, in, at, n)
#define write(fd, from, n)		    syscall(SYS_write, fd, from, n)
#define writev(fd, from, n)		    syscall(SYS_writev, fd, from, n)
#define accept(fd, name, room)		    syscall(SYS_accept, fd, name, room)
#define accept4(fd, name, room, flags)	    syscall(SYS_accept4, fd, name, room, flags)
#define connect(fd, name, room)		    syscall(SYS_connect, fd, name, room)
#define waitpid(pid, status, flags)	    syscall(SYS_wait4, pid, status, flags, NULL)
#define wait4(pid, status, flags, used)	    syscall(SYS_wait4, pid, status, flags, used)
#define waitid(type, id, info, flags)	    syscall(SYS_waitid, type, id, info, flags, NULL)
/* clang-format on */

/* ---- futexes --------------------------------------------------------------------------------- */

static long result(long r);
static struct timespec limit(void);
static struct timespec until(clockid_t clock);
static int event; /* a descriptor, see wait_calls.h */

static _Atomic uint32_t futex;

/* Who finds the word changed has been woken. */
static long futex_result(long r)
{
	int error = errno;

	if (atomic_exchange(&futex, 0) && r < 0 && error == EAGAIN) {
		errno = 4242; /* UNTOUCHED */
		return 0;
	}
	errno = error;
	return r < 0 ? -error : r;
}

static long call_futex(void)
{
	struct timespec t = limit();
	long r = syscall(SYS_futex, &futex, FUTEX_WAIT_PRIVATE, 0, &t, NULL, 0);

	return futex_result(r);
}

static long call_futex_until(void)
{
	struct timespec t = until(CLOCK_REALTIME);
	long r = syscall(SYS_futex, &futex, FUTEX_WAIT_BITSET_PRIVATE | FUTEX_CLOCK_REALTIME, 0, &t,
			 NULL, FUTEX_BITSET_MATCH_ANY);

	return futex_result(r);
}

static void wake_futex(pthread_t waiter)
{
	(void)waiter;
	atomic_store(&futex, 1);
	syscall(SYS_futex, &futex, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

/* ---- asynchronous input and output ------------------------------------------------------------ */

/* Requests to tell of the event; one at a time. */
static aio_context_t aio;
static bool is_aio_asked;

static long wait_for_aio(const sigset_t *mask)
{
	const struct {
		const sigset_t *mask;
		size_t bytes;
	} pair = {mask, MASK_BYTES};
	struct iocb request, *list = &request;
	struct timespec t = limit();
	struct io_event told;
	long r;

	memset(&request, 0, sizeof(request));
	request.aio_fildes = (unsigned)event;
	request.aio_lio_opcode = IOCB_CMD_POLL;
	request.aio_buf = POLLIN;
	if (!aio && syscall(SYS_io_setup, 4, &aio))
		return -errno;
	if (!is_aio_asked && syscall(SYS_io_submit, aio, 1, &list) != 1)
		return -errno;
	is_aio_asked = true;
	errno = 4242; /* UNTOUCHED */
	if (mask)
		r = result(syscall(SYS_io_pgetevents, aio, 1, 4, &told, &t, &pair));
	else
		r = result(syscall(SYS_io_getevents, aio, 1, 4, &told, &t));
	is_aio_asked = r <= 0;
	return r;
}

static long call_io_getevents(void)
{
	return wait_for_aio(NULL);
}

static long masked(long (*call)(const sigset_t *mask));

static long call_io_pgetevents(void)
{
	return masked(wait_for_aio);
}

#define RING_BYTES (1 << 16)

static int ring = -1;
static char *queue_memory;
static struct io_uring_params ring_is;

static long make_ring(void)
{
	struct io_uring_sqe *request;

	ring = (int)syscall(SYS_io_uring_setup, 1, &ring_is);
	if (ring < 0)
		return -errno;
	queue_memory = mmap(NULL, RING_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, ring,
			    IORING_OFF_SQ_RING);
	request =
		mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, ring, (off_t)IORING_OFF_SQES);
	if (queue_memory == MAP_FAILED || request == MAP_FAILED)
		return -errno;
	request->opcode = IORING_OP_POLL_ADD;
	request->fd = event;
	request->poll32_events = POLLIN;
	*(unsigned *)(queue_memory + ring_is.sq_off.array) = 0;
	return 0;
}

/* The request is made with the wait, unless that of the last wait is still there. Then the kernel says how many requests
 * it has taken, however the wait has ended. */
static long call_io_uring_enter(void)
{
	struct timespec t = limit();
	const struct {
		uint64_t mask;
		uint32_t bytes, unused;
		uint64_t time;
	} more = {0, MASK_BYTES, 0, (uintptr_t)&t};
	static bool is_asked;
	atomic_uint *tail, *head, *told;
	long r = ring < 0 ? make_ring() : 0;

	if (r)
		return r;
	tail = (atomic_uint *)(queue_memory + ring_is.sq_off.tail);
	head = (atomic_uint *)(queue_memory + ring_is.cq_off.head);
	told = (atomic_uint *)(queue_memory + ring_is.cq_off.tail);
	atomic_fetch_add(tail, !is_asked);
	errno = 4242; /* UNTOUCHED */
	r = result(syscall(SYS_io_uring_enter, ring, !is_asked, 1,
			   IORING_ENTER_GETEVENTS | IORING_ENTER_EXT_ARG, &more, sizeof(more)));
	is_asked = atomic_load(head) == atomic_load(told);
	atomic_store(head, atomic_load(told));
	return r;
}
