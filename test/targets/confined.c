/* SPDX-License-Identifier: MIT */
/*
 * confined.c - forbids itself system calls, and goes on with what is left.
 *
 * confined prctl|syscall open|refuse|strict|timers|none|failing|waits [PROGRAM|-]: uses CPU time in before(),
 * installs a filter that kills on open(2) and openat(2), or refuses them, or kills on all but the few calls that it needs
 * itself, or on nothing, or one that the kernel refuses; and uses CPU time in after(): in this
 * thread, in one from before that the filter includes if it comes by seccomp(2), in a new one and
 * in a child; or becomes PROGRAM, which inherits the filter; or waits for a second (-). Its own
 * turns are counted, since clocks are system calls. `waits` does not read the cycle counter either, and makes calls that
 * are wrapped, after a filter that kills on all others; one of them has begun before it in another thread.
 */
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/select.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "burn.h"

/* A function of its own under its own name. */
#if __has_attribute(noipa)
#define APART __attribute__((noipa))
#else
#define APART __attribute__((noinline))
#endif

#define LOAD	       BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr))
#define RETURN(what)   BPF_STMT(BPF_RET | BPF_K, what)
#define ON(call, what) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##call, 0, 1), RETURN(what)
#define KILL	       SECCOMP_RET_KILL_PROCESS
#define REFUSE	       (SECCOMP_RET_ERRNO | EACCES)
#define ALLOW(call)    ON(call, SECCOMP_RET_ALLOW)
#define PROGRAM(filter)                                                                            \
	{                                                                                          \
		sizeof(filter) / sizeof(*(filter)), filter                                         \
	}

static struct sock_filter no_open[] = {LOAD, ON(open, KILL), ON(openat, KILL), ON(creat, KILL),
				       RETURN(SECCOMP_RET_ALLOW)};
static struct sock_filter refuse[] = {LOAD, ON(open, REFUSE), ON(openat, REFUSE), ON(creat, REFUSE),
				      RETURN(SECCOMP_RET_ALLOW)};
static struct sock_filter no_timers[] = {LOAD, ON(timer_create, KILL), ON(setitimer, KILL),
					 ON(perf_event_open, KILL), RETURN(SECCOMP_RET_ALLOW)};
static struct sock_filter strict[] = {LOAD,
				      ALLOW(write),
				      ALLOW(exit),
				      ALLOW(exit_group),
				      ALLOW(rt_sigreturn),
				      ALLOW(futex),
				      ALLOW(mmap),
				      ALLOW(munmap),
				      ALLOW(mprotect),
				      ALLOW(madvise),
				      ALLOW(clone),
				      ALLOW(clone3),
				      ALLOW(rseq),
				      ALLOW(wait4),
				      ALLOW(poll),
				      ALLOW(set_robust_list),
				      ALLOW(brk),
				      ALLOW(rt_sigprocmask),
				      RETURN(KILL)};
/* What the C library needs at a thread's end, and the waits. */
static struct sock_filter waits[] = {LOAD,
				     ALLOW(write),
				     ALLOW(exit),
				     ALLOW(exit_group),
				     ALLOW(rt_sigreturn),
				     ALLOW(futex),
				     ALLOW(munmap),
				     ALLOW(madvise),
				     ALLOW(rt_sigprocmask),
				     ALLOW(setitimer),
				     ALLOW(poll),
				     ALLOW(ppoll),
				     ALLOW(pselect6),
				     ALLOW(nanosleep),
				     ALLOW(clock_nanosleep),
				     ALLOW(seccomp),
				     ALLOW(prctl),
				     ALLOW(sigaltstack),
				     RETURN(KILL)};
static struct sock_filter alone[] = {LOAD,
				     ON(rt_sigprocmask, KILL),
				     ON(futex, KILL),
				     ON(munmap, KILL),
				     ON(madvise, KILL),
				     RETURN(SECCOMP_RET_ALLOW)};
static struct sock_filter none[] = {RETURN(SECCOMP_RET_ALLOW)};
static struct sock_filter failing[] = {LOAD}; /* has no end */

static const struct {
	const char *name;
	struct sock_fprog program;
} filters[] = {{"open", PROGRAM(no_open)},  {"refuse", PROGRAM(refuse)},
	       {"strict", PROGRAM(strict)}, {"timers", PROGRAM(no_timers)},
	       {"none", PROGRAM(none)},	    {"failing", PROGRAM(failing)},
	       {"waits", PROGRAM(waits)}};

static atomic_int is_confined;
static volatile uint64_t sink;

APART static void before(int ms)
{
	for (int i = 0; i < ms / 5; i++)
		sink = burn(sink + 1, BURN_LONG);
}

APART static void after(int ms)
{
	for (int i = 0; i < ms / 5; i++)
		sink = burn(sink + 2, BURN_LONG);
}

static void *old_thread(void *unused)
{
	while (!is_confined)
		sink = burn(sink + 1, 1000);
	after(25);
	return unused;
}

static void *new_thread(void *unused)
{
	after(25);
	return unused;
}

static int install(const char *how, const struct sock_fprog *program)
{
	if (strcmp(how, "prctl") == 0)
		return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, program);
	return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC,
			    program);
}

static void say(const char *text)
{
	if (write(1, text, strlen(text)) < 0)
		_exit(3);
}

/* ---- waits ----------------------------------------------------------------------------------- */

static atomic_int is_going_to_sleep;

static void on_alarm(int number)
{
	(void)number;
}

/* A signal ends the sleep: it comes again and again, in case that it comes before. */
static int sleep_for_long(void)
{
	struct timespec left = {1000, 0};

	return nanosleep(&left, &left) == -1 && errno == EINTR && left.tv_sec < 1000;
}

static void *sleeper(void *unused)
{
	is_going_to_sleep = 1;
	return sleep_for_long() ? unused : NULL;
}

/* With a filter that kills on what only the end of a thread needs. */
static int make_calls(const char *how)
{
	static char stack[1 << 16];
	const struct sock_fprog program = PROGRAM(alone);
	const struct itimerval often = {{0, 20000}, {0, 20000}}, never = {{0, 0}, {0, 0}};
	const struct timespec ms = {0, 1000000};
	struct timespec left = {1000, 0};
	stack_t new = {.ss_sp = stack, .ss_size = sizeof(stack)}, old, last;

	if (install(how, &program) || setitimer(ITIMER_REAL, &often, NULL) || !sleep_for_long() ||
	    clock_nanosleep(CLOCK_MONOTONIC, 0, &left, &left) != EINTR || left.tv_sec >= 1000 ||
	    setitimer(ITIMER_REAL, &never, NULL) || usleep(1000))
		return 0;
	if (poll(NULL, 0, 1) || ppoll(NULL, 0, &ms, NULL) ||
	    pselect(0, NULL, NULL, NULL, &ms, NULL))
		return 0;
	return sigaltstack(NULL, &old) == 0 && old.ss_flags & SS_DISABLE &&
	       sigaltstack(&new, &old) == 0 && old.ss_flags & SS_DISABLE &&
	       sigaltstack(NULL, &last) == 0 && last.ss_sp == stack && !last.ss_flags;
}

static int wait_confined(const char *how, const struct sock_fprog *program)
{
	const struct itimerval often = {{0, 20000}, {0, 20000}};
	struct sigaction action = {.sa_handler = on_alarm};
	pthread_t thread;
	sigset_t alarms;
	void *slept = NULL;

	sigaction(SIGALRM, &action, NULL);
	sigemptyset(&alarms);
	sigaddset(&alarms, SIGALRM);
	if (pthread_create(&thread, NULL, sleeper, &alarms))
		return 99;
	while (!is_going_to_sleep)
		sink = burn(sink + 1, 1000);
	before(50);
	pthread_sigmask(SIG_BLOCK, &alarms, NULL);
	prctl(PR_SET_TSC, PR_TSC_SIGSEGV);
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || install(how, program) ||
	    setitimer(ITIMER_REAL, &often, NULL))
		return 77;
	pthread_join(thread, &slept);
	pthread_sigmask(SIG_UNBLOCK, &alarms, NULL);
	say(slept && make_calls(how) ? "as expected\n" : "WRONG\n");
	_exit(6);
}

int main(int argc, char **argv)
{
	const struct sock_fprog *program = NULL;
	pthread_t old, new;
	int status = 0;
	pid_t pid;

	for (size_t i = 0; argc > 2 && i < sizeof(filters) / sizeof(filters[0]); i++)
		if (strcmp(argv[2], filters[i].name) == 0)
			program = &filters[i].program;
	if (argc > 2 && strcmp(argv[2], "waits") == 0)
		return wait_confined(argv[1], program);
	if (!program || pthread_create(&old, NULL, old_thread, NULL))
		return 99;
	before(50);
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		return 77;
	if (install(argv[1], program))
		say(errno == EINVAL ? "refused\n" : "failed\n");
	if (argc > 3 && strcmp(argv[3], "-") == 0)
		return poll(NULL, 0, 1000) == 0 ? 6 : 98;
	if (argc > 3)
		return execvp(argv[3], argv + 3);
	is_confined = 1;
	after(50);
	pthread_create(&new, NULL, new_thread, NULL);
	pid = fork();
	if (pid == 0) {
		after(10);
		_exit(5);
	}
	pthread_join(old, NULL);
	pthread_join(new, NULL);
	say(waitpid(pid, &status, 0) == pid && status == 5 << 8 ? "as expected\n" : "WRONG\n");
	return 6;
}
