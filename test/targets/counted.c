/* SPDX-License-Identifier: MIT */
/*
 * counted.c - calls functions a known number of times, in ways that end calls otherwise than by returning. It is compiled so that the
 * functions tell of their calls.
 *
 * Usage: counted WHAT N. Functions count by themselves. It prints "CALLER CALLEE COUNT" for each arc that it knows.
 */
#include <alloca.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#define QUIET __attribute__((no_instrument_function))
#define CALL  static __attribute__((noinline, noclone))

static volatile long sink;
static long n;

/* ---- calls that return ---- */

CALL void leaf(void)
{
	sink++;
}

CALL void middle(long times)
{
	for (long i = 0; i < times; i++)
		leaf();
	sink++;
}

CALL void deep(long k)
{
	if (k)
		deep(k - 1);
	sink++;
}

CALL void odd(long k);
CALL void even(long k)
{
	if (k)
		odd(k - 1);
	sink++;
}

CALL void odd(long k)
{
	if (k)
		even(k - 1);
	sink++;
}

CALL void plain(void)
{
	for (long i = 0; i < n; i++)
		middle(3);
	deep(10);
	even(10);
}

/* ---- room that is not written, in which return addresses stay ---- */

CALL void outer(void)
{
	leaf();
	middle(1);
	sink++;
}

CALL void makes_room(long bytes)
{
	volatile char *room;

	outer();
	room = alloca((size_t)bytes);
	sink += (uintptr_t)room & 1;
	leaf();
	outer();
	sink++;
}

CALL void rooms(void)
{
	for (long i = 0; i < n; i++)
		makes_room(16 + i % 8 * 64);
}

/* ---- longjmp ---- */

static jmp_buf place;

CALL void thrower(void)
{
	sink++;
	longjmp(place, 1);
}

CALL void between(void)
{
	thrower();
	sink++;
}

CALL void jumps(void)
{
	for (volatile long i = 0; i < n; i++) {
		if (!setjmp(place))
			between();
		leaf();
	}
}

/* ---- signals ---- */

CALL void in_handler(void)
{
	sink++;
}

static void handler(int number)
{
	(void)number;
	in_handler();
}

CALL void raiser(void)
{
	leaf();
	raise(SIGUSR1);
	leaf();
}

CALL void signals(void)
{
	for (long i = 0; i < n; i++)
		raiser();
}

/* ---- another stack ---- */

static ucontext_t main_context, contexts[4];

CALL void yield(int i)
{
	leaf();
	swapcontext(&contexts[i], &main_context);
}

static void coroutine(int i)
{
	for (;;)
		yield(i);
}

CALL void coroutines(void)
{
	for (int i = 0; i < 4; i++) {
		char *stack = malloc(65536);

		getcontext(&contexts[i]);
		contexts[i].uc_stack.ss_sp = stack;
		contexts[i].uc_stack.ss_size = 65536;
		makecontext(&contexts[i], (void (*)(void))coroutine, 1, i);
	}
	for (long k = 0; k < n; k++)
		for (int i = 0; i < 4; i++) {
			swapcontext(&main_context, &contexts[i]);
			middle(1);
		}
}

/* ---- threads ---- */

static void *thread(void *unused)
{
	for (long i = 0; i < n; i++)
		middle(2);
	return unused;
}

CALL void threads(int count)
{
	pthread_t t[8];

	for (int round = 0; round < 3; round++) {
		for (int i = 0; i < count; i++)
			pthread_create(&t[i], NULL, thread, NULL);
		for (int i = 0; i < count; i++)
			pthread_join(t[i], NULL);
	}
}

/* ---- processes ---- */

CALL void forks(void)
{
	middle(1);
	if (fork() == 0) {
		for (long i = 0; i < n; i++)
			middle(5);
		exit(0);
	}
	wait(NULL);
	middle(1);
}

/* ---- other programs ---- */

extern char **environ;
static const char *self;

/* What it becomes counts by itself: plain 2. */
CALL void becomes(void)
{
	middle(1);
	printf("becomes middle 1\nmiddle leaf 1\n");
	fflush(stdout);
	execl(self, self, "plain", "2", (char *)NULL);
	exit(3);
}

CALL void spawns(void)
{
	char *arguments[] = {(char *)(uintptr_t)self, (char *)"plain", (char *)"2", NULL};
	pid_t child;

	for (long i = 0; i < n; i++)
		middle(1);
	if (posix_spawn(&child, self, NULL, NULL, arguments, environ))
		exit(3);
	waitpid(child, NULL, 0);
	middle(1);
}

/* The child has the parent's memory until it is another program. */
CALL void vforks(void)
{
	for (volatile long i = 0; i < n; i++)
		middle(1);
	if (vfork() == 0) {
		middle(1);
		execl(self, self, "plain", "2", (char *)NULL);
		_exit(3);
	}
	wait(NULL);
	middle(1);
}

CALL void forks_and_becomes(void)
{
	middle(1);
	if (fork() == 0) {
		printf("forks_and_becomes becomes 1\n");
		becomes();
	}
	wait(NULL);
	middle(1);
}

static atomic_bool is_over;
static atomic_long done;

static void *worker(void *unused)
{
	long times = 0;

	for (; !atomic_load(&is_over); times++)
		middle(2);
	atomic_fetch_add(&done, times);
	return unused;
}

/* Others count meanwhile. */
CALL void fails(void)
{
	pthread_t t[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, worker, NULL);
	for (long i = 0; i < n; i++) {
		middle(1);
		execl("/nonexistent/program", "program", (char *)NULL);
	}
	atomic_store(&is_over, true);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
}

/* ---- a timer that strikes anywhere ---- */

CALL void struck(void)
{
	struct itimerval often = {{0, 100}, {0, 100}}, never = {{0, 0}, {0, 0}};

	setitimer(ITIMER_REAL, &often, NULL);
	for (long i = 0; i < n; i++)
		middle(3);
	setitimer(ITIMER_REAL, &never, NULL);
}

static volatile long strikes;

static void on_alarm(int number)
{
	(void)number;
	strikes++;
	in_handler();
	in_handler();
}

QUIET static void handle(int number, void (*f)(int), int flags)
{
	struct sigaction action = {.sa_handler = f, .sa_flags = flags};
	static char stack[65536];
	stack_t other = {.ss_sp = stack, .ss_size = sizeof(stack)};

	if (flags & SA_ONSTACK)
		sigaltstack(&other, NULL);
	sigaction(number, &action, NULL);
}

/* ---- a timer that throws the program back some times, mostly in the middle of counting something new ---- */

static void wander(long k);
CALL void a(long k)
{
	wander(k);
	sink++;
}
CALL void b(long k)
{
	wander(k);
	sink++;
}
CALL void c(long k)
{
	wander(k);
	sink++;
}
CALL void d(long k)
{
	wander(k);
	sink++;
}
CALL void e(long k)
{
	wander(k);
	sink++;
}
CALL void f(long k)
{
	wander(k);
	sink++;
}
CALL void g(long k)
{
	wander(k);
	sink++;
}

QUIET static void wander(long k)
{
	static void (*const all[])(long) = {a, b, c, d, e, f, g};
	static uint32_t x = 1;

	x = x * 1664525 + 1013904223;
	if (k)
		all[(x >> 16) % 7](k - 1);
}

static sigjmp_buf top;

QUIET static void throw_back(int number)
{
	(void)number;
	if (strikes < 12) {
		strikes++;
		siglongjmp(top, 1);
	}
}

CALL void wanders(void)
{
	struct itimerval often = {{0, 1000}, {0, 1000}}, never = {{0, 0}, {0, 0}};

	setitimer(ITIMER_REAL, &often, NULL);
	for (volatile long i = 0; i < n; i++)
		if (!sigsetjmp(top, 1))
			wander(12);
	setitimer(ITIMER_REAL, &never, NULL);
}

/* ---- time ---- */

CALL void naps(void)
{
	usleep(200000);
}

CALL void calls_naps(void)
{
	for (volatile long i = 0; i < n; i++)
		naps();
	sink++;
}

/* False: it is something else. */
QUIET __attribute__((always_inline)) static inline bool becomes_others(const char *what)
{
	if (!strcmp(what, "exec")) {
		printf("main becomes 1\n");
		becomes();
	} else if (!strcmp(what, "spawn")) {
		spawns();
		printf("main spawns 1\nspawns middle %ld\nmiddle leaf %ld\n", n + 1, n + 1);
	} else if (!strcmp(what, "vfork")) {
		vforks();
		printf("main vforks 1\nvforks middle %ld\nmiddle leaf %ld\n", n + 2, n + 2);
	} else if (!strcmp(what, "forkexec")) {
		forks_and_becomes();
		printf("main forks_and_becomes 1\nforks_and_becomes middle 2\nmiddle leaf 2\n");
	} else if (!strcmp(what, "fails")) {
		fails();
		printf("main fails 1\nfails middle %ld\n- worker 2\nworker middle %ld\n", n, done);
		printf("middle leaf %ld\n", n + 2 * done);
	} else {
		return false;
	}
	return true;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	n = argc > 2 ? atol(argv[2]) : 1000;
	self = argv[0];
	if (!strcmp(what, "plain")) {
		plain();
		printf("main plain 1\nplain middle %ld\nmiddle leaf %ld\nplain deep 1\ndeep deep "
		       "10\n",
		       n, 3 * n);
		printf("plain even 1\neven odd 5\nodd even 5\n");
	} else if (!strcmp(what, "rooms")) {
		rooms();
		printf("main rooms 1\nrooms makes_room %ld\nmakes_room outer %ld\n", n, 2 * n);
		printf("makes_room leaf %ld\nouter leaf %ld\nouter middle %ld\nmiddle leaf %ld\n",
		       n, 2 * n, 2 * n, 2 * n);
	} else if (!strcmp(what, "longjmp")) {
		jumps();
		printf("main jumps 1\njumps between %ld\nbetween thrower %ld\njumps leaf %ld\n", n,
		       n, n);
	} else if (!strcmp(what, "signals") || !strcmp(what, "altstack")) {
		handle(SIGUSR1, handler, *what == 'a' ? SA_ONSTACK : 0);
		signals();
		printf("main signals 1\nsignals raiser %ld\nraiser leaf %ld\n", n, 2 * n);
		printf("raiser handler %ld\nhandler in_handler %ld\n", n, n);
	} else if (!strcmp(what, "coroutines")) {
		coroutines();
		printf("main coroutines 1\n- coroutine 4\ncoroutine yield %ld\nyield leaf %ld\n",
		       4 * n, 4 * n);
		printf("coroutines middle %ld\nmiddle leaf %ld\n", 4 * n, 4 * n);
	} else if (!strcmp(what, "threads")) {
		threads(8);
		printf("main threads 1\n- thread 24\nthread middle %ld\nmiddle leaf %ld\n", 24 * n,
		       48 * n);
	} else if (!strcmp(what, "fork")) {
		forks();
		printf("main forks 1\nforks middle 2\nmiddle leaf 2\n");
	} else if (!strcmp(what, "struck")) {
		handle(SIGALRM, on_alarm, 0);
		struck();
		printf("main struck 1\nstruck middle %ld\nmiddle leaf %ld\non_alarm in_handler "
		       "%ld\n",
		       n, 3 * n, 2 * strikes);
	} else if (!strcmp(what, "thrown")) {
		handle(SIGALRM, throw_back, 0);
		wanders();
		printf("%ld\n", strikes);
	} else if (!strcmp(what, "killed") || !strcmp(what, "killed_later")) {
		if (what[6])
			fails();
		for (;;)
			plain();
	} else if (!strcmp(what, "naps")) {
		calls_naps();
		printf("main calls_naps 1\ncalls_naps naps %ld\n", n);
	} else if (!becomes_others(what)) {
		return 2;
	}
	return 0;
}
