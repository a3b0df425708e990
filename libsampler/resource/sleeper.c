/* SPDX-License-Identifier: MIT */
/*
 * sleeper.c - credits a thread that is blocked to where it is, from another thread.
 *
 * In: what a thread has noted before it was blocked. Out: a sample. Its stack holds still as long as it is
 * blocked. If it wakes up meanwhile its stack may go away, so that all of it is read by the kernel, and what
 * was read is thrown away.
 *
 * Order: what a thread notes is released by the odd sequence number that follows it, and acquired with that. Before it
 * notes something else the number is even, and a fence keeps what follows behind that; or it is another odd one. Who
 * reads has a fence before it looks at the number again: if any word is of a later call, the number is another one.
 */
#include <stdatomic.h>

#include "base/arena.h"
#include "base/moment.h"
#include "resource/sleeper.h"
#include "signal/budget.h"
#include "signal/own_stack.h"
#include "signal/sample.h"
#include "stream/loss.h"
#include "unwind/regs.h"
#include "unwind/unwinder.h"
#include "base/poison.h"

#define FRAMES 4096u /* that are kept of its stack */
#define TRIES  16u   /* stacks */

#define GET(word)	 atomic_load_explicit(&(word), memory_order_relaxed)
#define SET(word, value) atomic_store_explicit(&(word), value, memory_order_relaxed)

/* Who reads sees the same odd number before and after if what is in between is whole. */
void cps_sleeper_note(struct cps_sleep *s, uint32_t state, uint64_t since, uint64_t leaf,
		      const uint64_t regs[CPS_REGS_KEPT])
{
	uint32_t sequence = GET(s->sequence);

	if (sequence & 1)
		SET(s->sequence, ++sequence);
	atomic_thread_fence(memory_order_release);
	SET(s->state, state);
	SET(s->since, since);
	SET(s->leaf, leaf);
	for (int i = 0; i < CPS_REGS_KEPT; i++)
		SET(s->regs[i], regs[i]);
	atomic_store_explicit(&s->sequence, sequence + 1, memory_order_release);
}

void cps_sleeper_forget(struct cps_sleep *s)
{
	atomic_store_explicit(&s->sequence, (GET(s->sequence) | 1) + 1, memory_order_release);
}

static bool is_noted(const struct cps_sleep *s)
{
	return GET(s->sequence) & 1;
}

bool cps_sleeper_encloses(const struct cps_sleep *s, uintptr_t sp)
{
	return is_noted(s) && GET(s->regs[CPS_REGS_KEPT_SP]) > sp;
}

bool cps_sleeper_is_left(struct cps_sleep *s, const ucontext_t *context)
{
	if (!is_noted(s))
		return true;
	if (cps_regs_is_below(context, GET(s->regs[CPS_REGS_KEPT_SP])))
		return false;
	cps_sleeper_forget(s);
	return true;
}

static bool is_still(const struct cps_sleep *s, uint32_t sequence)
{
	atomic_thread_fence(memory_order_acquire);
	return GET(s->sequence) == sequence;
}

bool cps_sleeper_read(const struct cps_sleep *s, struct cps_sleep *copy)
{
	uint32_t sequence = atomic_load_explicit(&s->sequence, memory_order_acquire);

	if (!(sequence & 1))
		return false;
	SET(copy->state, GET(s->state));
	SET(copy->since, GET(s->since));
	SET(copy->leaf, GET(s->leaf));
	for (int i = 0; i < CPS_REGS_KEPT; i++)
		SET(copy->regs[i], GET(s->regs[i]));
	SET(copy->sequence, sequence);
	return is_still(s, sequence);
}

bool cps_sleeper_is_worth(uint64_t ns)
{
	return ns >= CPS_RECORDING_WORTH_NS || cps_recording_path();
}

struct job {
	struct cps_thread *thread;
	const struct cps_sleep *sleep, *copy; /* NULL: it is not known where the thread is */
	const struct cps_credit *credit;
	struct cps_frame *frames;
	bool is_done;
};

static void add(void *argument)
{
	struct job *job = argument;
	struct cps_stack stack = {.frames = job->frames, .room = FRAMES, .keep = FRAMES};
	struct cps_peek peek = {.low = 0};
	uint64_t regs[CPS_REGS_KEPT];
	ucontext_t context = {0};

	if (!cps_recording_ready())
		return;
	if (!job->copy) {
		job->is_done = cps_sample_add_not_sampled(job->thread, job->credit);
		return;
	}
	stack.until = job->thread->walk_until;
	for (int i = 0; i < CPS_REGS_KEPT; i++)
		regs[i] = GET(job->copy->regs[i]);
	cps_regs_context_of(&context, regs);
	cps_unwinder_in_use()->walk(&context, &peek, &stack);
	if (stack.depth && is_still(job->sleep, GET(job->copy->sequence)))
		job->is_done = cps_recording_add(job->thread, NULL, NULL, &stack, job->credit);
}

/* There is no later sample to which this could be added, so another stack is tried if one is in use. */
static bool take(struct cps_thread *t, struct job *job)
{
	uint32_t tries = 0;
	bool is_called;

	if (atomic_exchange(&t->busy, true)) {
		cps_loss_add(CPS_LOSS_REENTERED, 1);
		return false;
	}
	cps_budget_begin(t, cps_moment_ns());
	while (!(is_called = cps_own_stack_call(t->id + tries, add, job)) && ++tries < TRIES)
		;
	if (!is_called)
		cps_loss_add(CPS_LOSS_BUSY, 1);
	atomic_store(&t->busy, false);
	return job->is_done;
}

bool cps_sleeper_take(struct cps_thread *t, const struct cps_sleep *sleep,
		      const struct cps_sleep *copy, const struct cps_credit *credit)
{
	struct cps_frame *frames = cps_arena_pages(FRAMES * sizeof(*frames));
	struct job job = {t, sleep, copy, credit, frames, false};
	bool is_done = frames && take(t, &job);

	cps_arena_unmap(frames, frames ? FRAMES * sizeof(*frames) : 0);
	return is_done;
}

bool cps_sleeper_take_nowhere(struct cps_thread *t, const struct cps_credit *credit)
{
	struct job job = {t, NULL, NULL, credit, NULL, false};

	return take(t, &job);
}
