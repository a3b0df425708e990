/* SPDX-License-Identifier: MIT */
/*
 * perf.c - what could go wrong with a clock that is a perf event of each thread.
 *
 * perf threads N MS     N threads at once use MS of CPU time each perf short N          N threads,
 * one after the other, eight at a time; each uses a little perf fork N MS        N children, one
 * after the other, each uses MS; so does the parent perf exec N           becomes itself N times,
 * without the recorder, after some CPU time perf closes MS        closes all descriptors above 2,
 * opens a file, uses MS, and says which number it has perf lists            the descriptors that
 * are open, while another thread runs perf full MS          uses MS, then may have no signal
 * pending, and uses MS again perf blocked MS       uses MS with all signals blocked, those of the C
 * library, too perf crowded MS       four threads use MS each, and there is no room for one more
 * descriptor
 *
 * perf sigio             what the program sees and does with SIGIO; status 3: not what it would be
 * bare
 *
 * All but exec print "events N", the events that are mapped at the end, on standard output.
 */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "burn.h"

enum { THREADS_MAX = 64 };

static uint64_t use(uint64_t ns)
{
	uint64_t end = cpu_ns(CLOCK_THREAD_CPUTIME_ID) + ns, x = 1, now;

	while ((now = cpu_ns(CLOCK_THREAD_CPUTIME_ID)) < end)
		x += burn(now, 50000);
	return x;
}

static void *work(void *ns)
{
	use(*(uint64_t *)ns);
	return NULL;
}

static int run(unsigned n, uint64_t ns)
{
	pthread_t threads[THREADS_MAX];

	for (unsigned i = 0; i < n; i++)
		if (pthread_create(&threads[i], NULL, work, &ns))
			return 1;
	for (unsigned i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
	return 0;
}

static int run_short(unsigned n)
{
	for (unsigned i = 0; i < n; i += 8)
		if (run(8, 200000))
			return 1;
	return 0;
}

static int fork_often(unsigned n, uint64_t ns)
{
	for (unsigned i = 0; i < n; i++) {
		pid_t pid = fork();
		int status;

		if (pid == 0) {
			use(ns);
			exit(0);
		}
		if (pid < 0 || waitpid(pid, &status, 0) != pid || status)
			return 1;
	}
	use(ns);
	return 0;
}

static int exec_often(char **argv, unsigned n)
{
	char number[16];

	use(5000000);
	if (!n)
		return 0;
	snprintf(number, sizeof(number), "%u", n - 1);
	argv[2] = number;
	unsetenv("LD_PRELOAD");
	execv("/proc/self/exe", argv);
	return 1;
}

static int close_all(uint64_t ns)
{
	int fd;

	closefrom(3);
	fd = open("/dev/null", O_RDONLY);
	use(ns);
	printf("descriptor %d, closed with %d\n", fd, close(fd));
	return run(4, ns);
}

static int list(void)
{
	uint64_t ns = 50000000;
	pthread_t thread;

	if (pthread_create(&thread, NULL, work, &ns))
		return 1;
	for (int fd = 0; fd < 1024; fd++)
		if (fcntl(fd, F_GETFD) >= 0)
			printf("open: %d\n", fd);
	pthread_join(thread, NULL);
	return 0;
}

static int fill(uint64_t ns)
{
	struct rlimit none = {0, 0};

	use(ns);
	if (setrlimit(RLIMIT_SIGPENDING, &none))
		return 1;
	use(ns);
	return 0;
}

static int block(uint64_t ns)
{
	uint64_t all = ~UINT64_C(0), before;

	if (syscall(SYS_rt_sigprocmask, SIG_SETMASK, &all, &before, sizeof(all)))
		return 1;
	use(ns);
	return syscall(SYS_rt_sigprocmask, SIG_SETMASK, &before, NULL, sizeof(before)) != 0;
}

static int crowd(uint64_t ns)
{
	struct rlimit limit, before;

	use(50000000); /* the recording has begun */
	if (getrlimit(RLIMIT_NOFILE, &before))
		return 1;
	limit = before;
	limit.rlim_cur = 0;
	return setrlimit(RLIMIT_NOFILE, &limit) || run(4, ns) || setrlimit(RLIMIT_NOFILE, &before);
}

static volatile sig_atomic_t handled;

static void handle(int number)
{
	handled += number == SIGIO;
}

/* SIGIO goes from the default to a handler and back. */
static int own_sigio(void)
{
	struct sigaction mine = {.sa_handler = handle}, old, now, back;

	use(20000000);
	if (sigaction(SIGIO, &mine, &old) || raise(SIGIO) || sigaction(SIGIO, NULL, &now) ||
	    signal(SIGIO, SIG_DFL) != handle || sigaction(SIGIO, NULL, &back))
		return 1;
	return old.sa_handler == SIG_DFL && handled == 1 && now.sa_handler == handle &&
			       !(now.sa_flags & SA_RESTART) && back.sa_handler == SIG_DFL
		       ? 0
		       : 3;
}

static unsigned events(void)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	char line[512];
	unsigned n = 0;

	while (maps && fgets(line, sizeof(line), maps))
		n += strstr(line, "[perf_event]") != NULL;
	if (maps)
		fclose(maps);
	return n;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	unsigned n = argc > 2 ? (unsigned)atoi(argv[2]) : 1;
	uint64_t ms = argc > 3 ? strtoull(argv[3], NULL, 10) : n;
	int bad = 2;

	if (strcmp(what, "threads") == 0)
		bad = run(n, ms * 1000000);
	else if (strcmp(what, "short") == 0)
		bad = run_short(n);
	else if (strcmp(what, "fork") == 0)
		bad = fork_often(n, ms * 1000000);
	else if (strcmp(what, "exec") == 0)
		return exec_often(argv, n);
	else if (strcmp(what, "closes") == 0)
		bad = close_all(ms * 1000000);
	else if (strcmp(what, "lists") == 0)
		bad = list();
	else if (strcmp(what, "full") == 0)
		bad = fill(ms * 1000000);
	else if (strcmp(what, "sigio") == 0)
		bad = own_sigio();
	else if (strcmp(what, "blocked") == 0)
		bad = block(ms * 1000000);
	else if (strcmp(what, "crowded") == 0)
		bad = crowd(ms * 1000000);
	printf("events %u\n", events());
	return bad;
}
