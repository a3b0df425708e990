/* SPDX-License-Identifier: MIT */
/*
 * events.c - threads that wait for events and locks, and know for how long and because of whom.
 *
 *	events tell MS	for a condition variable, a semaphore and a futex each: one thread waits, one tells of the event
 *			often, and one seldom; and a thread that works with a mutex in its hands, which another one
 *			wants, and gives it back by waiting for a condition. Prints "waited FUNCTION ms" and "blamed
 *			FUNCTION ms", by the program's own clock.
 *	events stuck MS	threads that wait for ever: two for each other's mutex, others for events and for files.
 *			Prints "waited FUNCTION ms" until just before the end.
 *	events left	waits that end by cancellation and by siglongjmp; then the same locks and events are used for
 *			200 ms, in use_again, when nobody waits for them
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "burn.h"

#define NOINLINE __attribute__((noinline))

static atomic_bool is_over;
static atomic_int n_inside; /* who waits, or is about to */

static uint64_t now(void)
{
	return cpu_ns(CLOCK_MONOTONIC);
}

static void await_inside(int n)
{
	while (n_inside != n)
		usleep(1000);
}

/* What one thread waits for and others tell of. */
struct event {
	_Atomic uint64_t since; /* 0: nobody waits */
	pthread_mutex_t mutex;
	pthread_cond_t condition;
	sem_t semaphore;
	_Atomic uint32_t number;
	bool has_come;
};

static struct event events[3] = {
	{.mutex = PTHREAD_MUTEX_INITIALIZER, .condition = PTHREAD_COND_INITIALIZER},
};

struct job {
	const char *name;
	void (*f)(struct job *);
	struct event *event;
	uint64_t waited, blamed;
};

/* The wait of this job's thread. */
#define WAITING(job, wait)                                                                         \
	do {                                                                                       \
		uint64_t begin_ = now();                                                           \
		(job)->event->since = begin_;                                                      \
		wait;                                                                              \
		(job)->event->since = 0;                                                           \
		(job)->waited += now() - begin_;                                                   \
	} while (0)

/* The waiter's waiting until now is this job's. */
static void take_blame(struct job *job)
{
	uint64_t since = job->event->since, t = now();

	if (since && t > since && atomic_compare_exchange_strong(&job->event->since, &since, t))
		job->blamed += t - since;
}

static NOINLINE void await_condition(struct job *job)
{
	struct event *e = job->event;

	pthread_mutex_lock(&e->mutex);
	while (!e->has_come)
		WAITING(job, pthread_cond_wait(&e->condition, &e->mutex));
	e->has_come = false;
	pthread_mutex_unlock(&e->mutex);
}

static void make_it_come(struct job *job, useconds_t us)
{
	usleep(us);
	pthread_mutex_lock(&job->event->mutex);
	job->event->has_come = true;
	take_blame(job);
	pthread_mutex_unlock(&job->event->mutex);
}

static NOINLINE void signal_seldom(struct job *job)
{
	make_it_come(job, 9000);
	pthread_cond_signal(&job->event->condition);
}

static NOINLINE void broadcast_often(struct job *job)
{
	make_it_come(job, 4000);
	pthread_cond_broadcast(&job->event->condition);
}

static NOINLINE void await_semaphore(struct job *job)
{
	WAITING(job, while (sem_wait(&job->event->semaphore) != 0) continue);
}

static NOINLINE void post_seldom(struct job *job)
{
	usleep(9000);
	take_blame(job);
	sem_post(&job->event->semaphore);
}

static NOINLINE void post_often(struct job *job)
{
	usleep(4000);
	take_blame(job);
	sem_post(&job->event->semaphore);
}

static NOINLINE void await_futex(struct job *job)
{
	struct event *e = job->event;
	uint32_t seen = e->number;

	WAITING(job, while (e->number == seen) syscall(SYS_futex, &e->number, FUTEX_WAIT_PRIVATE,
						       seen, NULL, NULL, 0));
}

static NOINLINE void wake_seldom(struct job *job)
{
	usleep(9000);
	take_blame(job);
	job->event->number++;
	syscall(SYS_futex, &job->event->number, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

static NOINLINE void wake_often(struct job *job)
{
	usleep(4000);
	take_blame(job);
	job->event->number++;
	syscall(SYS_futex, &job->event->number, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

/* ---- a mutex that is given back by a wait ---------------------------------------------------------- */

static pthread_mutex_t baton = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;

static struct timespec in_ms(long ms)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	t.tv_nsec += ms * 1000000;
	t.tv_sec += t.tv_nsec / 1000000000;
	t.tv_nsec %= 1000000000;
	return t;
}

static NOINLINE void work_then_wait(struct job *job)
{
	struct timespec until;

	pthread_mutex_lock(&baton);
	usleep(5000);
	until = in_ms(5);
	(void)job;
	pthread_cond_timedwait(&never, &baton, &until);
	pthread_mutex_unlock(&baton);
	usleep(1000);
}

static NOINLINE void want_baton(struct job *job)
{
	uint64_t begin = now();

	pthread_mutex_lock(&baton);
	job->waited += now() - begin;
	pthread_mutex_unlock(&baton);
	usleep(500);
}

static void *run(void *argument)
{
	struct job *job = argument;

	while (!is_over)
		job->f(job);
	return NULL;
}

static int tell(long ms)
{
	struct job jobs[] = {
		{"await_condition", await_condition, &events[0], 0, 0},
		{"await_semaphore", await_semaphore, &events[1], 0, 0},
		{"await_futex", await_futex, &events[2], 0, 0},
		{"want_baton", want_baton, NULL, 0, 0},
		{"work_then_wait", work_then_wait, NULL, 0, 0},
		{"signal_seldom", signal_seldom, &events[0], 0, 0},
		{"broadcast_often", broadcast_often, &events[0], 0, 0},
		{"post_seldom", post_seldom, &events[1], 0, 0},
		{"post_often", post_often, &events[1], 0, 0},
		{"wake_seldom", wake_seldom, &events[2], 0, 0},
		{"wake_often", wake_often, &events[2], 0, 0},
	};
	enum { JOBS = sizeof(jobs) / sizeof(jobs[0]), WAITERS = 3 };
	pthread_t threads[JOBS];
	struct job last[] = {jobs[5], jobs[7], jobs[9]};

	sem_init(&events[1].semaphore, 0, 0);
	for (int i = 0; i < JOBS; i++)
		if (pthread_create(&threads[i], NULL, run, &jobs[i]) != 0)
			return 2;
	usleep((useconds_t)ms * 1000);
	is_over = true;
	for (int i = WAITERS; i < JOBS; i++)
		pthread_join(threads[i], NULL);
	for (int i = 0; i < WAITERS; i++) { /* it may wait for one more */
		last[i].f(&last[i]);
		pthread_join(threads[i], NULL);
	}
	for (int i = 0; i < JOBS; i++) {
		if (jobs[i].waited)
			printf("waited %s %.3f\n", jobs[i].name, (double)jobs[i].waited / 1e6);
		if (jobs[i].blamed)
			printf("blamed %s %.3f\n", jobs[i].name, (double)jobs[i].blamed / 1e6);
	}
	return 0;
}

/* ---- waits without an end -------------------------------------------------------------------------- */

static pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER, second = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t both;
static char file_name[] = "stuck.XXXXXX";
static int record_fd;

static NOINLINE void deadlock_first(void)
{
	pthread_mutex_lock(&first);
	pthread_barrier_wait(&both);
	n_inside++;
	pthread_mutex_lock(&second);
	__asm__ volatile("");
}

static NOINLINE void deadlock_second(void)
{
	pthread_mutex_lock(&second);
	pthread_barrier_wait(&both);
	n_inside++;
	pthread_mutex_lock(&first);
	__asm__ volatile("");
}

static NOINLINE void await_nothing(void)
{
	pthread_mutex_lock(&events[0].mutex);
	n_inside++;
	for (;;)
		pthread_cond_wait(&events[0].condition, &events[0].mutex);
}

static NOINLINE void lock_whole_file(void)
{
	int fd = open(file_name, O_RDWR);

	n_inside++;
	flock(fd, LOCK_EX);
	__asm__ volatile("");
}

static NOINLINE void lock_record(void)
{
	struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_len = 1};

	n_inside++;
	fcntl(record_fd, F_OFD_SETLKW, &lock);
	__asm__ volatile("");
}

static void *run_stuck(void *f)
{
	((void (*)(void))f)();
	return NULL;
}

static int stuck(long ms)
{
	static const struct {
		const char *name;
		void (*f)(void);
	} all[] = {{"deadlock_first", deadlock_first},
		   {"deadlock_second", deadlock_second},
		   {"await_nothing", await_nothing},
		   {"lock_whole_file", lock_whole_file},
		   {"lock_record", lock_record}};
	enum { ALL = sizeof(all) / sizeof(all[0]) };
	struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_len = 1};
	int fd = mkstemp(file_name);
	uint64_t begin;
	pthread_t thread;

	record_fd = open(file_name, O_RDWR);
	if (fd < 0 || record_fd < 0 || flock(fd, LOCK_EX) != 0 ||
	    fcntl(fd, F_OFD_SETLK, &lock) != 0 || pthread_barrier_init(&both, NULL, 2) != 0)
		return 2;
	begin = now();
	for (int i = 0; i < ALL; i++)
		if (pthread_create(&thread, NULL, run_stuck, (void *)all[i].f) != 0)
			return 2;
	await_inside(ALL);
	usleep((useconds_t)ms * 1000);
	for (int i = 0; i < ALL; i++)
		printf("waited %s %.3f\n", all[i].name, (double)(now() - begin) / 1e6);
	unlink(file_name);
	return 0;
}

/* ---- waits that end otherwise ---------------------------------------------------------------------- */

static __thread sigjmp_buf back;

static void leave(int number)
{
	(void)number;
	siglongjmp(back, 1);
}

/* A wait that a handler of signals leaves; then the thread works for a while. */
#define LEAVES(name, wait)                                                                         \
	static void *name(void *argument)                                                          \
	{                                                                                          \
		if (sigsetjmp(back, 1) == 0) {                                                     \
			n_inside++;                                                                \
			wait;                                                                      \
			abort();                                                                   \
		}                                                                                  \
		burn_for(40, BURN_LONG / 10);                                                      \
		n_inside--;                                                                        \
		for (;;) /* it stays, and does not wait for a lock again */                        \
			pause();                                                                   \
		return argument;                                                                   \
	}

LEAVES(leave_mutex, pthread_mutex_lock(&first))
LEAVES(leave_semaphore, sem_wait(&events[1].semaphore))

static void give_back(void *mutex)
{
	pthread_mutex_unlock(mutex);
}

static void *cancel_condition(void *argument)
{
	pthread_mutex_lock(&events[0].mutex);
	pthread_cleanup_push(give_back, &events[0].mutex);
	n_inside++;
	for (;;)
		pthread_cond_wait(&events[0].condition, &events[0].mutex);
	pthread_cleanup_pop(0);
	return argument;
}

static void *cancel_semaphore(void *argument)
{
	n_inside++;
	sem_wait(&events[2].semaphore);
	return argument;
}

static NOINLINE void use_again(void)
{
	uint64_t until = now() + 200000000;

	while (now() < until) {
		pthread_mutex_lock(&first);
		usleep(1000);
		pthread_mutex_unlock(&first);
		pthread_cond_signal(&events[0].condition);
		for (int i = 1; i < 3; i++) {
			sem_post(&events[i].semaphore);
			sem_wait(&events[i].semaphore);
		}
	}
}

static int left(void)
{
	void *(*const leavers[])(void *) = {leave_mutex, leave_semaphore};
	void *(*const cancelled[])(void *) = {cancel_condition, cancel_semaphore};
	pthread_t threads[4];

	signal(SIGUSR1, leave);
	sem_init(&events[1].semaphore, 0, 0);
	sem_init(&events[2].semaphore, 0, 0);
	pthread_mutex_lock(&first);
	for (int i = 0; i < 4; i++)
		if (pthread_create(&threads[i], NULL, i < 2 ? leavers[i] : cancelled[i - 2],
				   NULL) != 0)
			return 2;
	await_inside(4);
	usleep(100000); /* now they wait */
	for (int i = 0; i < 2; i++)
		pthread_kill(threads[i], SIGUSR1);
	await_inside(2);
	for (int i = 2; i < 4; i++) {
		pthread_cancel(threads[i]);
		pthread_join(threads[i], NULL);
	}
	pthread_mutex_unlock(&first);
	use_again();
	return 0;
}

int main(int argc, char **argv)
{
	long ms = argc > 2 ? atol(argv[2]) : 0;

	if (argc > 1 && strcmp(argv[1], "tell") == 0)
		return tell(ms);
	if (argc > 1 && strcmp(argv[1], "stuck") == 0)
		return stuck(ms);
	return argc > 1 && strcmp(argv[1], "left") == 0 ? left() : 2;
}
