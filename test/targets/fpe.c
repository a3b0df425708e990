/* SPDX-License-Identifier: MIT */
/*
 * fpe.c - raises floating-point exceptions at known places, and says what it can see of them.
 *
 * In: what to do, how often or for how many ms. Out: a sum over all results, and flags; they do not depend on time.
 */
#include <fenv.h>
#include <float.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "burn.h"

static volatile double zero = 0.0, one = 1.0, three = 3.0, big = DBL_MAX, small = DBL_MIN;
static sigjmp_buf back;

static uint64_t add(uint64_t sum, double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof(bits));
	return (sum ^ bits) * UINT64_C(0x100000001b3);
}

#ifdef __clang__
#define ALONE __attribute__((noinline))
#else
#define ALONE __attribute__((noinline, noclone))
#endif

#define PLACE(name, operation)                                                                     \
	static ALONE uint64_t name(unsigned long n)                                                \
	{                                                                                          \
		uint64_t sum = 0;                                                                  \
                                                                                                   \
		for (unsigned long i = 0; i < n; i++)                                              \
			sum = add(sum, operation);                                                 \
		return sum;                                                                        \
	}

PLACE(divides, one / zero)
PLACE(invalids, zero / zero)
PLACE(overflows, big *big)
PLACE(underflows, small / three)
PLACE(tiny_but_exact, small / (one + one))
PLACE(rounds, one / three)
PLACE(is_calm, one + one)
PLACE(afterwards, three / zero)

static const struct {
	const char *name;
	uint64_t (*f)(unsigned long);
} places[] = {{"divides", divides},	  {"invalids", invalids},    {"overflows", overflows},
	      {"underflows", underflows}, {"exact", tiny_but_exact}, {"rounds", rounds},
	      {"calm", is_calm}};

/* Flags stay from one place to the next in the second round. */
static void visit_all(const char *who, unsigned long n)
{
	char text[1024];
	int used = 0;

	for (int round = 0; round < 2; round++) {
		for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
			if (!round)
				feclearexcept(FE_ALL_EXCEPT);
			used += snprintf(text + used, sizeof(text) - (size_t)used, "%s %s %llx",
					 who, places[i].name, (unsigned long long)places[i].f(n));
			used += snprintf(text + used, sizeof(text) - (size_t)used, " %x\n",
					 (unsigned)fetestexcept(FE_ALL_EXCEPT));
		}
		feclearexcept(FE_ALL_EXCEPT);
	}
	fputs(text, stdout);
	fflush(stdout);
}

static void *run_thread(void *n)
{
	visit_all("thread", *(unsigned long *)n);
	return NULL;
}

static void work(unsigned long ms)
{
	uint64_t until = cpu_ns(CLOCK_THREAD_CPUTIME_ID) + ms * 1000000, sum = 0;

	while (cpu_ns(CLOCK_THREAD_CPUTIME_ID) < until)
		for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++)
			sum += places[i].f(100);
	printf("%d\n", sum != 0);
}

static void everywhere(unsigned long n)
{
	pthread_t thread;
	pid_t child;

	visit_all("main", n);
	pthread_create(&thread, NULL, run_thread, &n);
	pthread_join(thread, NULL);
	child = fork();
	if (child == 0) {
		visit_all("child", n);
		exit(0);
	}
	waitpid(child, NULL, 0);
}

static void leave(int number)
{
	siglongjmp(back, number);
}

/* It has 100 traps of its own. */
static void handle_own(unsigned long ms)
{
	struct sigaction action = {.sa_handler = leave};
	volatile unsigned n = 0;

	work(ms);
	printf("before: %x\n", (unsigned)fegetexcept());
	sigaction(SIGFPE, &action, NULL);
	printf("enabled before: %x\n", (unsigned)feenableexcept(FE_DIVBYZERO));
	for (volatile unsigned i = 0; i < 100; i++) {
		if (sigsetjmp(back, 1)) {
			n++;
			feenableexcept(FE_DIVBYZERO);
		} else {
			divides(10000);
		}
	}
	printf("now: %x, traps: %u\n", (unsigned)fegetexcept(), n);
	printf("%d\n", rounds(ms * 100000) != 0);
	fedisableexcept(FE_ALL_EXCEPT);
	divides(10000);
	printf("after: %x\n", (unsigned)fegetexcept());
}

static void alarm_every(long us)
{
	struct itimerval every = {{0, us}, {0, us}};

	setitimer(ITIMER_REAL, &every, NULL);
}

static void *work_beside(void *ms)
{
	work(*(unsigned long *)ms);
	return NULL;
}

/* Before each exec, which fails, the kernel is told that SIGFPE is ignored. */
static void fail_to_exec(unsigned long ms)
{
	char *const none[] = {NULL};
	pthread_t thread;
	uint64_t until;

	signal(SIGFPE, SIG_IGN);
	pthread_create(&thread, NULL, work_beside, &ms);
	until = cpu_ns(CLOCK_MONOTONIC) + ms * 1000000;
	while (cpu_ns(CLOCK_MONOTONIC) < until) {
		execve("/nowhere", none, none);
		usleep(3000);
	}
	pthread_join(thread, NULL);
}

static void work_afterwards(void)
{
	uint64_t until = cpu_ns(CLOCK_THREAD_CPUTIME_ID) + 60000000, sum = 0;

	while (cpu_ns(CLOCK_THREAD_CPUTIME_ID) < until)
		sum |= afterwards(100);
	printf("%d\n", sum != 0);
}

/* A handler that does not return comes at any place: also where an exception's instruction is about to be executed. */
static void leave_often(unsigned long n)
{
	struct sigaction action = {.sa_handler = leave};

	sigaction(SIGALRM, &action, NULL);
	for (volatile unsigned long i = 0; i < n; i++)
		if (!sigsetjmp(back, 1)) {
			alarm_every(1000);
			for (;;)
				divides(1000);
		}
	alarm_every(0);
	work_afterwards();
}

static void block(unsigned long ms)
{
	sigset_t all;

	work(ms);
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, NULL);
	work(ms);
}

static void look(unsigned long ms)
{
	uint64_t until = cpu_ns(CLOCK_THREAD_CPUTIME_ID) + ms * 1000000;
	fenv_t environment, held;
	unsigned seen = 0;

	while (cpu_ns(CLOCK_THREAD_CPUTIME_ID) < until) {
		seen |= (unsigned)fegetexcept();
		rounds(100);
		fegetenv(&environment);
		feholdexcept(&held);
		divides(100);
		fesetenv(&held);
		rounds(100);
		seen |= fetestexcept(FE_DIVBYZERO) ? 0x1000u : 0;
		fesetenv(&environment);
#ifdef __x86_64__
		seen |= ~environment.__mxcsr & 0x1f80;
#endif
	}
	printf("%x\n", seen);
}

int main(int argc, char **argv)
{
	unsigned long n = argc > 2 ? strtoul(argv[2], NULL, 10) : 0;
	const char *what = argc > 2 ? argv[1] : "";

	if (strcmp(what, "everywhere") == 0) {
		everywhere(n);
	} else if (strcmp(what, "work") == 0) {
		work(n);
	} else if (strcmp(what, "own") == 0) {
		handle_own(n);
	} else if (strcmp(what, "block") == 0) {
		block(n);
	} else if (strcmp(what, "leave") == 0) {
		leave_often(n);
	} else if (strcmp(what, "exec") == 0) {
		fail_to_exec(n);
	} else if (strcmp(what, "look") == 0) {
		look(n);
	} else if (strcmp(what, "die") == 0) {
		work(n);
		feenableexcept(FE_DIVBYZERO);
		divides(1);
	} else if (strcmp(what, "integer") == 0 || strcmp(what, "ignore") == 0) {
		volatile int nothing = 0;

		if (*what == 'i' && what[1] == 'g')
			signal(SIGFPE, SIG_IGN);
		work(n);
		printf("%d\n", 7 / nothing);
	} else {
		return 2;
	}
	return 0;
}
