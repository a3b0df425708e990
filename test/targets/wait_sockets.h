/* SPDX-License-Identifier: MIT */
/*
 * wait_sockets.h - the part of wait_calls.h that is about sockets with timeouts.
 */
static char bytes[64];
static struct iovec piece = {bytes, sizeof(bytes)};

static void set_limit(int fd, int option)
{
	struct timeval t = {limit().tv_sec, limit().tv_nsec / 1000};

	setsockopt(fd, SOL_SOCKET, option, &t, sizeof(t));
}

/* ---- in
 * -------------------------------------------------------------------------------------------- */

#define CALL_IN(name, call)                                                                        \
	static long call_##name(void)                                                              \
	{                                                                                          \
		struct mmsghdr header = {.msg_hdr = {.msg_iov = &piece, .msg_iovlen = 1}};         \
                                                                                                   \
		(void)header;                                                                      \
		set_limit(in[0], SO_RCVTIMEO);                                                     \
		return result(call);                                                               \
	}

CALL_IN(recv, recv(in[0], bytes, sizeof(bytes), 0))
CALL_IN(recv_chk, __recv_chk(in[0], bytes, sizeof(bytes), sizeof(bytes), 0))
CALL_IN(recvfrom, recvfrom(in[0], bytes, sizeof(bytes), 0, NULL, NULL))
CALL_IN(recvfrom_chk, __recvfrom_chk(in[0], bytes, sizeof(bytes), sizeof(bytes), 0, NULL, NULL))
CALL_IN(recvmsg, recvmsg(in[0], &header.msg_hdr, 0))
CALL_IN(recvmmsg, recvmmsg(in[0], &header, 1, 0, NULL))
CALL_IN(read, read(in[0], bytes, sizeof(bytes)))
CALL_IN(read_chk, __read_chk(in[0], bytes, sizeof(bytes), sizeof(bytes)))
CALL_IN(readv, readv(in[0], &piece, 1))

static void send_bytes(pthread_t waiter)
{
	(void)waiter;
	send(in[1], "late", 4, 0);
}

#define SOCKET_IN .complete = send_bytes, .has_limit = true

/* ---- out: to a socket that is full
 * --------------------------------------------------------------------- */

/* Before Linux 6.5 sendfile adds pages to the last message of a full socket, until that has no room for their addresses. */
static void fill(void)
{
	off_t offset = 0;

	while (send(out[0], bytes, sizeof(bytes), MSG_DONTWAIT) > 0)
		;
	fcntl(out[0], F_SETFL, O_NONBLOCK);
	while (sendfile(out[0], file, &offset, sizeof(bytes)) > 0)
		offset = 0;
	fcntl(out[0], F_SETFL, 0);
}

#define CALL_OUT(name, call)                                                                       \
	static long call_##name(void)                                                              \
	{                                                                                          \
		struct mmsghdr header = {.msg_hdr = {.msg_iov = &piece, .msg_iovlen = 1}};         \
		off_t offset = 0;                                                                  \
                                                                                                   \
		(void)header;                                                                      \
		(void)offset;                                                                      \
		set_limit(out[0], SO_SNDTIMEO);                                                    \
		fill();                                                                            \
		errno = UNTOUCHED;                                                                 \
		return result(call);                                                               \
	}

CALL_OUT(send, send(out[0], bytes, sizeof(bytes), 0))
CALL_OUT(sendto, sendto(out[0], bytes, sizeof(bytes), 0, NULL, 0))
CALL_OUT(sendmsg, sendmsg(out[0], &header.msg_hdr, 0))
CALL_OUT(sendmmsg, sendmmsg(out[0], &header, 1, 0))
CALL_OUT(sendfile, sendfile(out[0], file, &offset, sizeof(bytes)))
CALL_OUT(write, write(out[0], bytes, sizeof(bytes)))
CALL_OUT(writev, writev(out[0], &piece, 1))

static void take_bytes(pthread_t waiter)
{
	char here[4096];

	(void)waiter;
	while (recv(out[1], here, sizeof(here), MSG_DONTWAIT) > 0)
		;
}

#define SOCKET_OUT .complete = take_bytes, .has_limit = true

/* ---- connections
 * --------------------------------------------------------------------------------------- */

static long accepted(int fd)
{
	if (fd < 0)
		return -errno;
	close(fd);
	return 0;
}

static long call_accept(void)
{
	set_limit(local, SO_RCVTIMEO);
	return accepted(accept(local, NULL, NULL));
}

static long call_accept4(void)
{
	set_limit(local, SO_RCVTIMEO);
	return accepted(accept4(local, NULL, NULL, SOCK_CLOEXEC));
}

/* A connection from a socket that does not wait. The socket is kept: a closed one gives its
 * place away. */
static bool try_connect(int family, void *name, socklen_t room)
{
	int fd = socket(family, SOCK_STREAM | SOCK_NONBLOCK, 0);
	bool is_done = connect(fd, name, room) == 0;

	if (!is_done && family == AF_UNIX)
		close(fd);
	return is_done;
}

static void connect_local(pthread_t waiter)
{
	(void)waiter;
	try_connect(AF_UNIX, &local_name, sizeof(local_name));
}

static long connect_to(int family, void *name, socklen_t room)
{
	int fd = socket(family, SOCK_STREAM, 0);
	long r;

	set_limit(fd, SO_SNDTIMEO);
	errno = UNTOUCHED;
	r = result(connect(fd, name, room));
	close(fd);
	return r;
}

static long call_connect_local(void)
{
	while (try_connect(AF_UNIX, &local_name, sizeof(local_name)))
		;
	return connect_to(AF_UNIX, &local_name, sizeof(local_name));
}

static void accept_local(pthread_t waiter)
{
	(void)waiter;
	accepted(accept(local, NULL, NULL));
}

/* The kernel drops what comes when two wait already. */
static long call_connect(void)
{
	static bool is_full;

	for (unsigned i = 0; i < 4 && !is_full; i++)
		try_connect(AF_INET, &remote_name, sizeof(remote_name));
	is_full = true;
	return connect_to(AF_INET, &remote_name, sizeof(remote_name));
}

/* Who was dropped asks again after 1, 3, 7, 15, 31 and 63 s, as others do that wait. If there was no room for it five times its
 * 60 s would be over, so there is room meanwhile. */
static void accept_remote(pthread_t waiter)
{
	(void)waiter;
	listen(remote, 64);
	while (!atomic_load(&done)) {
		accepted(accept(remote, NULL, NULL));
		nap(1000000);
	}
	listen(remote, 0);
}

static int listen_at(int family, int type, void *name, socklen_t room)
{
	int fd = socket(family, type, 0);

	if (fd < 0 || bind(fd, name, room) < 0 || listen(fd, 0) < 0 ||
	    getsockname(fd, name, &room) < 0)
		return -1;
	return fd;
}

static bool prepare_sockets(void)
{
	local_name.sun_family = AF_UNIX;
	snprintf(local_name.sun_path + 1, sizeof(local_name.sun_path) - 1, "cpsample waits %d",
		 (int)getpid());
	remote_name.sin_family = AF_INET;
	remote_name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	local = listen_at(AF_UNIX, SOCK_STREAM, &local_name, sizeof(local_name));
	remote = listen_at(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, &remote_name, sizeof(remote_name));
	file = open("/proc/self/exe", O_RDONLY);
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, in) < 0 ||
	    socketpair(AF_UNIX, SOCK_STREAM, 0, out) < 0)
		return false;
	slow.aio_fildes = eventfd(0, 0);
	slow.aio_buf = bytes;
	slow.aio_nbytes = sizeof(bytes);
	if (aio_read(&slow) < 0)
		return false;
	return local >= 0 && remote >= 0 && file >= 0;
}
