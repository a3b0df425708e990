/* SPDX-License-Identifier: MIT */
/*
 * partial_messages.h - the part of partial.c that is about calls which end after a message or a record,
 * however much they are asked for.
 */
#define MESSAGE	  60000
#define MESSAGES  600
#define FILES	  30
#define FILE_PART ((size_t)200000)

static void feed_messages(int fd, size_t n)
{
	for (size_t i = 0; i < n; i++)
		send(fd, from + i, MESSAGE, 0);
}

/* MSG_WAITALL does not make a call wait for another message, nor does SO_RCVLOWAT. */
static void receive_singly(int type, int flags)
{
	int s[2], least = 2 * MESSAGE, room = 1 << 20;
	size_t wrong = 0;
	ssize_t n;

	if (socketpair(AF_UNIX, type, 0, s))
		die("socketpair");
	setsockopt(s[0], SOL_SOCKET, SO_SNDBUF, &room, sizeof(room));
	if (!flags)
		setsockopt(s[1], SOL_SOCKET, SO_RCVLOWAT, &least, sizeof(least));
	begin(feed_messages, s[0], s[1], MESSAGES);
	for (size_t i = 0; i < MESSAGES; i++) {
		n = recv(s[1], to, MANY, flags);
		wrong += n != MESSAGE || memcmp(to, from + i, MESSAGE) != 0;
		if (n <= 0)
			break;
	}
	say("messages that are not as sent", (ssize_t)wrong);
	end(s[1]);
}

static void receive_datagrams_singly(void)
{
	receive_singly(SOCK_DGRAM, MSG_WAITALL);
	receive_singly(SOCK_SEQPACKET, MSG_WAITALL);
	receive_singly(SOCK_DGRAM, 0);
}

/* ---- messages until a time ------------------------------------------------------------------- */

enum { LIMIT_MS = 20, TIMED = 20 };

static void until_taken(int fd)
{
	int bytes = 1;

	while (bytes > 0 && ioctl(fd, TIOCOUTQ, &bytes) == 0)
		usleep(300);
}

/* The second message comes when the time of the call that has got the first is over. */
static void feed_late(int fd, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		send(fd, from, 1, 0);
		until_taken(fd);
		usleep(2 * LIMIT_MS * 1000);
		for (int k = 0; k < 2; k++) {
			send(fd, from, 1, 0);
			until_taken(fd);
		}
	}
}

/* A call looks at the time after each message. */
static void receive_late(void)
{
	struct mmsghdr several[3];
	struct iovec v = {to, 1};
	int s[2], counts[4] = {0}, n, left = 0;

	if (socketpair(AF_UNIX, SOCK_DGRAM, 0, s))
		die("socketpair");
	memset(several, 0, sizeof(several));
	for (size_t i = 0; i < 3; i++)
		several[i].msg_hdr = (struct msghdr){.msg_iov = &v, .msg_iovlen = 1};
	begin(feed_late, s[0], s[1], TIMED);
	for (size_t i = 0; i < TIMED; i++) {
		struct timespec t = {0, LIMIT_MS * 1000000};

		poll(&(struct pollfd){s[1], POLLIN, 0}, 1, -1); /* the first one is there in time */
		n = i % 2 ? recvmmsg(s[1], several, 3, 0, &t)
			  : (int)syscall(SYS_recvmmsg, s[1], several, 3, 0, &t);
		counts[n > 0 ? n : 0]++;
		left += t.tv_sec || t.tv_nsec;
		for (; n > 0 && n < 3; n++)
			recv(s[1], to, 1, 0);
	}
	printf("recvmmsg, late: %d %d %d %d, %d with time left\n", counts[0], counts[1], counts[2],
	       counts[3], left);
	end(s[1]);
}

/* ---- descriptors ----------------------------------------------------------------------------- */

union control {
	char bytes[CMSG_SPACE(sizeof(int))];
	struct cmsghdr head;
};

/* A descriptor comes with the last byte of each part. */
static void feed_descriptors(int fd, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		union control c;
		struct iovec v = {from, 1};
		struct msghdr m = {.msg_iov = &v,
				   .msg_iovlen = 1,
				   .msg_control = c.bytes,
				   .msg_controllen = sizeof(c.bytes)};

		memset(&c, 0, sizeof(c));
		c.head = (struct cmsghdr){.cmsg_len = CMSG_LEN(sizeof(int)),
					  .cmsg_level = SOL_SOCKET,
					  .cmsg_type = SCM_RIGHTS};
		memcpy(CMSG_DATA(&c.head), &fd, sizeof(fd));
		feed(fd, FILE_PART);
		sendmsg(fd, &m, 0);
	}
}

static void receive_descriptors(void)
{
	int s[2], files = 0, calls = 0, file;
	size_t bytes = 0;
	ssize_t n;

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, s))
		die("socketpair");
	begin(feed_descriptors, s[0], s[1], FILES);
	do {
		union control c;
		struct iovec v = {to, MANY};
		struct msghdr m = {.msg_iov = &v,
				   .msg_iovlen = 1,
				   .msg_control = c.bytes,
				   .msg_controllen = sizeof(c.bytes)};

		n = recvmsg(s[1], &m, MSG_WAITALL);
		calls++;
		bytes += n > 0 ? (size_t)n : 0;
		if (n <= 0 || m.msg_controllen < sizeof(c.head) || c.head.cmsg_type != SCM_RIGHTS)
			continue;
		memcpy(&file, CMSG_DATA(&c.head), sizeof(file));
		close(file);
		files++;
	} while (n > 0);
	say("descriptors", files);
	say("  calls", calls);
	say("  bytes", (ssize_t)bytes);
	end(s[1]);
}

/* ---- records --------------------------------------------------------------------------------- */

/* The kernel writes such files record by record. A call returns those of a page. */
static void read_records(void)
{
	size_t longer = 0;

	for (int i = 0; i < 300; i++) {
		int fd = open("/proc/self/smaps", O_RDONLY);

		if (fd < 0)
			die("/proc/self/smaps");
		longer += read(fd, to, MANY) > 4096;
		close(fd);
	}
	say("reads of more than a page of records", (ssize_t)longer);
	memset(to, 0, MANY);
}
