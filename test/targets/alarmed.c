/* SPDX-License-Identifier: MIT */
/*
 * alarmed.c - waits in calls that the kernel makes again, until a handler without SA_RESTART ends them.
 *
 * alarmed quiet|ticks [ROUNDS]
 *
 * Another process sends SIGUSR1, whose handler has SA_RESTART, when this one waits, and SIGALRM a
 * little later. With "ticks" it sends SIGPROF to the thread at the same times, as a clock does whose
 * tick comes while the thread wakes up. Prints for each call what it has returned, how often SIGUSR1
 * has ended it, and how often it went on waiting after SIGALRM.
 */
#include <errno.h>
#include <fcntl.h>
#include <mqueue.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { PATIENCE_MS = 300, PAUSE_US = 1000 };

/* Shared with the process that sends. */
static struct {
	atomic_uint entered, done, handled, early, missed;
	atomic_int ended;
} * shared;

static char block[1 << 16];
static int from[2], to[2], in[2], out[2], server, full, file, locked;
static pid_t sleeper;
static mqd_t queue;
static sem_t semaphore;
static struct sockaddr_un name = {.sun_family = AF_UNIX};

static void nap(long us)
{
	const struct timespec t = {us / 1000000, us % 1000000 * 1000};

	syscall(SYS_nanosleep, &t, NULL);
}

static long by_read(void)
{
	return read(from[0], block, 1);
}

static long by_readv(void)
{
	struct iovec part = {block, 1};

	return readv(from[0], &part, 1);
}

static long by_write(void)
{
	return write(to[1], block, sizeof(block));
}

static long by_writev(void)
{
	struct iovec part = {block, sizeof(block)};

	return writev(to[1], &part, 1);
}

static long by_splice(void)
{
	return splice(from[0], NULL, to[1], NULL, 1, 0);
}

static long by_recv(void)
{
	return recv(in[0], block, 1, 0);
}

static long by_recvmsg(void)
{
	struct iovec part = {block, 1};
	struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};

	return recvmsg(in[0], &message, 0);
}

static long by_send(void)
{
	return send(out[0], block, sizeof(block), 0);
}

static long by_sendmsg(void)
{
	struct iovec part = {block, sizeof(block)};
	struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};

	return sendmsg(out[0], &message, 0);
}

static long by_accept(void)
{
	return accept(server, NULL, NULL);
}

static long by_connect(void)
{
	int s = socket(AF_UNIX, SOCK_STREAM, 0);
	long r = connect(s, (struct sockaddr *)&name, sizeof(name));
	int error = errno;

	close(s);
	errno = error;
	return r;
}

static long by_wait(void)
{
	return waitpid(sleeper, NULL, 0);
}

static long by_waitid(void)
{
	siginfo_t info;

	return waitid(P_PID, (id_t)sleeper, &info, WEXITED);
}

static long by_flock(void)
{
	return flock(file, LOCK_EX);
}

static long by_fcntl(void)
{
	struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_len = 1};

	return fcntl(file, F_SETLKW, &lock);
}

static long by_open(void)
{
	return open("alarmed.fifo", O_RDONLY);
}

static long by_semaphore(void)
{
	return sem_wait(&semaphore);
}

static long by_queue(void)
{
	return mq_receive(queue, block, sizeof(block), NULL);
}

static const struct {
	const char *name;
	long (*call)(void);
} calls[] = {
	{"read", by_read},	 {"readv", by_readv},	     {"write", by_write},
	{"writev", by_writev},	 {"splice", by_splice},	     {"recv", by_recv},
	{"recvmsg", by_recvmsg}, {"send", by_send},	     {"sendmsg", by_sendmsg},
	{"accept", by_accept},	 {"connect", by_connect},    {"waitpid", by_wait},
	{"waitid", by_waitid},	 {"flock", by_flock},	     {"fcntl", by_fcntl},
	{"open", by_open},	 {"sem_wait", by_semaphore}, {"mq_receive", by_queue},
};

/* ---- the process that sends -------------------------------------------------------------------- */

static pid_t target;
static bool with_ticks;

static void send_signal(int number)
{
	kill(target, number);
	if (with_ticks)
		syscall(SYS_tgkill, target, target, SIGPROF);
}

static bool is_done(unsigned round)
{
	return atomic_load(&shared->done) >= round;
}

static bool ends(unsigned round)
{
	for (int i = 0; i < PATIENCE_MS * 10 && !is_done(round); i++)
		nap(100);
	return is_done(round);
}

/* A signal may come before the call has begun: then it ends nothing, also without the recorder. It is
 * sent again. What counts is how often that happens. */
static void send_for(unsigned round)
{
	while (atomic_load(&shared->entered) < round) {
		if (atomic_load(&shared->ended))
			_exit(0);
		nap(100);
	}
	nap(300);
	send_signal(SIGUSR1);
	while (atomic_load(&shared->handled) < round)
		nap(100);
	nap(PAUSE_US);
	if (is_done(round)) {
		atomic_fetch_add(&shared->early, 1);
		return;
	}
	send_signal(SIGALRM);
	while (!ends(round)) {
		atomic_fetch_add(&shared->missed, 1);
		kill(target, SIGALRM);
	}
}

static void sender(void)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (unsigned round = 1;; round++)
		send_for(round);
}

/* ---- the process that waits -------------------------------------------------------------------- */

static void on_signal(int number)
{
	if (number == SIGUSR1)
		atomic_fetch_add(&shared->handled, 1);
}

static void fill(int fd)
{
	fcntl(fd, F_SETFL, O_NONBLOCK);
	while (write(fd, block, sizeof(block)) > 0)
		;
	fcntl(fd, F_SETFL, 0);
}

/* Another process has the locks, and lives until it is killed. */
static void lock_elsewhere(void)
{
	struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_len = 1};

	sleeper = fork();
	if (sleeper == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		file = open("alarmed.lock", O_RDWR);
		flock(file, LOCK_EX);
		fcntl(file, F_SETLKW, &lock);
		write(locked, "", 1);
		for (;;)
			pause();
	}
}

static bool prepare(void)
{
	struct mq_attr attributes = {.mq_maxmsg = 1, .mq_msgsize = 64};
	int ready[2];

	shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	file = open("alarmed.lock", O_RDWR | O_CREAT, 0600);
	if (shared == MAP_FAILED || file < 0 || pipe(from) || pipe(to) || pipe(ready) ||
	    socketpair(AF_UNIX, SOCK_STREAM, 0, in) || socketpair(AF_UNIX, SOCK_STREAM, 0, out) ||
	    mkfifo("alarmed.fifo", 0600) || sem_init(&semaphore, 0, 0))
		return false;
	fill(to[1]);
	fill(out[0]);
	locked = ready[1];
	lock_elsewhere();
	if (read(ready[0], block, 1) != 1)
		return false;
	/* A server with a queue for nobody, where one waits: the next one has to wait outside. */
	snprintf(name.sun_path, sizeof(name.sun_path), "alarmed.full");
	full = socket(AF_UNIX, SOCK_STREAM, 0);
	if (bind(full, (struct sockaddr *)&name, sizeof(name)) || listen(full, 0) ||
	    connect(socket(AF_UNIX, SOCK_STREAM, 0), (struct sockaddr *)&name, sizeof(name)))
		return false;
	server = socket(AF_UNIX, SOCK_STREAM, 0);
	queue = mq_open("/alarmed", O_RDWR | O_CREAT, 0600, &attributes);
	mq_unlink("/alarmed");
	return bind(server, &(struct sockaddr){.sa_family = AF_UNIX}, sizeof(sa_family_t)) == 0 &&
	       listen(server, 1) == 0 && queue >= 0;
}

static void wait_in(size_t i, unsigned rounds)
{
	long result = 0;
	int error = 0;

	atomic_store(&shared->early, 0);
	atomic_store(&shared->missed, 0);
	for (unsigned k = 0; k < rounds; k++) {
		atomic_fetch_add(&shared->entered, 1);
		result = calls[i].call();
		error = errno;
		atomic_fetch_add(&shared->done, 1);
		if (result >= 0 || error != EINTR)
			break;
	}
	printf("%s %ld %s %u %u\n", calls[i].name, result, strerrorname_np(error),
	       atomic_load(&shared->early), atomic_load(&shared->missed));
	fflush(stdout);
}

int main(int argc, char **argv)
{
	struct sigaction action = {.sa_handler = on_signal};
	unsigned rounds = argc > 2 ? (unsigned)strtoul(argv[2], NULL, 10) : 20;
	pid_t other;

	if (argc < 2 || !prepare()) {
		perror("alarmed");
		return 1;
	}
	sigaction(SIGALRM, &action, NULL);
	action.sa_flags = SA_RESTART;
	sigaction(SIGUSR1, &action, NULL);
	with_ticks = strcmp(argv[1], "ticks") == 0;
	target = getpid();
	other = fork();
	if (other == 0)
		sender();
	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++)
		wait_in(i, rounds);
	atomic_store(&shared->ended, 1);
	waitpid(other, NULL, 0);
	kill(sleeper, SIGKILL);
	waitpid(sleeper, NULL, 0);
	return 0;
}
