/* SPDX-License-Identifier: MIT */
/*
 * wait_events.h - the part of wait_calls.h that is about signals, semaphores, messages and
 * asynchronous I/O.
 */
/* ---- signals
 * ---------------------------------------------------------------------------------------- */

static long call_pause(void)
{
	return result(pause());
}

static long suspend_mask(const sigset_t *mask)
{
	return result(sigsuspend(mask));
}

static long call_sigsuspend(void)
{
	return masked(suspend_mask);
}

static long pause_mask(const sigset_t *mask)
{
	(void)mask;
	return result(__xpg_sigpause(SIGUSR1));
}

static long call_sigpause(void)
{
	return masked(pause_mask);
}

static void send_usr1(pthread_t waiter)
{
	pthread_kill(waiter, SIGUSR1);
}

static long call_sigwaitinfo(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR2);
	return result(sigwaitinfo(&set, NULL));
}

static long call_sigtimedwait(void)
{
	struct timespec t = limit();
	siginfo_t info;
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR2);
	return result(sigtimedwait(&set, &info, &t));
}

static void send_usr2(pthread_t waiter)
{
	pthread_kill(waiter, SIGUSR2);
}

/* ---- semaphores and messages
 * -------------------------------------------------------------------------- */

static long call_sem_wait(void)
{
	return result(sem_wait(&semaphore));
}

static long call_sem_timedwait(void)
{
	struct timespec t = until(CLOCK_REALTIME);

	return result(sem_timedwait(&semaphore, &t));
}

static long call_sem_clockwait(void)
{
	struct timespec t = until(CLOCK_MONOTONIC);

	return result(sem_clockwait(&semaphore, CLOCK_MONOTONIC, &t));
}

static void post(pthread_t waiter)
{
	(void)waiter;
	sem_post(&semaphore);
}

static struct sembuf take_one = {0, -1, 0}, give_one = {0, 1, 0};

static long call_semop(void)
{
	return result(semop(semaphores, &take_one, 1));
}

static long call_semtimedop(void)
{
	struct timespec t = limit();

	return result(semtimedop(semaphores, &take_one, 1, &t));
}

static void give(pthread_t waiter)
{
	(void)waiter;
	semop(semaphores, &give_one, 1);
}

static struct {
	long type;
	char text[4000];
} message = {1, "hello"};

static long call_msgrcv(void)
{
	static __typeof__(message) here;

	return result(msgrcv(queue, &here, sizeof(here.text), 2, 0));
}

static void send_message(pthread_t waiter)
{
	static const struct {
		long type;
		char text[5];
	} here = {2, "late"};

	(void)waiter;
	msgsnd(queue, &here, sizeof(here.text), 0);
}

static long call_msgsnd(void)
{
	while (msgsnd(queue, &message, sizeof(message.text), IPC_NOWAIT) == 0)
		;
	errno = UNTOUCHED;
	return result(msgsnd(queue, &message, sizeof(message.text), 0));
}

static void take_message(pthread_t waiter)
{
	static __typeof__(message) here;

	(void)waiter;
	while (msgrcv(queue, &here, sizeof(here.text), 1, IPC_NOWAIT) > 0)
		;
}

static long call_aio_suspend(void)
{
	const struct aiocb *const list[] = {&slow};
	struct timespec t = limit();

	return result(aio_suspend(list, 1, &t));
}
