/* SPDX-License-Identifier: MIT */
/*
 * partial.c - calls that return a part of what they are asked for when a signal interrupts them.
 *
 * partial [hail | named]
 *
 * Prints what each call has returned, and what has arrived. It must print the same when it is
 * recorded. With `hail` a thread sends SIGPROF to the first thread all the time, which is for
 * CPSAMPLE_RESOURCES=signals. `named` prints nothing: it makes long transfers of one buffer by five functions.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#define MANY   ((size_t)16 << 20)
#define PIECES 100

static char *from, *to;
static struct iovec pieces[PIECES];

static void die(const char *what)
{
	perror(what);
	exit(1);
}

/* Sequences of bytes that differ wherever a part is lost or comes twice. */
static uint64_t sum_of(const char *bytes, size_t n)
{
	uint64_t sum = 14695981039346656037u;

	for (size_t i = 0; i < n; i += 8) {
		uint64_t word = 0;

		memcpy(&word, bytes + i, n - i < 8 ? n - i : 8);
		sum = (sum ^ word) * 1099511628211u;
	}
	return sum;
}

static void say(const char *what, ssize_t result)
{
	printf("%s: %zd%s%s\n", what, result, result < 0 ? " " : "",
	       result < 0 ? strerrorname_np(errno) : "");
}

static void say_part(const char *what, ssize_t result)
{
	printf("%s: %s\n", what, result > 0 && (size_t)result < MANY ? "a part" : "not a part");
}

/* The pieces together are `bytes`, of n bytes. */
static void cut_up(char *bytes, size_t n)
{
	size_t at = 0;

	for (size_t i = 0; i < PIECES; i++) {
		pieces[i].iov_base = bytes + at;
		pieces[i].iov_len = i + 1 < PIECES ? n / PIECES / 2 * (i % 3) : n - at;
		at += pieces[i].iov_len;
	}
}

/* ---- the other side, in a process of its own ------------------------------------------------- */

static pid_t child;

/* Reads everything, and prints how much that was and what. */
static void drain(int fd, size_t most)
{
	size_t n = 0;
	ssize_t more = 1;

	while (n < most && (more = read(fd, to + n, most - n)) > 0)
		n += (size_t)more;
	printf("  arrived: %zu, %s\n", n,
	       n <= MANY && sum_of(to, n) == sum_of(from, n) ? "as sent" : "not as sent");
	fflush(stdout);
}

static void feed(int fd, size_t n)
{
	size_t done = 0, piece = 10007;
	ssize_t more;

	while (done < n) {
		more = write(fd, from + done, n - done < piece ? n - done : piece);
		if (more <= 0)
			break;
		done += (size_t)more;
	}
}

/* Makes a child that calls f(mine, n). The descriptor `theirs` stays here. */
static void begin(void (*f)(int, size_t), int mine, int theirs, size_t n)
{
	fflush(stdout);
	child = fork();
	if (child < 0)
		die("fork");
	if (child == 0) {
		close(theirs);
		f(mine, n);
		_exit(0);
	}
	close(mine);
}

static void end(int fd)
{
	close(fd);
	waitpid(child, NULL, 0);
}

static int to_pipe(void)
{
	int p[2];

	if (pipe(p))
		die("pipe");
	begin(drain, p[0], p[1], MANY + 1);
	return p[1];
}

static int to_socket(void)
{
	int s[2];

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, s))
		die("socketpair");
	begin(drain, s[0], s[1], MANY + 1);
	return s[1];
}

static int from_socket(size_t n)
{
	int s[2];

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, s))
		die("socketpair");
	begin(feed, s[0], s[1], n);
	return s[1];
}

static int file_of(size_t n)
{
	int fd = memfd_create("partial", 0);

	if (fd < 0 || write(fd, from, n) != (ssize_t)n)
		die("memfd_create");
	lseek(fd, 0, SEEK_SET);
	return fd;
}

static void got(const char *what, ssize_t n)
{
	say(what, n);
	printf("  arrived: %s\n", n >= 0 && sum_of(to, (size_t)n) == sum_of(from, (size_t)n)
					  ? "as sent"
					  : "not as sent");
	memset(to, 0, MANY);
}

/* ---- all of it ------------------------------------------------------------------------------- */

static void write_all(void)
{
	int fd = to_pipe();

	say("write to a pipe", write(fd, from, MANY));
	end(fd);
	fd = to_pipe();
	say("writev to a pipe", writev(fd, pieces, PIECES));
	end(fd);
	fd = to_pipe();
	say("write to a pipe by syscall", syscall(SYS_write, fd, from, MANY));
	end(fd);
	fd = to_pipe();
	FILE *f = fdopen(fd, "w");
	say("fwrite", (ssize_t)fwrite(from, 1, MANY, f));
	fflush(f);
	end(fd);
}

static void send_all(void)
{
	struct msghdr m = {.msg_iov = pieces, .msg_iovlen = PIECES};
	struct iovec part[8];
	struct mmsghdr several[8];
	int fd = to_socket(), n;
	size_t length = 0;

	say("send", send(fd, from, MANY, 0));
	end(fd);
	fd = to_socket();
	say("write to a socket", write(fd, from, MANY));
	end(fd);
	fd = to_socket();
	say("sendmsg", sendmsg(fd, &m, 0));
	end(fd);
	memset(several, 0, sizeof(several));
	for (size_t i = 0; i < 8; i++) {
		part[i] = (struct iovec){from + i * MANY / 8, MANY / 8};
		several[i].msg_hdr.msg_iov = &part[i];
		several[i].msg_hdr.msg_iovlen = 1;
	}
	fd = to_socket();
	n = sendmmsg(fd, several, 8, 0);
	for (int i = 0; i < n; i++)
		length += several[i].msg_len;
	say("sendmmsg", n);
	say("  bytes", (ssize_t)length);
	end(fd);
}

static void receive_all(void)
{
	struct msghdr m = {.msg_iov = pieces, .msg_iovlen = PIECES};
	int fd = from_socket(MANY), least = 1 << 17;

	got("recv, all", recv(fd, to, MANY, MSG_WAITALL));
	end(fd);
	cut_up(to, MANY);
	fd = from_socket(MANY);
	got("recvmsg, all", recvmsg(fd, &m, MSG_WAITALL));
	end(fd);
	fd = from_socket(MANY / 2);
	got("recv, the end before all", recv(fd, to, MANY, MSG_WAITALL));
	end(fd);
	fd = from_socket(MANY);
	setsockopt(fd, SOL_SOCKET, SO_RCVLOWAT, &least, sizeof(least));
	say("read, the least", read(fd, to, MANY) >= least);
	end(fd);
	cut_up(from, MANY);
}

/* Datagrams of a thousand bytes, one after the other. */
static void feed_datagrams(int fd, size_t n)
{
	for (size_t i = 0; i < n; i++)
		send(fd, from + i * 1000, 1000, 0);
}

static void receive_datagrams(void)
{
	static struct mmsghdr several[1000];
	static struct iovec v[1000];
	int s[2];

	if (socketpair(AF_UNIX, SOCK_DGRAM, 0, s))
		die("socketpair");
	begin(feed_datagrams, s[0], s[1], 1000);
	for (size_t i = 0; i < 1000; i++) {
		v[i] = (struct iovec){to + i * 1000, 1000};
		several[i].msg_hdr.msg_iov = &v[i];
		several[i].msg_hdr.msg_iovlen = 1;
	}
	say("recvmmsg", recvmmsg(s[1], several, 1000, 0, NULL));
	got("  bytes", 1000000);
	end(s[1]);
}

static void copy_all(void)
{
	int file = file_of(MANY), other = file_of(1), fd, p[2];
	off_t zero = 0;
	size_t n = 0;
	ssize_t more = 1;

	for (int i = 0; i < 50; i++) {
		if (pipe(p))
			die("pipe");
		fcntl(p[1], F_SETPIPE_SZ, 1 << 20);
		more = sendfile(p[1], file, &zero, MANY);
		zero = 0;
		if (more != 1 << 20)
			say("sendfile to a pipe", more);
		close(p[0]);
		close(p[1]);
	}
	fd = to_socket();
	say("sendfile to a socket", sendfile(fd, file, &zero, MANY));
	say("  offset", zero);
	end(fd);
	lseek(file, 0, SEEK_SET);
	lseek(other, 0, SEEK_SET);
	say("copy_file_range", copy_file_range(file, NULL, other, NULL, MANY, 0));
	lseek(other, 0, SEEK_SET);
	while (more > 0) {
		more = read(other, to + n, MANY - n);
		n += more > 0 ? (size_t)more : 0;
	}
	got("  bytes", (ssize_t)n);
	close(file);
	close(other);
	for (int i = 0; i < 20; i++) {
		if (pipe(p))
			die("pipe");
		fcntl(p[1], F_SETPIPE_SZ, 1 << 20);
		n = (size_t)write(p[1], from, 1 << 20);
		other = file_of(1);
		more = splice(p[0], NULL, other, NULL, MANY, 0);
		if (more != 1 << 20)
			say("splice", more);
		close(p[0]);
		close(p[1]);
		close(other);
	}
}

static void read_all(void)
{
	int zero = open("/dev/zero", O_RDONLY);

	say("getrandom", getrandom(to, MANY, 0));
	say("getrandom by syscall", syscall(SYS_getrandom, to, MANY, 0));
	say("read of /dev/zero", read(zero, to, MANY));
	cut_up(to, MANY);
	say("readv of /dev/zero", readv(zero, pieces, PIECES));
	cut_up(from, MANY);
	close(zero);
	zero = open("/dev/urandom", O_RDONLY);
	say("read of /dev/urandom", read(zero, to, MANY));
	close(zero);
	memset(to, 0, MANY);
}

#include "partial_messages.h"
#include "partial_ends.h"
#include "partial_async.h"
#include "partial_copies.h"

/* ---------------------------------------------------------------------------------------------- */

static atomic_bool is_over;

static void *hail(void *thread)
{
	sigset_t all;

	sigfillset(&all); /* alarms are for the first thread */
	pthread_sigmask(SIG_BLOCK, &all, NULL);
	while (!atomic_load(&is_over)) {
		pthread_kill(*(pthread_t *)thread, SIGPROF);
		usleep(50);
	}
	return NULL;
}

/* Functions with several buffers are not called here. */
static int call_named(void)
{
	int random = open("/dev/urandom", O_RDWR), s[2];
	const ssize_t all = (ssize_t)MANY;

	if (random < 0 || read(random, to, MANY) != all || write(random, to, MANY) != all ||
	    pread(random, to, MANY, 0) != all || pwrite(random, to, MANY, 0) != all)
		return 1;
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, s))
		die("socketpair");
	if (fork() == 0) {
		close(s[1]);
		while (read(s[0], to, MANY) > 0)
			;
		_exit(0);
	}
	close(s[0]);
	return send(s[1], from, MANY, 0) != all;
}

int main(int argc, char **argv)
{
	pthread_t self = pthread_self(), sender;
	bool has_hail = argc > 1 && strcmp(argv[1], "hail") == 0;

	from = mmap(NULL, MANY, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	to = mmap(NULL, MANY + 1, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	for (size_t i = 0; i < MANY / 8; i++)
		memcpy(from + 8 * i, &(uint64_t){(i + 1) * 0x9e3779b97f4a7c15u}, 8);
	memset(to, 0, MANY + 1);
	cut_up(from, MANY);
	if (argc > 1 && strcmp(argv[1], "named") == 0)
		return call_named();
	if (has_hail && pthread_create(&sender, NULL, hail, &self))
		return 1;
	write_all();
	send_all();
	receive_all();
	receive_datagrams();
	receive_datagrams_singly();
	receive_late();
	receive_descriptors();
	read_records();
	copy_all();
	read_all();
	do_not_wait();
	read_what_is_there();
	interrupt(0);
	interrupt(SA_RESTART);
	time_out_unseen();
	time_out();
	break_off();
	reach_limit();
	read_terminals();
	receive_halves();
	cancel();
	wait_for_time_out();
	wait_for_pipe();
	copy_everything();
	fflush(stdout);
	if (has_hail) {
		atomic_store(&is_over, true);
		pthread_join(sender, NULL);
	}
	return 0;
}
