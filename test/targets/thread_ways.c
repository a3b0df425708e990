/* SPDX-License-Identifier: MIT */
/*
 * thread_ways.c - threads that begin, live and end in all the ways there are, one for each argument.
 *
 *	blocked     created while its creator has every signal blocked, those of the C library too
 *	detached    nobody joins it
 *	pexit       ends by pthread_exit, from another function
 *	cancelled   two cancelled while they wait, one while it computes; two others burn before and after that
 *	tiny        a stack of PTHREAD_STACK_MIN, most of which is in use
 *	altstack    burns in a handler on an alternate stack of MINSIGSTKSZ, and beside one; what the program asks for
 *	            is what it is told
 *	coroutine   burns on stacks of 4 and 8 KiB that makecontext has made, nearly full
 *	setuid      changes its user while threads run: the C library interrupts all of them
 *	timer       a timer of the C library's with a thread for each of its ticks
 *	first       the first thread leaves by pthread_exit, another one ends the process
 *	keys        creates all keys that there are while a thread runs, and others later; each uses the last key;
 *	            keys_c11 does so by tss_create
 *
 * Prints what happened: the same with and without a recorder.
 */
#include <limits.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <threads.h>
#include <ucontext.h>
#include <unistd.h>

#include "burn.h"

static unsigned ms = 150; /* or what $MS says */

static volatile uint64_t sink;
static atomic_int cleaned, go_on, running;
static sem_t done;
static pthread_key_t last_key;
static atomic_int has_last_key, by_c11, destroyed;

static void start(pthread_t *t, const pthread_attr_t *a, void *(*f)(void *), const void *argument)
{
	if (pthread_create(t, a, f, (void *)(uintptr_t)argument) != 0)
		abort();
}

static void *burner(void *name)
{
	prctl(PR_SET_NAME, name);
	if (has_last_key)
		pthread_setspecific(last_key, name);
	burn_for(ms, 400000);
	return name;
}

static void blocked(void)
{
	const uint64_t really_all = ~UINT64_C(0);
	sigset_t before, now;
	pthread_t t;

	pthread_sigmask(SIG_SETMASK, NULL, &before);
	syscall(SYS_rt_sigprocmask, SIG_SETMASK, &really_all, NULL, sizeof(really_all));
	start(&t, NULL, burner, "blocked");
	pthread_sigmask(SIG_SETMASK, &before, &now);
	printf("blocked: %d %d\n", sigismember(&now, SIGPROF), sigismember(&now, SIGUSR1));
	pthread_join(t, NULL);
}

static void *detached_burner(void *name)
{
	burner(name);
	sem_post(&done);
	return NULL;
}

static void detached(void)
{
	pthread_attr_t a;
	pthread_t t;

	pthread_attr_init(&a);
	pthread_attr_setdetachstate(&a, PTHREAD_CREATE_DETACHED);
	start(&t, &a, detached_burner, "detached");
	sem_wait(&done);
	puts("detached");
}

static void leave(void *result)
{
	pthread_exit(result);
	sink++;
}

static void *leaver(void *name)
{
	burner(name);
	leave(name);
	return NULL;
}

static void pexit(void)
{
	void *result;
	pthread_t t;

	start(&t, NULL, leaver, "pexit");
	pthread_join(t, &result);
	printf("pexit: %s\n", (char *)result);
}

static void clean(void *name)
{
	burner(name);
	cleaned++;
}

static void *waiter(void *name)
{
	pthread_cleanup_push(clean, name);
	running++;
	for (;;)
		pause();
	pthread_cleanup_pop(0);
	return NULL;
}

static void *computer(void *name)
{
	pthread_cleanup_push(clean, name);
	pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
	running++;
	for (;;)
		sink++;
	pthread_cleanup_pop(0);
	return NULL;
}

static void *survivor(void *name)
{
	running++;
	while (!go_on)
		usleep(1000);
	return burner(name);
}

static void cancelled(void)
{
	pthread_t t[5];
	void *result[3];

	start(&t[0], NULL, waiter, "opener");
	start(&t[1], NULL, waiter, "cleaner-1");
	start(&t[2], NULL, computer, "cleaner-2");
	start(&t[3], NULL, survivor, "survivor-1");
	start(&t[4], NULL, survivor, "survivor-2");
	while (running < 5)
		usleep(1000);
	for (int i = 0; i < 3; i++) {
		pthread_cancel(t[i]);
		pthread_join(t[i], &result[i]);
	}
	go_on = 1;
	pthread_join(t[3], NULL);
	pthread_join(t[4], NULL);
	start(&t[0], NULL, burner, "later");
	pthread_join(t[0], NULL);
	printf("cancelled: %d %d %d, cleaned %d\n", result[0] == PTHREAD_CANCELED,
	       result[1] == PTHREAD_CANCELED, result[2] == PTHREAD_CANCELED, (int)cleaned);
}

/* So many bytes of the stack are in use while we burn. How many of them have changed afterwards? */
static size_t fill(size_t bytes)
{
	volatile char *used = __builtin_alloca(bytes);
	size_t wrong = 0;

	memset((char *)used, 0x5a, bytes);
	burn_for(ms, 400000);
	for (size_t i = 0; i < bytes; i++)
		wrong += used[i] != 0x5a;
	return wrong;
}

static void *tiny_burner(void *stack)
{
	size_t left = (size_t)((char *)__builtin_frame_address(0) - (char *)stack);

	prctl(PR_SET_NAME, "tiny");
	return (void *)fill(left - 2048);
}

static void tiny(void)
{
	char *stack = aligned_alloc(4096, 4096 + (size_t)PTHREAD_STACK_MIN);
	pthread_attr_t a;
	size_t wrong = 0;
	void *changed;
	pthread_t t;

	memset(stack, 0x77, 4096);
	pthread_attr_init(&a);
	pthread_attr_setstack(&a, stack + 4096, (size_t)PTHREAD_STACK_MIN);
	start(&t, &a, tiny_burner, stack + 4096);
	pthread_join(t, &changed);
	for (int i = 0; i < 4096; i++)
		wrong += stack[i] != 0x77;
	printf("tiny: %zu bytes changed, %zu below\n", (size_t)changed, wrong);
}

static void in_handler(int number)
{
	stack_t now, other = {.ss_flags = SS_DISABLE};

	(void)number;
	sigaltstack(NULL, &now);
	printf("altstack: %s it, change %d\n", now.ss_flags == SS_ONSTACK ? "on" : "not on",
	       sigaltstack(&other, NULL));
	fflush(stdout);
	burn_for(ms, 400000);
}

static void beside(size_t bytes)
{
	stack_t s = {.ss_sp = malloc(bytes), .ss_size = bytes}, got, off = {.ss_flags = SS_DISABLE};

	sigaltstack(NULL, &got);
	printf("altstack: first %d", got.ss_flags);
	printf(", set %d", sigaltstack(&s, NULL));
	sigaltstack(NULL, &got);
	printf(", as set: %d", got.ss_sp == s.ss_sp && got.ss_size == bytes && got.ss_flags == 0);
	burn_for(ms / 2, 400000);
	printf(", off %d", sigaltstack(&off, &got));
	printf(", as set: %d\n", got.ss_sp == s.ss_sp && got.ss_size == bytes && got.ss_flags == 0);
	free(s.ss_sp);
}

static void *altstack_burner(void *unused)
{
	struct sigaction action = {.sa_handler = in_handler, .sa_flags = SA_ONSTACK};
	stack_t s = {.ss_size = 8192}, *nowhere = (stack_t *)8;

	prctl(PR_SET_NAME, "altstack");
	beside(2048); /* MINSIGSTKSZ */
	beside(65536);
	s.ss_sp = malloc(s.ss_size);
	sigaltstack(&s, NULL);
	sigaction(SIGUSR1, &action, NULL);
	raise(SIGUSR1);
	s.ss_size = 100;
	printf("altstack: too small %d\n", sigaltstack(&s, NULL));
	printf("altstack: not there %d", sigaltstack(nowhere, NULL) == -1 && errno == EFAULT);
	printf(", %d\n", sigaltstack(NULL, nowhere) == -1 && errno == EFAULT);
	return unused;
}

static void altstack(void)
{
	pthread_t t;

	start(&t, NULL, altstack_burner, NULL);
	pthread_join(t, NULL);
}

static ucontext_t back, there;
static size_t changed_there;

static void on_coroutine(int bytes)
{
	changed_there = fill((size_t)bytes);
}

static void run_coroutine(size_t bytes)
{
	char *stack = malloc(4096 + bytes);
	size_t wrong;

	memset(stack, 0x77, 4096);
	getcontext(&there);
	there.uc_stack.ss_sp = stack + 4096;
	there.uc_stack.ss_size = bytes;
	there.uc_link = &back;
	makecontext(&there, (void (*)(void))on_coroutine, 1, (int)bytes - 1536);
	swapcontext(&back, &there);
	wrong = 0;
	for (int i = 0; i < 4096; i++)
		wrong += stack[i] != 0x77;
	printf("coroutine: %zu bytes changed, %zu below\n", changed_there, wrong);
	free(stack);
}

static void *coroutine_burner(void *unused)
{
	prctl(PR_SET_NAME, "coroutine");
	run_coroutine(4096);
	run_coroutine(8192);
	return unused;
}

static void coroutine(void)
{
	pthread_t t;

	start(&t, NULL, coroutine_burner, NULL);
	pthread_join(t, NULL);
}

static void *ask_user(void *unused)
{
	running++;
	while (!go_on)
		sink = burn(sink + 1, 400000);
	return (char *)unused + geteuid();
}

static void change_user(void)
{
	pthread_t t[2];
	void *right[2];

	for (int i = 0; i < 2; i++)
		start(&t[i], NULL, ask_user, NULL);
	while (running < 2)
		usleep(1000);
	burn_for(ms, 400000);
	if (getuid() == 0)
		printf("setuid: %d\n", setuid(65534));
	else
		printf("setuid: %d\n", setuid(getuid()));
	burn_for(ms, 400000);
	go_on = 1;
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], &right[i]);
	printf("setuid: %zu %zu\n", (size_t)right[0], (size_t)right[1]);
}

static void on_timer(union sigval value)
{
	(void)value;
	sem_post(&done);
}

static void timer(void)
{
	struct sigevent event = {.sigev_notify = SIGEV_THREAD, .sigev_notify_function = on_timer};
	struct itimerspec every = {{0, 10000000}, {0, 10000000}};
	timer_t id;

	if (timer_create(CLOCK_MONOTONIC, &event, &id) != 0)
		abort();
	timer_settime(id, 0, &every, NULL);
	burn_for(ms, 400000);
	for (int i = 0; i < 10; i++)
		sem_wait(&done);
	timer_delete(id);
	puts("timer: 10");
}

static void *last(void *first)
{
	pthread_join(*(pthread_t *)first, NULL);
	burn_for(ms, 400000);
	puts("first: gone");
	return NULL;
}

static void first(void)
{
	static pthread_t self;
	pthread_t t;

	self = pthread_self();
	start(&t, NULL, last, &self);
	burn_for(ms, 400000);
	pthread_exit(NULL);
}

static void destroy(void *name)
{
	destroyed += strncmp(name, "key", 3) == 0;
}

static int burner_c11(void *name)
{
	return *(char *)burner(name);
}

static void keys(void)
{
	void *result[3];
	pthread_t t[4];
	thrd_t c11;
	int n = 0, returned = 0;

	start(&t[3], NULL, survivor, "before");
	while (running < 1)
		usleep(1000);
	while ((by_c11 ? tss_create(&last_key, destroy) : pthread_key_create(&last_key, destroy)) ==
	       0)
		n++;
	has_last_key = 1;
	start(&t[0], NULL, burner, "key-returns");
	pthread_join(t[0], &result[0]);
	start(&t[1], NULL, leaver, "key-leaves");
	pthread_join(t[1], &result[1]);
	start(&t[2], NULL, waiter, "key-cancelled");
	while (running < 2)
		usleep(1000);
	pthread_cancel(t[2]);
	pthread_join(t[2], &result[2]);
	thrd_create(&c11, burner_c11, (void *)(uintptr_t) "key-c11");
	thrd_join(c11, &returned);
	go_on = 1;
	pthread_join(t[3], NULL);
	printf("keys: %d, %s %s %d %d, destroyed %d\n", n, (char *)result[0], (char *)result[1],
	       result[2] == PTHREAD_CANCELED, returned, (int)destroyed);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} ways[] = {
		{"blocked", blocked},	  {"detached", detached},  {"pexit", pexit},
		{"cancelled", cancelled}, {"tiny", tiny},	   {"altstack", altstack},
		{"coroutine", coroutine}, {"setuid", change_user}, {"timer", timer},
		{"first", first},	  {"keys", keys},	   {"keys_c11", keys},
	};

	if (getenv("MS"))
		ms = (unsigned)atoi(getenv("MS"));
	fill(64); /* the loader looks for what it calls now, not on a small stack */
	sem_init(&done, 0, 0);
	by_c11 = argc > 1 && strcmp(argv[1], "keys_c11") == 0;
	for (int i = 1; i < argc; i++)
		for (size_t k = 0; k < sizeof(ways) / sizeof(ways[0]); k++)
			if (strcmp(argv[i], ways[k].name) == 0)
				ways[k].run();
	return 0;
}
