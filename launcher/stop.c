/* SPDX-License-Identifier: MIT */
/*
 * stop.c - stops threads of a process for a moment, so that none of them notices.
 *
 * In: process and thread ids. Out: registers, and threads that go on as if nothing had been.
 */
#include "launcher/stop.h"

#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define SECOND_NS UINT64_C(1000000000)

uint64_t stop_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * SECOND_NS + (uint64_t)t.tv_nsec;
}

bool stop_get_regs(int tid, struct user_regs_struct *r)
{
	struct iovec v = {r, sizeof(*r)};

	return ptrace(PTRACE_GETREGSET, tid, NT_PRSTATUS, &v) == 0;
}

bool stop_set_regs(int tid, const struct user_regs_struct *r)
{
	struct iovec v = {(void *)(uintptr_t)r, sizeof(*r)};

	return ptrace(PTRACE_SETREGSET, tid, NT_PRSTATUS, &v) == 0;
}

/* A wait that sleeps is not needed: it is short. */
int stop_wait_until(int tid, int *status, uint64_t until)
{
	static const struct timespec nap = {0, 50000};
	uint64_t begin = stop_now();

	for (;;) {
		int r = waitpid(tid, status, __WALL | WNOHANG);

		if (r == tid)
			return 1;
		if (r < 0)
			return -1;
		if (stop_now() > until)
			return 0;
		if (stop_now() > begin + 100000)
			nanosleep(&nap, NULL);
		else
			syscall(SYS_sched_yield);
	}
}

bool stop_is_ours(int status)
{
	return WIFSTOPPED(status) && status >> 16 == PTRACE_EVENT_STOP;
}

/* When a thread went to sleep, on the scheduler's clock; 0: the kernel does not tell. */
static double ran_at(const struct target *t, int tid)
{
	char path[80], line[256];
	double ms = 0;
	FILE *f;

	if (t)
		snprintf(path, sizeof(path), "/proc/%d/task/%d/sched", t->pid, tid);
	else
		snprintf(path, sizeof(path), "/proc/thread-self/sched");
	f = fopen(path, "re");
	while (f && !ms && fgets(line, sizeof(line), f))
		if (sscanf(line, "se.exec_start : %lf", &ms) != 1)
			ms = 0;
	if (f)
		fclose(f);
	return ms;
}

/* Waits until it has stopped for that. A signal that comes before goes on to the program. */
static int wait_for_stop(int tid, uint64_t until)
{
	int status, r;

	while ((r = stop_wait_until(tid, &status, until)) == 1) {
		if (!WIFSTOPPED(status))
			return ESRCH;
		if (stop_is_ours(status))
			return 0;
		ptrace(PTRACE_CONT, tid, 0, status >> 16 ? 0 : WSTOPSIG(status));
	}
	return r ? ESRCH : EBUSY;
}

/* Threads that have not stopped yet, and will: only then can they be let go. */
#define LATE_MOST 1024

static struct late {
	const struct target *target;
	int tid;
} late[LATE_MOST];
static size_t n_late;

static bool is_late(int tid)
{
	for (size_t i = 0; i < n_late; i++)
		if (late[i].tid == tid)
			return true;
	return false;
}

int stop_seize(struct stopped *s, const struct target *t, int tid)
{
	double then, now;

	*s = (struct stopped){.target = t, .tid = tid};
	if (n_late == LATE_MOST || is_late(tid))
		return EBUSY;
	then = ran_at(t, tid);
	now = ran_at(NULL, 0);
	s->slept_ns = then && now > then ? (uint64_t)((now - then) * 1e6) : 0;
	return ptrace(PTRACE_SEIZE, tid, 0, PTRACE_O_TRACESYSGOOD) == 0 ? 0 : errno;
}

int stop_ask(struct stopped *s)
{
	s->stopped_ns = stop_now();
	return ptrace(PTRACE_INTERRUPT, s->tid, 0, 0) == 0 ? 0 : errno;
}

int stop_try(struct stopped *s, uint64_t until)
{
	int error = wait_for_stop(s->tid, until);

	if (!error && !stop_get_regs(s->tid, &s->regs))
		error = errno;
	if (error && error != EBUSY)
		ptrace(PTRACE_DETACH, s->tid, 0, 0);
	return error;
}

int stop_wait(struct stopped *s, uint64_t until)
{
	int error = stop_try(s, until);

	if (error == EBUSY && n_late < LATE_MOST)
		late[n_late++] = (struct late){s->target, s->tid};
	return error;
}

int stop_thread(struct stopped *s, const struct target *t, int tid)
{
	int error;

	stop_release_late();
	error = stop_seize(s, t, tid);
	if (error)
		return error;
	error = stop_ask(s);
	if (!error)
		return stop_wait(s, stop_now() + SECOND_NS);
	ptrace(PTRACE_DETACH, tid, 0, 0);
	return error;
}

/* Calls that the kernel does not make again by itself when a thread has stopped for its tracer. */
static bool is_to_be_made_again(long number)
{
	switch (number) {
	case SYS_epoll_wait:
	case SYS_epoll_pwait:
	case SYS_epoll_pwait2:
	case SYS_semop:
	case SYS_semtimedop:
	case SYS_msgrcv:
	case SYS_msgsnd:
	case SYS_rt_sigtimedwait:
	case SYS_io_getevents:
	case SYS_io_pgetevents:
	case SYS_io_uring_enter:
	case SYS_read:
	case SYS_readv:
	case SYS_recvfrom:
	case SYS_recvmsg:
	case SYS_recvmmsg:
	case SYS_accept:
	case SYS_accept4:
	case SYS_connect:
	case SYS_write:
	case SYS_writev:
	case SYS_sendto:
	case SYS_sendmsg:
	case SYS_sendmmsg:
		return true;
	default:
		return false;
	}
}

/* What is left of a time in ms after the call has slept for a while and the thread was stopped. At least a moment: what is
 * over by then ends the call at once. */
static uint64_t rest_of(const struct stopped *s, uint64_t ms)
{
	uint64_t passed = (s->slept_ns + stop_now() - s->stopped_ns) / 1000000;

	if ((int32_t)ms <= 0)
		return ms;
	return passed < ms ? ms - passed : 0;
}

/* Registers with which the call that was interrupted is made anew. */
void stop_make_again(const struct stopped *s, struct user_regs_struct *r)
{
	r->rip -= 2;
	r->rax = r->orig_rax;
	if (r->orig_rax == SYS_epoll_wait || r->orig_rax == SYS_epoll_pwait)
		r->r10 = rest_of(s, r->r10);
	r->orig_rax = (unsigned long long)-1;
}

bool stop_is_interrupted(const struct user_regs_struct *r)
{
	return (long)r->orig_rax >= 0 && (long)r->rax == -EINTR &&
	       is_to_be_made_again((long)r->orig_rax);
}

/* -512, -513, -514 and -516: the kernel's own words for it. */
bool stop_is_restarted(const struct user_regs_struct *r)
{
	long result = (long)r->rax;

	return (long)r->orig_rax >= 0 &&
	       (result == -512 || result == -513 || result == -514 || result == -516);
}

void stop_set_own(const struct stopped *s)
{
	struct user_regs_struct r = s->regs;

	if (stop_is_interrupted(&r))
		stop_make_again(s, &r);
	stop_set_regs(s->tid, &r);
}

void stop_go_on(struct stopped *s)
{
	if (stop_is_interrupted(&s->regs))
		stop_set_own(s);
	ptrace(PTRACE_DETACH, s->tid, 0, 0);
}

/* Returns whether it is no thread of ours any more. */
static bool release(const struct late *l)
{
	struct stopped s = {.target = l->target, .tid = l->tid};
	int status, r = waitpid(l->tid, &status, __WALL | WNOHANG);

	if (!r || (r > 0 && WIFSTOPPED(status) && !stop_is_ours(status))) {
		if (r)
			ptrace(PTRACE_CONT, l->tid, 0, status >> 16 ? 0 : WSTOPSIG(status));
		return false;
	}
	if (r > 0 && WIFSTOPPED(status)) {
		s.stopped_ns = stop_now();
		if (stop_get_regs(l->tid, &s.regs))
			stop_go_on(&s);
		else
			ptrace(PTRACE_DETACH, l->tid, 0, 0);
	}
	return true;
}

bool stop_release_late(void)
{
	for (size_t i = 0; i < n_late;)
		if (release(&late[i]))
			late[i] = late[--n_late];
		else
			i++;
	return n_late > 0;
}

/* ---- what registers say ---------------------------------------------------------------------------------------- */

uint64_t stop_pc(const struct user_regs_struct *r)
{
	return r->rip;
}

uint64_t stop_sp(const struct user_regs_struct *r)
{
	return r->rsp;
}

uint64_t stop_thread_pointer(const struct user_regs_struct *r)
{
	return r->fs_base;
}

long stop_call(const struct user_regs_struct *r)
{
	return (long)r->orig_rax < 0 ? -1 : (long)r->orig_rax;
}

void stop_set_place(struct user_regs_struct *r, uint64_t pc, uint64_t sp, long call)
{
	r->rip = pc;
	r->rsp = sp;
	r->orig_rax = (unsigned long long)call;
}

void stop_dwarf(const struct user_regs_struct *r, uint64_t to[STOP_DWARF_REGISTERS])
{
	const uint64_t values[STOP_DWARF_REGISTERS] = {
		r->rax, r->rdx, r->rcx, r->rbx, r->rsi, r->rdi, r->rbp, r->rsp,
		r->r8,	r->r9,	r->r10, r->r11, r->r12, r->r13, r->r14, r->r15};

	memcpy(to, values, sizeof(values));
}
