/* SPDX-License-Identifier: MIT */
/*
 * forks.c - forks and execs under conditions that are not easy.
 *
 *	forks storm CHILDREN SIGNALS   forks while three threads send SIGPROF without end; each child sends SIGNALS
 *	forks chain                    becomes itself again by each function of the exec family, after one that failed
 *	forks away PROGRAM...          becomes another program while three threads use CPU time
 *	forks big MIB CHILDREN         forks with much memory
 *	forks many CHILDREN            forks, one child after the other; prints microseconds for each
 *	forks nested fork|exec         forks in a handler that has interrupted fork, or becomes another program there
 *	forks mask                     prints whether the C library's own signals are blocked
 */
#include <fcntl.h>
#include <gnu/libc-version.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "burn.h"

extern char **environ;

static volatile uint64_t sink;
static volatile int stop;

static void descend(unsigned depth)
{
	if (depth == 0)
		raise(SIGPROF);
	else
		descend(depth - 1);
	sink++;
}

static void *shout(void *argument)
{
	unsigned seed = (unsigned)(size_t)argument;

	while (!stop)
		descend((unsigned)rand_r(&seed) % 60);
	return NULL;
}

static void *work(void *argument)
{
	while (!stop)
		sink = burn(sink + (size_t)argument, 10000);
	return NULL;
}

static int wait_for(pid_t pid)
{
	int status = -1;

	return pid > 0 && waitpid(pid, &status, 0) == pid ? status : -1;
}

static void start(pthread_t *threads, size_t n, void *(*routine)(void *))
{
	for (size_t i = 0; i < n; i++)
		if (pthread_create(&threads[i], NULL, routine, (void *)(i + 1)))
			abort();
}

static int storm(int children, int signals)
{
	pthread_t threads[3];
	int failed = 0;

	descend(1);
	start(threads, 3, shout);
	for (int i = 0; i < children; i++) {
		pid_t pid;

		usleep(1000);
		pid = fork();
		if (pid == 0) {
			for (int k = 0; k < signals; k++)
				descend((unsigned)k % 50);
			exit(0);
		}
		failed += wait_for(pid) != 0;
	}
	stop = 1;
	for (size_t i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	return failed != 0;
}

static void before(void)
{
	for (int i = 0; i < 10; i++)
		sink = burn(sink + 1, BURN_LONG);
}

static void after(void)
{
	for (int i = 0; i < 10; i++)
		sink = burn(sink + 2, BURN_LONG);
}

static int chain(char **argv, int link)
{
	static char number[12], mode[] = "chain";
	char *me = argv[0], *next[] = {me, mode, number, NULL}, *bad[] = {mode, NULL};

	before();
	snprintf(number, sizeof(number), "%d", link + 1);
	if (execv("/nonexistent", bad) != -1 || execvp("no-such-program", bad) != -1)
		return 1;
	after();
	switch (link) {
	case 0:
		return execv(me, next);
	case 1:
		return execve(me, next, environ);
	case 2:
		return execvp(me, next);
	case 3:
		return execvpe(me, next, environ);
	case 4:
		return execl(me, me, "chain", number, (char *)NULL);
	case 5:
		return execlp(me, me, "chain", number, (char *)NULL);
	case 6:
		return execle(me, me, "chain", number, (char *)NULL, environ);
	case 7:
		return fexecve(open(me, O_RDONLY | O_CLOEXEC), next, environ);
	case 8:
		return execveat(AT_FDCWD, me, next, environ, 0);
	default:
		puts("done");
		return 0;
	}
}

static int away(char **argv)
{
	pthread_t threads[3];

	start(threads, 3, work);
	for (int i = 0; i < 2; i++)
		sink = burn(sink, BURN_LONG);
	execvp(argv[0], argv);
	return 1;
}

static int big(size_t bytes, int children)
{
	char *memory =
		mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED)
		return 77;
	madvise(memory, bytes, MADV_NOHUGEPAGE); /* as many pages to copy as there can be */
	memset(memory, 1, bytes);
	for (int i = 0; i < children; i++) {
		pid_t pid = fork();

		if (pid == 0)
			_exit(memory[bytes / 2] != 1);
		if (wait_for(pid) != 0)
			return 1;
	}
	return 0;
}

static int many(int children)
{
	uint64_t begin = cpu_ns(CLOCK_MONOTONIC);

	for (int i = 0; i < children; i++) {
		pid_t pid = fork();

		if (pid == 0)
			exit(i % 100);
		if (wait_for(pid) != i % 100 << 8)
			return 1;
	}
	printf("%.0f\n", (double)(cpu_ns(CLOCK_MONOTONIC) - begin) / 1e3 / children);
	return 0;
}

/* The C library's functions hide these two. */
static int blocked_of_libc(void)
{
	uint64_t mask = 0;

	syscall(SYS_rt_sigprocmask, SIG_BLOCK, NULL, &mask, sizeof(mask));
	return (mask >> 31 & 3) != 0;
}

static const char *nested_by; /* NULL: no signal is sent in fork */
static char *own_path;

static void becomes_mask(void)
{
	execl(own_path, own_path, "mask", (char *)NULL);
	_exit(98);
}

static void on_nested(int number)
{
	pid_t pid;

	(void)number;
	pid = strcmp(nested_by, "fork") == 0 ? fork() : 0;
	if (pid == 0)
		becomes_mask();
	if (wait_for(pid) != 0)
		_exit(97);
}

static void interrupt(void)
{
	static int is_inside;

	if (nested_by && !is_inside++)
		raise(SIGALRM);
}

static void register_first(void)
{
	pthread_atfork(interrupt, NULL, NULL);
}

/* Before the constructors of libraries: what is registered first is called last, as near to the system call as can be. */
__attribute__((section(".preinit_array"), used)) static void (*const first)(void) = register_first;

static int nested(const char *by)
{
	struct sigaction action = {.sa_handler = on_nested};
	pid_t pid;

	if (strverscmp(gnu_get_libc_version(), "2.36") < 0)
		return 77;	/* a lock is held while such functions are called */
	unsetenv("LD_PRELOAD"); /* the recorder would unblock its signal */
	sigaction(SIGALRM, &action, NULL);
	nested_by = by;
	pid = fork();
	nested_by = NULL;
	if (pid == 0)
		becomes_mask();
	printf("outer child %d, parent %d\n", wait_for(pid), blocked_of_libc());
	return 0;
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "";
	int a = argc > 2 ? atoi(argv[2]) : 0, b = argc > 3 ? atoi(argv[3]) : 0;

	own_path = argv[0];
	setvbuf(stdout, NULL, _IONBF, 0);
	if (strcmp(mode, "storm") == 0)
		return storm(a, b);
	if (strcmp(mode, "chain") == 0)
		return chain(argv, a);
	if (strcmp(mode, "away") == 0 && argc > 2)
		return away(argv + 2);
	if (strcmp(mode, "big") == 0)
		return big((size_t)a << 20, b);
	if (strcmp(mode, "many") == 0)
		return many(a);
	if (strcmp(mode, "nested") == 0 && argc > 2)
		return nested(argv[2]);
	if (strcmp(mode, "mask") == 0)
		return printf("blocked %d\n", blocked_of_libc()) < 0 || blocked_of_libc();
	return 99;
}
