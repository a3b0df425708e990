/* SPDX-License-Identifier: MIT */
/*
 * partial_ends.h - the part of partial.c that is about calls that return a part without the recorder, too.
 */
#define TIMEOUT 200 /* ms */

static volatile sig_atomic_t alarms, broken_pipes, too_large;

static void do_not_wait(void)
{
	int p[2], s[2];
	ssize_t first = 0, n;

	for (int i = 0; i < 200; i++) {
		if (pipe2(p, O_NONBLOCK) || socketpair(AF_UNIX, SOCK_STREAM, 0, s))
			die("pipe2");
		fcntl(p[1], F_SETPIPE_SZ, 1 << 20);
		n = write(p[1], from, MANY);
		if (n != 1 << 20)
			say("write without waiting", n);
		first = i ? first : send(s[0], from, MANY, MSG_DONTWAIT);
		if (i && (n = send(s[0], from, MANY, MSG_DONTWAIT)) != first)
			say("send without waiting", n);
		close(p[0]);
		close(p[1]);
		close(s[0]);
		close(s[1]);
	}
	say_part("send without waiting", first);
}

static void read_what_is_there(void)
{
	int p[2], s[2];
	ssize_t n = 0;

	if (pipe(p) || socketpair(AF_UNIX, SOCK_STREAM, 0, s))
		die("pipe");
	fcntl(p[1], F_SETPIPE_SZ, 1 << 20);
	for (int i = 0; i < 2000; i++) {
		if (write(p[1], from, 60000) != 60000 || (n = read(p[0], to, MANY)) != 60000)
			say("read of what there is", n);
		if (send(s[1], from, 60000, 0) != 60000 || (n = recv(s[0], to, MANY, 0)) <= 0)
			say("recv of what there is", n);
		while (n < 60000)
			n += recv(s[0], to, MANY, 0);
	}
	for (int i = 0; i < 2; i++) {
		close(p[i]);
		close(s[i]);
	}
}

static void on_alarm(int number)
{
	(void)number;
	alarms++;
}

static void on_pipe(int number)
{
	(void)number;
	broken_pipes++;
}

static void on_limit(int number)
{
	(void)number;
	too_large++;
}

/* Again and again: if a tick comes just then, the call may go on. */
static void alarm_every(int ms)
{
	const struct itimerval when = {{0, ms * 1000}, {0, ms * 1000}};

	setitimer(ITIMER_REAL, &when, NULL);
}

/* Handlers of its own interrupt the call, with SA_RESTART, too. */
static void interrupt(int flags)
{
	struct sigaction action = {.sa_handler = on_alarm, .sa_flags = flags};
	int p[2], s[2];

	if (pipe(p) || socketpair(AF_UNIX, SOCK_STREAM, 0, s))
		die("pipe");
	sigaction(SIGALRM, &action, NULL);
	alarm_every(100);
	say("write, an alarm", write(p[1], from, MANY));
	alarm_every(100);
	say_part("send, an alarm", send(s[0], from, MANY, 0));
	if (write(s[1], from, 1000) != 1000)
		die("write");
	alarm_every(100);
	say("recv, an alarm", recv(s[0], to, MANY, MSG_WAITALL));
	alarm_every(0);
	say("  alarms", alarms > 0);
	alarms = 0;
	for (int i = 0; i < 2; i++) {
		close(p[i]);
		close(s[i]);
	}
}

/* Wrappers do not see every timeout that is set. How much comes until then depends on the recorder. */
static void time_out_unseen(void)
{
	const struct timeval limit = {0, TIMEOUT * 50};
	int s[2], parts = 0;
	ssize_t n;

	for (int i = 0; i < 30; i++) {
		if (socketpair(AF_UNIX, SOCK_STREAM, 0, s))
			die("socketpair");
		syscall(SYS_setsockopt, s[0], SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit));
		n = send(s[0], from, MANY, 0);
		parts += n > 0 && (size_t)n < MANY;
		close(s[0]);
		close(s[1]);
	}
	say("sends with a timeout that nobody has seen", parts);
}

static void time_out(void)
{
	const struct timeval limit = {0, TIMEOUT * 1000};
	struct timespec a, b;
	int s[2];
	long ms;

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, s))
		die("socketpair");
	setsockopt(s[0], SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit));
	setsockopt(s[0], SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
	if (write(s[1], from, 1000) != 1000)
		die("write");
	clock_gettime(CLOCK_MONOTONIC, &a);
	say_part("send, a timeout", send(s[0], from, MANY, 0));
	say("recv, a timeout", recv(s[0], to, MANY, MSG_WAITALL));
	clock_gettime(CLOCK_MONOTONIC, &b);
	ms = (b.tv_sec - a.tv_sec) * 1000 + (b.tv_nsec - a.tv_nsec) / 1000000;
	printf("  in %s\n", ms >= 2 * TIMEOUT - 5 ? "time" : "too little time");
	close(s[0]);
	close(s[1]);
}

static void take_some(int fd, size_t n)
{
	for (ssize_t more; n > 0; n -= (size_t)more) {
		more = read(fd, to, n);
		if (more <= 0)
			break;
	}
	usleep(100000);
	close(fd);
}

static void connect_tcp(int s[2])
{
	struct sockaddr_in name = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
	int door = socket(AF_INET, SOCK_STREAM, 0), small = 1 << 16;
	socklen_t room = sizeof(name);

	s[1] = socket(AF_INET, SOCK_STREAM, 0);
	setsockopt(s[1], SOL_SOCKET, SO_SNDBUF, &small, sizeof(small));
	setsockopt(door, SOL_SOCKET, SO_RCVBUF, &small, sizeof(small));
	if (bind(door, (void *)&name, room) || listen(door, 1) ||
	    getsockname(door, (void *)&name, &room) || connect(s[1], (void *)&name, room))
		die("connect");
	s[0] = accept(door, NULL, NULL);
	close(door);
}

static void break_off(void)
{
	int p[2], s[2];

	signal(SIGPIPE, on_pipe);
	if (pipe(p))
		die("pipe");
	begin(take_some, p[0], p[1], MANY / 2);
	say_part("write, the reader ends", write(p[1], from, MANY));
	say("  SIGPIPE", broken_pipes);
	say("  then", write(p[1], from, 1));
	end(p[1]);
	broken_pipes = 0;
	connect_tcp(s);
	begin(take_some, s[0], s[1], MANY / 2);
	say_part("send, the receiver ends", send(s[1], from, MANY, 0));
	say("  SIGPIPE", broken_pipes);
	say("  then", send(s[1], from, 1, 0));
	say("  then", send(s[1], from, 1, 0));
	say("  SIGPIPE", broken_pipes);
	end(s[1]);
	broken_pipes = 0;
}

static void reach_limit(void)
{
	const struct rlimit limit = {MANY / 2, RLIM_INFINITY},
			    none = {RLIM_INFINITY, RLIM_INFINITY};
	FILE *f = tmpfile();
	int in = file_of(MANY);
	ssize_t n;

	signal(SIGXFSZ, on_limit);
	setrlimit(RLIMIT_FSIZE, &limit);
	for (int i = 0; i < 20; i++) {
		n = pwrite(fileno(f), from, MANY, 0);
		lseek(fileno(f), 0, SEEK_SET);
		if (n != MANY / 2 || (n = write(fileno(f), from, MANY)) != MANY / 2)
			say("write, the file is too large", n);
	}
	say("write, the file is too large", too_large);
	setrlimit(RLIMIT_FSIZE, &none);
	close(in);
	fclose(f);
}

static void *write_for_ever(void *fd)
{
	say("write, cancelled", write(*(int *)fd, from, MANY));
	return NULL;
}

static void cancel(void)
{
	pthread_t thread;
	void *result;
	int p[2], bytes = 0;

	if (pipe(p) || pthread_create(&thread, NULL, write_for_ever, &p[1]))
		die("pipe");
	while (bytes < 65536 && ioctl(p[0], FIONREAD, &bytes) == 0)
		usleep(1000);
	usleep(2000);
	pthread_cancel(thread);
	pthread_join(thread, &result);
	say("write, cancelled", result == PTHREAD_CANCELED);
	close(p[0]);
	close(p[1]);
}

/* ---- terminals ------------------------------------------------------------------------------- */

enum { AT_ONCE = 10, READS = 100 };

/* Hangs up only when the other side has. */
static void feed_terminal(int fd, size_t n)
{
	char none;

	for (size_t i = 0; i < n; i += AT_ONCE) {
		feed(fd, 4);
		usleep(2000);
		feed(fd, n - i < AT_ONCE ? 0 : AT_ONCE - 4);
		usleep(2000);
	}
	while (read(fd, &none, 1) > 0)
		;
}

static ssize_t read_by_function(int fd, void *bytes, size_t n)
{
	return read(fd, bytes, n);
}

static ssize_t read_by_number(int fd, void *bytes, size_t n)
{
	return syscall(SYS_read, fd, bytes, n);
}

/* A read gives AT_ONCE bytes, or what there is if none comes for that many tenths of a second. */
static void read_terminal(const char *what, ssize_t (*reads)(int, void *, size_t), size_t n,
			  unsigned char tenths)
{
	int master = posix_openpt(O_RDWR | O_NOCTTY), terminal = -1, others = 0;
	struct termios t;

	if (master < 0 || grantpt(master) || unlockpt(master) ||
	    (terminal = open(ptsname(master), O_RDWR | O_NOCTTY)) < 0 || tcgetattr(terminal, &t))
		die("terminal");
	cfmakeraw(&t);
	t.c_cc[VMIN] = AT_ONCE;
	t.c_cc[VTIME] = tenths;
	tcsetattr(terminal, TCSANOW, &t);
	begin(feed_terminal, master, terminal, n);
	for (size_t i = 0; i + AT_ONCE <= n; i += AT_ONCE)
		others += reads(terminal, to, AT_ONCE) != AT_ONCE;
	printf("%s: %d reads are short\n", what, others);
	if (n % AT_ONCE)
		say("  the last one", reads(terminal, to, AT_ONCE));
	end(terminal);
}

static void read_terminals(void)
{
	read_terminal("a terminal", read_by_function, READS * AT_ONCE, 0);
	read_terminal("a terminal by syscall", read_by_number, READS * AT_ONCE, 0);
	read_terminal("a terminal, bytes in time", read_by_function, READS * AT_ONCE, 255);
	read_terminal("a terminal, bytes too late", read_by_function, 4, 1);
}

/* ---- all of a stream, in two parts ------------------------------------------------------------ */

enum { HALF = 50, PARTS = 100 };

static void feed_halves(int fd, size_t n)
{
	const int at_once = 1;
	char taken;

	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &at_once, sizeof(at_once));
	for (size_t i = 0; i < n; i++) {
		feed(fd, HALF);
		usleep(2000);
		feed(fd, HALF);
		if (read(fd, &taken, 1) != 1)
			break;
	}
}

/* The first three leave the bytes where they are. */
static ssize_t receive_by(size_t how, int fd)
{
	char control[256];
	struct iovec v = {to, 2 * HALF};
	struct msghdr m = {.msg_iov = &v,
			   .msg_iovlen = 1,
			   .msg_control = control,
			   .msg_controllen = sizeof(control)};

	switch (how) {
	case 0:
		return recv(fd, to, 2 * HALF, MSG_PEEK | MSG_WAITALL);
	case 1:
		return syscall(SYS_recvfrom, fd, to, 2 * HALF, MSG_PEEK | MSG_WAITALL, NULL, NULL);
	case 2:
		return recvmsg(fd, &m, MSG_PEEK | MSG_WAITALL);
	case 3:
		return recvmsg(fd, &m, MSG_WAITALL);
	default:
		return syscall(SYS_recvmsg, fd, &m, MSG_WAITALL);
	}
}

static void receive_halves(void)
{
	int s[2], others[5] = {0};

	connect_tcp(s);
	begin(feed_halves, s[1], s[0], PARTS);
	for (size_t i = 0; i < PARTS; i++) {
		ssize_t n = receive_by(i % 5, s[0]);

		others[i % 5] += n != 2 * HALF;
		n = i % 5 < 3 ? 0 : n;
		if (n < 2 * HALF)
			recv(s[0], to, 2 * HALF - (size_t)n, MSG_WAITALL);
		send(s[0], from, 1, 0);
	}
	printf("halves that are looked at, or with room for control data: %d %d %d, %d %d short\n",
	       others[0], others[1], others[2], others[3], others[4]);
	end(s[0]);
}
