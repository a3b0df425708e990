/* SPDX-License-Identifier: MIT */
/*
 * depth.c - prints how much stack calls of each kind take, below the function that makes them.
 *
 * depth [hail]
 *
 * With `hail` a thread sends SIGPROF to the first thread all the time, which is for CPSAMPLE_RESOURCES=signals.
 *
 * Each kind is done by a coroutine, whose stack is filled with a pattern before. A kind is done once before, on another
 * stack, so that what happens only once is not counted.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#define STACK	    ((size_t)256 << 10)
#define PATTERN	    0xa5
#define TIMES	    200
#define A_MOMENT_NS 100000
#define PAGE	    4096

static ucontext_t back, coroutine;
static void (*work)(void);
static int ends[2], sockets[2], watched, out;
static FILE *stream;
static pthread_t first;
static atomic_bool is_held; /* by the other thread, until this one has got it */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER, other = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static sem_t semaphore;
static char block[64];

/* What fails says so, and the kinds before are not lost. */
static void check_at(int ok, int line)
{
	if (!ok) {
		printf("line %d: %s\n", line, strerror(errno));
		exit(1);
	}
}
#define check(ok) check_at(ok, __LINE__)

static struct timespec soon(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	t.tv_nsec += A_MOMENT_NS;
	if (t.tv_nsec >= 1000000000) {
		t.tv_nsec -= 1000000000;
		t.tv_sec++;
	}
	return t;
}

static void allocate(void)
{
	void *volatile kept[30];

	for (int i = 0; i < TIMES; i++)
		kept[i % 30] = malloc(2000), free(kept[i % 30]);
}

/* Without the recorder these take hardly any. */
static void allocate_little(void)
{
	for (int i = 0; i < TIMES; i++) {
		char *volatile p = malloc(100);

		free(p);
	}
}

static void reallocate(void)
{
	for (int i = 0; i < TIMES; i++)
		free(realloc(malloc(100), 3000));
}

static void transfer(void)
{
	for (int i = 0; i < 10 * TIMES; i++)
		check(write(ends[1], block, sizeof(block)) == sizeof(block) &&
		      read(ends[0], block, sizeof(block)) == sizeof(block));
}

/* A transfer that takes so long that ticks come into it. */
static void transfer_much(void)
{
	static char much[8 << 20];
	struct iovec parts[2] = {{much, sizeof(much) / 2},
				 {much + sizeof(much) / 2, sizeof(much) / 2}};
	int zero = open("/dev/zero", O_RDONLY), null = open("/dev/null", O_WRONLY);

	for (int i = 0; i < 10; i++)
		check(read(zero, much, sizeof(much)) == sizeof(much) &&
		      readv(zero, parts, 2) == sizeof(much) &&
		      pread(zero, much, sizeof(much), 0) == sizeof(much) &&
		      write(null, much, sizeof(much)) == sizeof(much));
	close(zero);
	close(null);
}

static void send_and_receive(void)
{
	for (int i = 0; i < TIMES; i++)
		check(send(sockets[1], block, sizeof(block), 0) == sizeof(block) &&
		      recv(sockets[0], block, sizeof(block), MSG_WAITALL) == sizeof(block) &&
		      sendto(sockets[1], block, sizeof(block), 0, NULL, 0) == sizeof(block) &&
		      recvfrom(sockets[0], block, sizeof(block), 0, NULL, NULL) == sizeof(block));
}

static void use_stream(void)
{
	for (int i = 0; i < 10 * TIMES; i++)
		check(fwrite(block, 1, sizeof(block), stream) == sizeof(block));
	fflush(stream);
}

/* Each of them waits. */
static void lock(void)
{
	for (int i = 0; i < TIMES / 4; i++) {
		while (!atomic_load(&is_held))
			sched_yield();
		pthread_mutex_lock(&mutex);
		atomic_store(&is_held, false);
		pthread_mutex_unlock(&mutex);
	}
}

static void await_condition(void)
{
	pthread_mutex_lock(&other);
	for (int i = 0; i < TIMES / 4; i++) {
		struct timespec until = soon();

		pthread_cond_timedwait(&condition, &other, &until);
	}
	pthread_mutex_unlock(&other);
}

static void await_semaphore(void)
{
	for (int i = 0; i < TIMES / 4; i++) {
		struct timespec until = soon();

		sem_timedwait(&semaphore, &until);
	}
}

static void nap(void)
{
	const struct timespec t = {0, A_MOMENT_NS};

	for (int i = 0; i < TIMES / 4; i++) {
		nanosleep(&t, NULL);
		clock_nanosleep(CLOCK_MONOTONIC, 0, &t, NULL);
		usleep(A_MOMENT_NS / 1000);
	}
}

static void watch(void)
{
	struct epoll_event event;
	const struct timespec t = {0, A_MOMENT_NS};

	for (int i = 0; i < TIMES / 8; i++) {
		poll(NULL, 0, 1);
		ppoll(NULL, 0, &t, NULL);
		epoll_wait(watched, &event, 1, 1);
		select(0, NULL, NULL, NULL, &(struct timeval){0, A_MOMENT_NS / 1000});
		pselect(0, NULL, NULL, NULL, &t, NULL);
	}
}

static void watch_masked(void)
{
	struct epoll_event event;
	const struct timespec t = {0, A_MOMENT_NS};
	sigset_t mask;

	sigfillset(&mask);
	for (int i = 0; i < TIMES / 8; i++) {
		ppoll(NULL, 0, &t, &mask);
		pselect(0, NULL, NULL, NULL, &t, &mask);
		epoll_pwait(watched, &event, 1, 1, &mask);
		syscall(SYS_ppoll, NULL, 0, &t, &mask, 8);
		sigemptyset(&mask);
	}
}

static void await_signal(void)
{
	const struct timespec t = {0, A_MOMENT_NS};
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	for (int i = 0; i < TIMES / 4; i++)
		sigtimedwait(&set, NULL, &t);
}

/* By syscall(2). */
static void read_by_number(void)
{
	static char much[8 << 20];
	int zero = open("/dev/zero", O_RDONLY);

	for (int i = 0; i < TIMES / 8; i++)
		check(syscall(SYS_read, zero, much, sizeof(much)) == sizeof(much));
	close(zero);
}

static void wait_by_number(void)
{
	const struct timespec t = {0, A_MOMENT_NS};

	for (int i = 0; i < TIMES / 8; i++) {
		syscall(SYS_nanosleep, &t, NULL);
		syscall(SYS_ppoll, NULL, 0, &t, NULL, 8);
	}
}

static void await_futex(void)
{
	const struct timespec t = {0, A_MOMENT_NS};
	int word = 0;

	for (int i = 0; i < TIMES / 8; i++)
		syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, &t, NULL, 0);
}

static void open_files(void)
{
	for (int i = 0; i < TIMES; i++)
		close(open("/dev/null", O_RDONLY));
}

static void lock_file(void)
{
	struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};

	for (int i = 0; i < TIMES; i++)
		check(fcntl(out, F_SETLKW, &whole) == 0);
}

static void await_child(void)
{
	pid_t child = fork();

	if (child == 0)
		_exit(0);
	check(waitpid(child, NULL, 0) == child);
}

static void change_signals(void)
{
	struct sigaction ignore = {.sa_handler = SIG_IGN};
	sigset_t set, before;
	stack_t stack;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	for (int i = 0; i < TIMES; i++) {
		sigprocmask(SIG_BLOCK, &set, &before);
		sigprocmask(SIG_SETMASK, &before, NULL);
		sigaction(SIGUSR2, &ignore, NULL);
		sigaltstack(NULL, &stack);
	}
}

static void touch(void)
{
	for (int k = 0; k < 20; k++) {
		char *pages = mmap(NULL, TIMES * PAGE, PROT_READ | PROT_WRITE,
				   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		check(pages != MAP_FAILED);
		for (int i = 0; i < TIMES; i++)
			pages[i * PAGE] = 1;
		munmap(pages, TIMES * PAGE);
	}
}

static const struct {
	const char *name;
	void (*work)(void);
} kinds[] = {
	{"malloc", allocate},
	{"malloc_100", allocate_little},
	{"realloc", reallocate},
	{"transfer", transfer},
	{"large", transfer_much},
	{"socket", send_and_receive},
	{"stream", use_stream},
	{"lock", lock},
	{"condition", await_condition},
	{"semaphore", await_semaphore},
	{"sleep", nap},
	{"poll", watch},
	{"masked", watch_masked},
	{"signal", await_signal},
	{"syscall_read", read_by_number},
	{"syscall_wait", wait_by_number},
	{"futex", await_futex},
	{"open", open_files},
	{"file_lock", lock_file},
	{"child", await_child},
	{"signals", change_signals},
	{"faults", touch},
};

static void *hold(void *unused)
{
	const struct timespec t = {0, 2 * A_MOMENT_NS};

	(void)unused;
	for (;;) {
		pthread_mutex_lock(&mutex);
		atomic_store(&is_held, true);
		nanosleep(&t, NULL);
		pthread_mutex_unlock(&mutex);
		while (atomic_load(&is_held)) {
			nanosleep(&t, NULL);
			pthread_cond_broadcast(&condition);
		}
	}
	return NULL;
}

static void *hail(void *unused)
{
	const struct timespec t = {0, A_MOMENT_NS / 2};

	(void)unused;
	for (;;) {
		pthread_kill(first, SIGPROF);
		nanosleep(&t, NULL);
	}
	return NULL;
}

static void begin(void)
{
	work();
	swapcontext(&coroutine, &back);
}

static size_t depth_of(unsigned char *stack)
{
	size_t n = 0;

	memset(stack, PATTERN, STACK);
	getcontext(&coroutine);
	coroutine.uc_stack.ss_sp = stack;
	coroutine.uc_stack.ss_size = STACK;
	makecontext(&coroutine, begin, 0);
	swapcontext(&back, &coroutine);
	while (n < STACK && stack[n] == PATTERN)
		n++;
	return STACK - n;
}

int main(int argc, char **argv)
{
	const bool has_hail = argc > 1 && strcmp(argv[1], "hail") == 0;
	unsigned char *stack =
		mmap(NULL, STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	pthread_t thread;

	first = pthread_self();
	check(stack != MAP_FAILED && pipe(ends) == 0 &&
	      socketpair(AF_UNIX, SOCK_STREAM, 0, sockets) == 0);
	watched = epoll_create1(EPOLL_CLOEXEC);
	out = open("depth.lock", O_RDWR | O_CREAT, 0600);
	stream = fopen("/dev/null", "w");
	check(watched >= 0 && out >= 0 && stream && sem_init(&semaphore, 0, 0) == 0 &&
	      pthread_create(&thread, NULL, hold, NULL) == 0 &&
	      (!has_hail || pthread_create(&thread, NULL, hail, NULL) == 0));
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		work = kinds[i].work;
		work();
		printf("%s %zu\n", kinds[i].name, depth_of(stack));
	}
	return 0;
}
