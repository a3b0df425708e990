/* SPDX-License-Identifier: MIT */
/*
 * passed.c - passes descriptors into a process by a pair of sockets that it makes.
 *
 * In: descriptors. Out: their numbers there. The launcher takes one end of the pair (pidfd_getfd), sends, and has the process
 * receive at the other end. So neither has to see a file, a process or a network of the other's.
 */
#include "launcher/passed.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#define MOST  8
#define LEAST 48 /* numbers below are what programs expect to get (libsampler/base/sys.h) */

/* What the process needs in its memory to receive. */
struct receiver {
	int ends[2];
	struct msghdr message;
	struct iovec part;
	char byte;
	_Alignas(struct cmsghdr) char control[CMSG_SPACE(MOST * sizeof(int))];
};

static long call(struct hijack *h, long number, uint64_t a, uint64_t b, uint64_t c, uint64_t d)
{
	const uint64_t arguments[6] = {a, b, c, d};

	return hijack_syscall(h, number, arguments);
}

static bool send_all(int to, const int *fds, size_t n)
{
	char byte = 0;
	_Alignas(struct cmsghdr) char control[CMSG_SPACE(MOST * sizeof(int))] = {0};
	struct iovec part = {&byte, 1};
	struct msghdr message = {.msg_iov = &part,
				 .msg_iovlen = 1,
				 .msg_control = control,
				 .msg_controllen = CMSG_SPACE(n * sizeof(int))};
	struct cmsghdr *c = CMSG_FIRSTHDR(&message);

	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(n * sizeof(int));
	memcpy(CMSG_DATA(c), fds, n * sizeof(int));
	return sendmsg(to, &message, MSG_NOSIGNAL) == 1;
}

/* The launcher's descriptor of one that the process has. */
static int take_from(const struct target *t, int fd)
{
	int process = (int)syscall(SYS_pidfd_open, t->pid, 0), mine;

	if (process < 0)
		return -1;
	mine = (int)syscall(SYS_pidfd_getfd, process, fd, 0);
	close(process);
	return mine;
}

static bool receive(struct hijack *h, uint64_t memory, struct receiver *r, int *theirs, size_t n)
{
	const struct target *t = h->at.target;
	const struct cmsghdr *c = (const void *)r->control;

	r->part = (struct iovec){(void *)(uintptr_t)(memory + offsetof(struct receiver, byte)), 1};
	r->message = (struct msghdr){
		.msg_iov = (void *)(uintptr_t)(memory + offsetof(struct receiver, part)),
		.msg_iovlen = 1,
		.msg_control = (void *)(uintptr_t)(memory + offsetof(struct receiver, control)),
		.msg_controllen = sizeof(r->control)};
	if (!target_write(t, memory, r, sizeof(*r)) ||
	    call(h, SYS_recvmsg, (uint64_t)r->ends[1], memory + offsetof(struct receiver, message),
		 MSG_CMSG_CLOEXEC | MSG_DONTWAIT, 0) != 1 ||
	    !target_read(t, memory, r, sizeof(*r)) || c->cmsg_len != CMSG_LEN(n * sizeof(int)))
		return false;
	memcpy(theirs, CMSG_DATA(c), n * sizeof(int));
	return true;
}

/* To a high number, if there is one. */
static void move_up(struct hijack *h, int *theirs, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		long moved = call(h, SYS_fcntl, (uint64_t)theirs[i], F_DUPFD_CLOEXEC, LEAST, 0);

		if (moved < 0)
			continue;
		passed_close(h, &theirs[i], 1);
		theirs[i] = (int)moved;
	}
}

bool passed_give(struct hijack *h, uint64_t memory, const int *fds, int *theirs, size_t n,
		 const char **why)
{
	struct receiver r = {0};
	bool done = false;
	int mine;

	*why = "no descriptor can be passed into it";
	if (n > MOST ||
	    call(h, SYS_socketpair, AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, memory) != 0 ||
	    !target_read(h->at.target, memory, r.ends, sizeof(r.ends)))
		return false;
	mine = take_from(h->at.target, r.ends[0]);
	if (mine >= 0) {
		done = send_all(mine, fds, n) && receive(h, memory, &r, theirs, n);
		close(mine);
	}
	passed_close(h, r.ends, 2);
	if (done)
		move_up(h, theirs, n);
	return done;
}

void passed_close(struct hijack *h, const int *theirs, size_t n)
{
	for (size_t i = 0; i < n; i++)
		call(h, SYS_close, (uint64_t)theirs[i], 0, 0, 0);
}
