/* SPDX-License-Identifier: MIT */
/*
 * confined.c - forbids itself system calls, and goes on with what is left.
 *
 * confined prctl|syscall open|refuse|strict|timers|none|failing [PROGRAM|-]: uses CPU time in before(),
 * installs a filter that kills on open(2) and openat(2), or refuses them, or kills on all but the few calls that it needs
 * itself, or on nothing, or one that the kernel refuses; and uses CPU time in after(): in this
 * thread, in one from before that the filter includes if it comes by seccomp(2), in a new one and
 * in a child; or becomes PROGRAM, which inherits the filter; or waits for a second (-). Its own
 * turns are counted, since clocks are system calls.
 */
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
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
static struct sock_filter none[] = {RETURN(SECCOMP_RET_ALLOW)};
static struct sock_filter failing[] = {LOAD}; /* has no end */

static const struct {
	const char *name;
	struct sock_fprog program;
} filters[] = {{"open", PROGRAM(no_open)},  {"refuse", PROGRAM(refuse)},
	       {"strict", PROGRAM(strict)}, {"timers", PROGRAM(no_timers)},
	       {"none", PROGRAM(none)},	    {"failing", PROGRAM(failing)}};

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

int main(int argc, char **argv)
{
	const struct sock_fprog *program = NULL;
	pthread_t old, new;
	int status = 0;
	pid_t pid;

	for (size_t i = 0; argc > 2 && i < sizeof(filters) / sizeof(filters[0]); i++)
		if (strcmp(argv[2], filters[i].name) == 0)
			program = &filters[i].program;
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
