/* SPDX-License-Identifier: MIT */
/*
 * locks.c - threads that wait for locks, and know for how long.
 *
 *	locks wait MS	one thread holds a mutex long, two hold it briefly; another two share a lock for readers and a
 *			writer. Prints for each function the ms that it has waited, by its own clock.
 *	locks kinds	what calls say of recursive, error-checking and robust mutexes, and when a time is over
 *	locks limits	what all calls with a time limit say of good and bad clocks and times, while the lock is free and
 *			while another thread holds it
 *	locks free N	N times a mutex that nobody else wants
 */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static mtx_t c11;
static atomic_bool is_over, is_held, may_go;

static double now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static __attribute__((noinline)) double hold_long(void)
{
	double begin = now_ms(), waited;

	pthread_mutex_lock(&mutex);
	waited = now_ms() - begin;
	usleep(5000);
	pthread_mutex_unlock(&mutex);
	usleep(6000);
	return waited;
}

static __attribute__((noinline)) double hold_briefly(void)
{
	double begin = now_ms(), waited;

	pthread_mutex_lock(&mutex);
	waited = now_ms() - begin;
	usleep(500);
	pthread_mutex_unlock(&mutex);
	usleep(1000);
	return waited;
}

static __attribute__((noinline)) double write_slowly(void)
{
	double begin = now_ms(), waited;

	pthread_rwlock_wrlock(&rwlock);
	waited = now_ms() - begin;
	usleep(4000);
	pthread_rwlock_unlock(&rwlock);
	usleep(4000);
	return waited;
}

static __attribute__((noinline)) double read_quickly(void)
{
	double begin = now_ms(), waited;

	pthread_rwlock_rdlock(&rwlock);
	waited = now_ms() - begin;
	pthread_rwlock_unlock(&rwlock);
	usleep(500);
	return waited;
}

struct job {
	const char *name;
	double (*f)(void);
	double waited;
};

static void *run(void *argument)
{
	struct job *job = argument;

	while (!is_over)
		job->waited += job->f();
	return NULL;
}

static int wait_for_locks(long ms)
{
	struct job jobs[] = {{"hold_long", hold_long, 0},
			     {"hold_briefly", hold_briefly, 0},
			     {"hold_briefly", hold_briefly, 0},
			     {"write_slowly", write_slowly, 0},
			     {"read_quickly", read_quickly, 0}};
	pthread_t threads[5];

	for (int i = 0; i < 5; i++)
		if (pthread_create(&threads[i], NULL, run, &jobs[i]) != 0)
			return 2;
	usleep((useconds_t)ms * 1000);
	is_over = true;
	for (int i = 0; i < 5; i++) {
		pthread_join(threads[i], NULL);
		printf("%s\t%.3f\n", jobs[i].name, jobs[i].waited);
	}
	return 0;
}

static pthread_mutex_t make(int type, int robustness)
{
	pthread_mutexattr_t attributes;
	pthread_mutex_t made;

	pthread_mutexattr_init(&attributes);
	pthread_mutexattr_settype(&attributes, type);
	pthread_mutexattr_setrobust(&attributes, robustness);
	pthread_mutex_init(&made, &attributes);
	return made;
}

static void *lock_and_end(void *argument)
{
	pthread_mutex_lock(argument);
	return NULL;
}

static void *hold_a_while(void *argument)
{
	mtx_lock(&c11);
	pthread_mutex_lock(argument);
	is_held = true;
	while (!may_go)
		usleep(1000);
	usleep(20000);
	pthread_mutex_unlock(argument);
	mtx_unlock(&c11);
	return NULL;
}

static struct timespec in_20_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	t.tv_nsec += 20000000;
	t.tv_sec += t.tv_nsec / 1000000000;
	t.tv_nsec %= 1000000000;
	return t;
}

static int kinds(void)
{
	pthread_mutex_t recursive = make(PTHREAD_MUTEX_RECURSIVE, PTHREAD_MUTEX_STALLED);
	pthread_mutex_t checking = make(PTHREAD_MUTEX_ERRORCHECK, PTHREAD_MUTEX_STALLED);
	pthread_mutex_t robust = make(PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_ROBUST);
	struct timespec until;
	pthread_t thread;

	errno = 77;
	printf("recursive %d", pthread_mutex_lock(&recursive));
	printf(" %d", pthread_mutex_lock(&recursive));
	printf(" %d", pthread_mutex_unlock(&recursive));
	printf(" %d\n", pthread_mutex_unlock(&recursive));
	printf("checking %d", pthread_mutex_lock(&checking));
	printf(" %d", pthread_mutex_lock(&checking) == EDEADLK);
	printf(" %d", pthread_mutex_unlock(&checking));
	printf(" %d\n", pthread_mutex_unlock(&checking) == EPERM);
	pthread_create(&thread, NULL, lock_and_end, &robust);
	pthread_join(thread, NULL);
	printf("robust %d", pthread_mutex_lock(&robust) == EOWNERDEAD);
	printf(" %d", pthread_mutex_consistent(&robust));
	printf(" %d\n", pthread_mutex_unlock(&robust));
	mtx_init(&c11, mtx_timed);
	pthread_create(&thread, NULL, hold_a_while, &mutex);
	while (!is_held)
		usleep(1000);
	until = in_20_ms();
	printf("timed %d", pthread_mutex_timedlock(&mutex, &until) == ETIMEDOUT);
	until = in_20_ms();
	printf(" %d", mtx_timedlock(&c11, &until) == thrd_timedout);
	printf(" %d", pthread_mutex_trylock(&mutex) == EBUSY);
	may_go = true;
	printf(" %d", mtx_lock(&c11) == thrd_success);
	printf(" %d", mtx_unlock(&c11) == thrd_success);
	pthread_join(thread, NULL);
	printf(" %d\n", pthread_rwlock_wrlock(&rwlock));
	printf("rwlock %d", pthread_rwlock_rdlock(&rwlock) == EDEADLK);
	printf(" %d", pthread_rwlock_wrlock(&rwlock) == EDEADLK);
	printf(" %d\n", pthread_rwlock_unlock(&rwlock));
	printf("errno %d\n", errno);
	return 0;
}

struct limit {
	clockid_t clock;
	struct timespec until;
};

#define LIMITED(name, call, undo)                                                                  \
	static void name(const struct limit *l)                                                    \
	{                                                                                          \
		int result = call;                                                                 \
                                                                                                   \
		if (result == 0)                                                                   \
			undo;                                                                      \
		printf(" %d", result);                                                             \
	}
LIMITED(mutex_timed, pthread_mutex_timedlock(&mutex, &l->until), pthread_mutex_unlock(&mutex))
LIMITED(mutex_clock, pthread_mutex_clocklock(&mutex, l->clock, &l->until),
	pthread_mutex_unlock(&mutex))
LIMITED(mtx_timed_, mtx_timedlock(&c11, &l->until), mtx_unlock(&c11))
LIMITED(read_timed, pthread_rwlock_timedrdlock(&rwlock, &l->until), pthread_rwlock_unlock(&rwlock))
LIMITED(read_clock, pthread_rwlock_clockrdlock(&rwlock, l->clock, &l->until),
	pthread_rwlock_unlock(&rwlock))
LIMITED(write_timed, pthread_rwlock_timedwrlock(&rwlock, &l->until), pthread_rwlock_unlock(&rwlock))
LIMITED(write_clock, pthread_rwlock_clockwrlock(&rwlock, l->clock, &l->until),
	pthread_rwlock_unlock(&rwlock))

/* What each call says, with each clock and time. */
static void try_limits(const char *who)
{
	static const struct {
		const char *name;
		void (*call)(const struct limit *l);
	} calls[] = {{"mutex_timed", mutex_timed}, {"mutex_clock", mutex_clock},
		     {"mtx_timed", mtx_timed_},	   {"read_timed", read_timed},
		     {"read_clock", read_clock},   {"write_timed", write_timed},
		     {"write_clock", write_clock}};
	static const clockid_t clocks[] = {
		CLOCK_REALTIME, CLOCK_MONOTONIC, CLOCK_BOOTTIME, CLOCK_PROCESS_CPUTIME_ID, 77, -1};
	static const struct timespec past[] = {{1, 0}, {-1, 0}, {1, 1000000000}, {1, -1}};

	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		printf("%s %s:", who, calls[i].name);
		for (size_t k = 0; k < sizeof(clocks) / sizeof(clocks[0]); k++)
			for (size_t t = 0; t < sizeof(past) / sizeof(past[0]); t++)
				calls[i].call(&(struct limit){clocks[k], past[t]});
		calls[i].call(&(struct limit){CLOCK_REALTIME, in_20_ms()});
		printf("\n");
	}
}

static void *hold_all(void *argument)
{
	bool reads = argument;

	pthread_mutex_lock(&mutex);
	mtx_lock(&c11);
	if (reads)
		pthread_rwlock_rdlock(&rwlock);
	else
		pthread_rwlock_wrlock(&rwlock);
	is_held = true;
	while (!may_go)
		usleep(1000);
	pthread_rwlock_unlock(&rwlock);
	mtx_unlock(&c11);
	pthread_mutex_unlock(&mutex);
	return NULL;
}

static int limits(void)
{
	static const char *const who[] = {"written", "read"};
	pthread_t thread;

	mtx_init(&c11, mtx_timed);
	try_limits("free");
	for (size_t reads = 0; reads < 2; reads++) {
		is_held = may_go = false;
		pthread_create(&thread, NULL, hold_all, reads ? &mutex : NULL);
		while (!is_held)
			usleep(1000);
		try_limits(who[reads]);
		may_go = true;
		pthread_join(thread, NULL);
	}
	return 0;
}

int main(int argc, char **argv)
{
	long n = argc > 2 ? atol(argv[2]) : 0;

	if (argc > 1 && strcmp(argv[1], "wait") == 0)
		return wait_for_locks(n);
	if (argc > 1 && strcmp(argv[1], "kinds") == 0)
		return kinds();
	if (argc > 1 && strcmp(argv[1], "limits") == 0)
		return limits();
	for (long i = 0; i < n; i++) {
		pthread_mutex_lock(&mutex);
		pthread_mutex_unlock(&mutex);
	}
	return 0;
}
