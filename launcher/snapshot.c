/* SPDX-License-Identifier: MIT */
/*
 * snapshot.c - all threads of a process at one instant.
 *
 * In: a process that runs. Out: registers and copies of stacks. All that can be asked of the kernel beforehand is. Then the
 * threads are stopped together: each is asked before the first is waited for.
 */
#include "launcher/snapshot.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "base/array.h"
#include "launcher/proc.h"

#define MS_NS	     UINT64_C(1000000)
#define WAIT_MS	     20	  /* for a thread to stop that may be in a call which nothing interrupts */
#define WAIT_MORE_MS 1000 /* and for one that is not: the machine does not let it run */
#define COPY_MS	     25
#define STAND_S	     5 /* more: the memory is of a file system, or of somebody, that does not answer */
#define ROUNDS_MOST  8
#define MOST_URGENT  (-20)

/* ---- before ------------------------------------------------------------------------------------------------ */

static void look_at(const struct target *t, struct snapshot_thread *thread)
{
	int tid = thread->at.tid;

	proc_line(t->pid, tid, "comm", thread->name, sizeof(thread->name));
	thread->state = proc_state(t->pid, tid);
	proc_line(t->pid, tid, "wchan", thread->place, sizeof(thread->place));
	if (strcmp(thread->place, "0") == 0)
		thread->place[0] = '\0';
}

static bool is_known(const struct snapshot *s, int tid)
{
	for (size_t i = s->n_threads; i-- > 0;) /* new ones come last */
		if (s->threads[i].at.tid == tid)
			return true;
	return false;
}

static void let_go(struct snapshot *s)
{
	for (size_t i = 0; i < s->n_threads; i++)
		if (s->threads[i].has_stopped)
			stop_go_on(&s->threads[i].at);
}

/* Others may stand already: their calls would end with EINTR if this program ended as it is. */
static void refuse(struct snapshot *s, int error)
{
	let_go(s);
	if (error == EPERM || error == EACCES)
		target_refuse_rights(s->target, error);
	target_refuse(s->target, "a thread of it cannot be stopped: %s", strerror(error));
}

/* Begins to trace threads that are new. A thread may have ended meanwhile. Returns how many there are. */
static size_t seize_new(struct snapshot *s, size_t *room)
{
	size_t before = s->n_threads;
	DIR *threads = proc_threads(s->target->pid);
	int tid;

	while ((tid = proc_next(threads))) {
		struct snapshot_thread thread = {0};
		int error;

		if (is_known(s, tid))
			continue;
		error = stop_seize(&thread.at, s->target, tid);
		if (error && error != ESRCH && proc_state(s->target->pid, tid) != 'Z' &&
		    proc_state(s->target->pid, tid))
			refuse(s, error);
		if (error)
			continue;
		look_at(s->target, &thread);
		if (!array_reserve(&s->threads, room, s->n_threads + 1, sizeof(thread)))
			refuse(s, ENOMEM);
		s->threads[s->n_threads++] = thread;
	}
	proc_close(threads);
	return s->n_threads - before;
}

/* ---- while it stands --------------------------------------------------------------------------------------- */

/* Where a thread is that does not stop, because it is in a call that cannot be interrupted. */
static void find_place(struct snapshot_thread *thread)
{
	char line[256], *word, *rest = line;
	uint64_t words[9], n = 0;

	proc_line(thread->at.target->pid, thread->at.tid, "syscall", line, sizeof(line));
	while (n < 9 && (word = strsep(&rest, " ")))
		words[n++] = strtoull(word, NULL, 0);
	if (n != 9)
		return;
	thread->has_place = true;
	stop_set_place(&thread->at.regs, words[8], words[7], (long)words[0]);
}

/* Waits for a thread, which may be late: 0, or an error number. */
static int wait_for(struct snapshot_thread *thread, uint64_t begin)
{
	uint64_t least = begin + WAIT_MS * MS_NS, most = begin + WAIT_MORE_MS * MS_NS;
	int error = stop_try(&thread->at, least);

	while (error == EBUSY && stop_now() < most &&
	       proc_state(thread->at.target->pid, thread->at.tid) != 'D')
		error = stop_try(&thread->at, stop_now() + MS_NS);
	return error == EBUSY ? stop_wait(&thread->at, 0) : error;
}

static void stop_from(struct snapshot *s, size_t first)
{
	uint64_t begin;

	for (size_t i = first; i < s->n_threads; i++)
		stop_ask(&s->threads[i].at);
	begin = stop_now();
	for (size_t i = first; i < s->n_threads; i++) {
		struct snapshot_thread *thread = &s->threads[i];
		int error = wait_for(thread, begin);

		thread->has_stopped = !error;
		if (error == EBUSY)
			find_place(thread);
	}
}

/* Of a stack that is not the thread's own, as a coroutine's, nobody knows where it ends: what is behind it may be any
 * memory, also such as was never touched. */
#define OTHER_MOST (1u << 20)

/* Below the stack pointer a function that calls none may have data. */
#define RED_ZONE 128u

/* The mapping of the stack that the C library has made for a thread, or the kernel for the first. */
static const struct mapping *own_stack(const struct snapshot *s, const struct snapshot_thread *t)
{
	for (size_t i = s->target->n_mappings; t->at.tid == s->target->pid && i-- > 0;)
		if (strcmp(s->target->mappings[i].path, "[stack]") == 0)
			return &s->target->mappings[i];
	return target_mapping(s->target, stop_thread_pointer(&t->at.regs));
}

/* Copies more of a thread's stack, up to so many bytes of it. Stacks grow down: all of it is above the stack pointer. */
static void copy_stack(struct snapshot *s, struct snapshot_thread *thread, size_t most)
{
	uint64_t sp = stop_sp(&thread->at.regs), begin = sp - RED_ZONE + thread->copied;
	const struct mapping *m = target_mapping(s->target, sp & -UINT64_C(8));
	size_t n, got;

	if (!m || begin >= m->end || thread->copied >= most)
		return;
	if (m != own_stack(s, thread) && most > OTHER_MOST)
		return;
	n = m->end - begin < most - thread->copied ? m->end - begin : most - thread->copied;
	got = copied_add(&s->memory, begin, n);
	thread->copied += got;
	thread->is_cut = got < n || begin + got < m->end;
	if (got < n)
		thread->copied = SIZE_MAX; /* there is no more */
}

static bool is_placed(const struct snapshot_thread *thread)
{
	return thread->has_stopped || thread->has_place;
}

/* Threads may have been made since the mappings were read. */
static void know_stacks(struct snapshot *s)
{
	for (size_t i = 0; i < s->n_threads; i++)
		if (is_placed(&s->threads[i]) &&
		    (!target_mapping(s->target, stop_sp(&s->threads[i].at.regs) & -UINT64_C(8)) ||
		     !target_mapping(s->target, stop_pc(&s->threads[i].at.regs)))) {
			target_read_mappings(s->target);
			return;
		}
}

/* A handler on a stack of its own has the interrupted stack pointer in its frame: the lowest address of the thread's own
 * stack that is there. */
static void copy_interrupted(struct snapshot *s, const struct snapshot_thread *thread)
{
	uint64_t sp = stop_sp(&thread->at.regs) & -UINT64_C(8), lowest = UINT64_MAX, word;
	const struct mapping *here = target_mapping(s->target, sp), *own = own_stack(s, thread);

	if (!here || !own || own == here || here->end - sp > (1u << 20))
		return;
	for (uint64_t at = sp; at < here->end; at += 8)
		if (copied_read(&s->memory, at, &word, 8) && word >= own->begin &&
		    word < own->end && word < lowest)
			lowest = word;
	if (lowest < own->end)
		copied_add(&s->memory, lowest, own->end - lowest);
}

static void copy_stacks(struct snapshot *s, size_t most, uint64_t until)
{
	for (size_t i = 0; i < s->n_threads && stop_now() < until; i++)
		if (is_placed(&s->threads[i]))
			copy_stack(s, &s->threads[i], most);
}

static void copy(struct snapshot *s, uint64_t until,
		 void (*more)(struct snapshot *s, uint64_t until, void *context), void *context)
{
	s->memory.is_live = true;
	s->memory.until = until;
	know_stacks(s);
	copy_stacks(s, 128u << 10, until);
	for (size_t i = 0; i < s->n_threads && stop_now() < until; i++)
		if (s->threads[i].has_stopped)
			copy_interrupted(s, &s->threads[i]);
	if (more)
		more(s, until, context);
	for (size_t most = 1u << 20; most <= 1u << 30; most *= 8)
		copy_stacks(s, most, until);
	s->memory.is_live = false;
}

/* ---- the whole ------------------------------------------------------------------------------------------------ */

/* This program must not end while the process stands: calls that were interrupted would fail. But a page that is read may be of
 * a file system whose server does not answer, or answers only when the process goes on. Nothing but the end of this program ends
 * such a read, by SIGALRM; the kernel lets the threads go then. */
static void block_signals(sigset_t *before)
{
	sigset_t all;

	signal(SIGALRM, SIG_DFL);
	sigfillset(&all);
	sigdelset(&all, SIGALRM);
	sigprocmask(SIG_SETMASK, &all, before);
}

void snapshot_take(struct snapshot *s, struct target *t,
		   void (*more)(struct snapshot *s, uint64_t until, void *context), void *context)
{
	size_t room = 0, asked = 0;
	sigset_t before;
	uint64_t begin;
	int nice_before;

	*s = (struct snapshot){.target = t, .memory = {.target = t}};
	block_signals(&before);
	for (int i = 0; i < ROUNDS_MOST && seize_new(s, &room); i++)
		;
	nice_before = getpriority(PRIO_PROCESS, 0);
	setpriority(PRIO_PROCESS, 0,
		    MOST_URGENT); /* where that is allowed: others do not make the stop longer */
	alarm(STAND_S);
	begin = stop_now();
	do {
		stop_from(s, asked);
		asked = s->n_threads;
	} while (seize_new(s, &room) && stop_now() < begin + WAIT_MORE_MS * MS_NS);
	copy(s, stop_now() + COPY_MS * MS_NS, more, context);
	let_go(s);
	alarm(0);
	s->stopped_ns = stop_now() - begin;
	setpriority(PRIO_PROCESS, 0, nice_before);
	sigprocmask(SIG_SETMASK, &before, NULL);
}

void snapshot_end(struct snapshot *s)
{
	static const struct timespec nap = {0, 1000000};

	(void)s;
	for (int i = 0; i < 100 && stop_release_late(); i++)
		nanosleep(&nap, NULL);
}

void snapshot_free(struct snapshot *s)
{
	copied_free(&s->memory);
	free(s->threads);
	*s = (struct snapshot){0};
}

long snapshot_call(const struct snapshot_thread *t)
{
	if (!is_placed(t))
		return -1;
	return t->state == 'R' && !stop_is_restarted(&t->at.regs) ? -1 : stop_call(&t->at.regs);
}
