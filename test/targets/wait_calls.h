/* SPDX-License-Identifier: MIT */
/*
 * wait_calls.h - every way to wait, for waits.c: what is called, and what puts an end to it.
 */
#include <aio.h>
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <semaphore.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/msg.h>
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

struct wait_call {
	const char *name;
	long (*call)(void); /* the result, or -errno */
	void (*complete)(pthread_t waiter);
	bool has_limit, repeats, sets_errno, is_restarted, is_no_cancellation_point;
};

enum { UNTOUCHED = 4242 };

static atomic_uint entered, done; /* calls */

/* Milliseconds, or -1: a minute, or for ever. */
static int wait_limit;

static int event, epoll, semaphores, queue, file;
static int in[2], out[2]; /* sockets: from which nothing comes, to which nothing goes */
static int local, remote; /* listening: of this machine, and of TCP */
static struct sockaddr_un local_name;
static struct sockaddr_in remote_name;
static sem_t semaphore;
static struct aiocb slow;

int __xpg_sigpause(int number);
int __poll_chk(struct pollfd *fds, nfds_t n, int timeout, size_t bytes);
int __ppoll_chk(struct pollfd *fds, nfds_t n, const struct timespec *timeout, const sigset_t *mask,
		size_t bytes);
ssize_t __read_chk(int fd, void *bytes, size_t n, size_t room);
ssize_t __recv_chk(int fd, void *bytes, size_t n, size_t room, int flags);
ssize_t __recvfrom_chk(int fd, void *bytes, size_t n, size_t room, int flags, __SOCKADDR_ARG from,
		       socklen_t *from_bytes);

static void nap(long ns)
{
	const struct timespec t = {0, ns};

	syscall(SYS_nanosleep, &t, NULL);
}

static long result(long r)
{
	return r < 0 ? -errno : r;
}

static struct timespec limit(void)
{
	struct timespec t = {60, 0};

	if (wait_limit >= 0)
		t = (struct timespec){wait_limit / 1000, wait_limit % 1000 * 1000000};
	return t;
}

static struct timespec until(clockid_t clock)
{
	struct timespec t, l = limit();

	clock_gettime(clock, &t);
	t.tv_sec += l.tv_sec + (t.tv_nsec + l.tv_nsec) / 1000000000;
	t.tv_nsec = (t.tv_nsec + l.tv_nsec) % 1000000000;
	return t;
}

/* SIGUSR1 comes only inside of the call. */
static long masked(long (*call)(const sigset_t *mask))
{
	sigset_t usr1, before;
	long r;

	sigemptyset(&usr1);
	sigaddset(&usr1, SIGUSR1);
	pthread_sigmask(SIG_BLOCK, &usr1, &before);
	r = call(&before);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return r;
}

/* ---- descriptors
 * ---------------------------------------------------------------------------------- */

static struct pollfd poll_fd(void)
{
	return (struct pollfd){.fd = event, .events = POLLIN};
}

static long call_poll(void)
{
	struct pollfd fd = poll_fd();

	return result(poll(&fd, 1, wait_limit));
}

static long call_poll_chk(void)
{
	struct pollfd fd = poll_fd();

	return result(__poll_chk(&fd, 1, wait_limit, sizeof(fd)));
}

static long call_ppoll(void)
{
	struct pollfd fd = poll_fd();
	struct timespec t = limit();

	return result(ppoll(&fd, 1, wait_limit < 0 ? NULL : &t, NULL));
}

static long ppoll_mask(const sigset_t *mask)
{
	struct pollfd fd = poll_fd();
	struct timespec t = limit();

	return result(__ppoll_chk(&fd, 1, &t, mask, sizeof(fd)));
}

static long call_ppoll_chk(void)
{
	return masked(ppoll_mask);
}

/* Its time is told exactly: nothing left, or less than there was. */
static long call_select(void)
{
	struct timeval t = {limit().tv_sec, limit().tv_nsec / 1000}, before = t;
	fd_set set;
	long r;

	FD_ZERO(&set);
	FD_SET(event, &set);
	r = result(select(event + 1, &set, NULL, NULL, &t));
	if (r == 0 && (t.tv_sec || t.tv_usec))
		return -ETIME;
	return !timercmp(&t, &before, <) || t.tv_sec < 0 ? -ETIME : r;
}

static long pselect_mask(const sigset_t *mask)
{
	struct timespec t = limit();
	fd_set set;

	FD_ZERO(&set);
	FD_SET(event, &set);
	return result(pselect(event + 1, &set, NULL, NULL, &t, mask));
}

static long call_pselect(void)
{
	return masked(pselect_mask);
}

static struct epoll_event epoll_events[2];

static long call_epoll_wait(void)
{
	return result(epoll_wait(epoll, epoll_events, 2, wait_limit));
}

static long epoll_mask(const sigset_t *mask)
{
	return result(epoll_pwait(epoll, epoll_events, 2, wait_limit, mask));
}

static long call_epoll_pwait(void)
{
	return masked(epoll_mask);
}

static long call_epoll_pwait2(void)
{
	struct timespec t = limit();

	return result(epoll_pwait2(epoll, epoll_events, 2, &t, NULL));
}

static void raise_event(pthread_t waiter)
{
	(void)waiter;
	eventfd_write(event, 1);
	while (!atomic_load(&done))
		nap(100000);
	eventfd_read(event, &(eventfd_t){0});
}

/* ---- sleep
 * ------------------------------------------------------------------------------------------ */

/* What is left of a minute that was interrupted at its beginning: no more than that, but not
 * nothing. */
static long with_rest(long r, const struct timespec *rest)
{
	if (r == 0)
		return rest->tv_nsec == UNTOUCHED ? 0 : -ERANGE;
	return rest->tv_sec >= 1 && rest->tv_sec <= 60
		       ? r
		       : -ERANGE; /* with the slack of the kernel's timer */
}

static long call_nanosleep(void)
{
	struct timespec t = limit(), rest = {0, UNTOUCHED};

	return with_rest(result(nanosleep(&t, &rest)), &rest);
}

static long call_nanosleep_in_place(void)
{
	struct timespec t = limit();

	return result(nanosleep(&t, &t));
}

static long call_clock_nanosleep(void)
{
	struct timespec t = limit(), rest = {0, UNTOUCHED};

	return with_rest(-clock_nanosleep(CLOCK_REALTIME, 0, &t, &rest), &rest);
}

static long call_clock_nanosleep_until(void)
{
	struct timespec t = until(CLOCK_MONOTONIC);

	return -clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL);
}

static long call_usleep(void)
{
	return result(usleep(wait_limit < 0 ? 60000000 : (useconds_t)wait_limit * 1000));
}

static long call_sleep(void)
{
	unsigned left = sleep(wait_limit < 0 ? 60 : 1);

	/* The slack of the kernel's timer may make it all of the minute. */
	return left == 0 ? 0 : left <= 60 && errno == EINTR ? -EINTR : -ERANGE;
}

static long call_thrd_sleep(void)
{
	struct timespec t = limit();
	int r = thrd_sleep(&t, NULL);

	return r == -1 ? -EINTR : r;
}

#include "wait_children.h"
#include "wait_events.h"
#include "wait_sockets.h"

#define DESCRIPTOR .complete = raise_event, .has_limit = true
#define SLEEP	   .has_limit = true
#define CHILD	   .complete = end_child, .is_restarted = true
#define SIGNAL	   .complete = send_usr1, .sets_errno = true

static const struct wait_call wait_calls[] = {
	{"poll", call_poll, DESCRIPTOR},
#ifndef BY_NUMBER
	{"__poll_chk", call_poll_chk, DESCRIPTOR},
#endif
	{"ppoll", call_ppoll, DESCRIPTOR},
#ifndef BY_NUMBER
	{"__ppoll_chk", call_ppoll_chk, DESCRIPTOR},
#endif
	{"select", call_select, DESCRIPTOR},
	{"pselect", call_pselect, DESCRIPTOR},
	{"epoll_wait", call_epoll_wait, DESCRIPTOR},
	{"epoll_pwait", call_epoll_pwait, DESCRIPTOR},
	{"epoll_pwait2", call_epoll_pwait2, DESCRIPTOR},
	{"nanosleep", call_nanosleep, SLEEP},
	{"nanosleep in place", call_nanosleep_in_place, SLEEP},
	{"clock_nanosleep", call_clock_nanosleep, SLEEP},
	{"clock_nanosleep until", call_clock_nanosleep_until, SLEEP},
#ifndef BY_NUMBER
	{"usleep", call_usleep, SLEEP},
	{"sleep", call_sleep, SLEEP},
	{"thrd_sleep", call_thrd_sleep, SLEEP},
#endif
	{"pause", call_pause, SIGNAL, .repeats = true},
	{"sigsuspend", call_sigsuspend, SIGNAL, .repeats = true},
#ifndef BY_NUMBER
	{"sigpause", call_sigpause, SIGNAL, .repeats = true},
#endif
	{"sigwaitinfo", call_sigwaitinfo, .complete = send_usr2},
	{"sigtimedwait", call_sigtimedwait, send_usr2, .has_limit = true},
#ifndef BY_NUMBER
	{"sem_wait", call_sem_wait, post, .is_restarted = true},
	{"sem_timedwait", call_sem_timedwait, post, .has_limit = true},
	{"sem_clockwait", call_sem_clockwait, post, .has_limit = true},
#endif
	{"semop", call_semop, give, .is_no_cancellation_point = true},
	{"semtimedop", call_semtimedop, give, .has_limit = true, .is_no_cancellation_point = true},
	{"msgrcv", call_msgrcv, .complete = send_message},
	{"msgsnd", call_msgsnd, .complete = take_message},
#ifndef BY_NUMBER
	{"aio_suspend", call_aio_suspend, SLEEP},
#endif
	{"recv", call_recv, SOCKET_IN},
#ifndef BY_NUMBER
	{"__recv_chk", call_recv_chk, SOCKET_IN},
#endif
	{"recvfrom", call_recvfrom, SOCKET_IN},
#ifndef BY_NUMBER
	{"__recvfrom_chk", call_recvfrom_chk, SOCKET_IN},
#endif
	{"recvmsg", call_recvmsg, SOCKET_IN},
	{"recvmmsg", call_recvmmsg, SOCKET_IN},
	{"read", call_read, SOCKET_IN},
#ifndef BY_NUMBER
	{"__read_chk", call_read_chk, SOCKET_IN},
#endif
	{"readv", call_readv, SOCKET_IN},
	{"send", call_send, SOCKET_OUT},
	{"sendto", call_sendto, SOCKET_OUT},
	{"sendmsg", call_sendmsg, SOCKET_OUT},
	{"sendmmsg", call_sendmmsg, SOCKET_OUT},
	{"sendfile", call_sendfile, SOCKET_OUT, .is_no_cancellation_point = true},
	{"write", call_write, SOCKET_OUT},
	{"writev", call_writev, SOCKET_OUT},
	{"accept", call_accept, connect_local, .has_limit = true},
	{"accept4", call_accept4, connect_local, .has_limit = true},
	{"connect local", call_connect_local, accept_local, .has_limit = true},
	{"connect", call_connect, accept_remote, .has_limit = true},
#ifndef BY_NUMBER
	{"wait", call_wait, CHILD},
#endif
	{"waitpid", call_waitpid, CHILD},
#ifndef BY_NUMBER
	{"wait3", call_wait3, CHILD},
#endif
	{"wait4", call_wait4, CHILD},
	{"waitid", call_waitid, CHILD},
#ifdef BY_NUMBER
	{"futex", call_futex, wake_futex, .has_limit = true},
	{"futex until", call_futex_until, wake_futex, .has_limit = true},
	{"io_getevents", call_io_getevents, DESCRIPTOR},
	{"io_pgetevents", call_io_pgetevents, DESCRIPTOR},
	{"io_uring_enter", call_io_uring_enter, DESCRIPTOR},
#endif
	{.name = NULL},
};

static bool waits_prepare(void)
{
	struct epoll_event interest = {.events = EPOLLIN};
	sigset_t usr2;

	sigemptyset(&usr2);
	sigaddset(&usr2, SIGUSR2);
	pthread_sigmask(SIG_BLOCK, &usr2, NULL);
	event = eventfd(0, 0);
	epoll = epoll_create1(0);
	epoll_ctl(epoll, EPOLL_CTL_ADD, event, &interest);
	sem_init(&semaphore, 0, 0);
	semaphores = semget(IPC_PRIVATE, 1, 0600);
	queue = msgget(IPC_PRIVATE, 0600);
	return semaphores >= 0 && queue >= 0 && prepare_sockets();
}

static void waits_end(void)
{
	if (child)
		kill(child, SIGKILL);
	semctl(semaphores, 0, IPC_RMID);
	msgctl(queue, IPC_RMID, NULL);
}
