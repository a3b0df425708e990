/* SPDX-License-Identifier: MIT */
/*
 * lock.c - who waits for locks, and for whom.
 */
#include <errno.h>
#include <sys/mman.h>

#include "base/memory.h"
#include "base/moment.h"
#include "base/sys.h"
#include "resource/lock.h"
#include "resource/off_cpu.h"
#include "resource/point.h"
#include "resource/resource.h"
#include "signal/other_signals.h"
#include "signal/sample.h"
#include "signal/tick_riders.h"
#include "base/poison.h"

/* ---- lock word ------------------------------------------------------------------------------- */
/*
 * Adds up in a word how long an object is waited for.
 *
 * In: waiters that come and go, and who is to be blamed. Out: blame.
 *
 * Order: all that is known of an object is in its word, which is exchanged as a whole, so that no thread needs to see anything else
 * that another one has written; but for when the recording began, which is there before the words' address is released.
 */

#define SHIFT	 CPS_LOCK_WORD_SHIFT
#define SUM_MASK ((UINT64_C(1) << SHIFT) - 1)
#define MOST	 ((UINT64_C(1) << (64 - SHIFT)) - 1) /* waiters */

static uint64_t word(uint64_t waiters, uint64_t sum)
{
	return waiters << SHIFT | (sum & SUM_MASK);
}

/* What the waiters have waited until now, in sum. Clocks of two processors may differ. */
static uint64_t waited(uint64_t was, uint64_t now)
{
	uint64_t sum = ((was >> SHIFT) * now - was) & SUM_MASK;

	return sum > SUM_MASK / 2 ? 0 : sum;
}

void cps_lock_word_add(cps_lock_word *w, uint64_t now)
{
	uint64_t was = atomic_load(w);

	while (was >> SHIFT < MOST &&
	       !atomic_compare_exchange_weak(w, &was, word((was >> SHIFT) + 1, was + now)))
		;
}

/* Which part of the sum is this waiter's is not known after others were blamed: it takes the mean along. */
void cps_lock_word_subtract(cps_lock_word *w, uint64_t now)
{
	uint64_t was = atomic_load(w), n, mean;

	do {
		n = was >> SHIFT;
		if (!n)
			return;
		mean = waited(was, now) / n;
	} while (!atomic_compare_exchange_weak(w, &was,
					       n == 1 ? 0 : word(n - 1, was - (now - mean))));
}

uint64_t cps_lock_word_blame(cps_lock_word *w, uint64_t now)
{
	uint64_t was = atomic_load(w), n, sum;

	do {
		n = was >> SHIFT;
		sum = waited(was, now);
		if (!n || !sum)
			return 0;
	} while (!atomic_compare_exchange_weak(w, &was, word(n, n * now)));
	return sum;
}

/* ---- lock ------------------------------------------------------------------------------------ */
/*
 * Adds up how long locks and events are waited for.
 *
 * In: waits that begin and end, locks that are given back, events. Out: points of the resources
 * `lock` and `lock-blame`, and samples.
 */

#define BYTES ((UINT64_C(2) << CPS_LOCK_BITS) * sizeof(cps_lock_word))

_Atomic(cps_lock_word *) cps_lock_words;
static cps_lock_word *memory; /* of these words */
static _Atomic uint64_t
	began_ns; /* who has waited since before that is credited with what is of this recording */

/* ---- waits ----------------------------------------------------------------------------------- */

static void credit(uint32_t number, uint32_t state, uint64_t ns)
{
	uint64_t gticks = cps_point_pass(number, ns);

	if (gticks)
		cps_resource_sample(number, state, gticks);
}

/* The thread, which is the calling one, waits no more for what it has noted. */
static void forget(struct cps_thread *t, uint64_t now)
{
	cps_lock_word *w;

	cps_sleeper_forget(&cps_state_of(t)->lock.sleep);
	w = atomic_exchange(&cps_state_of(t)->lock.word, NULL);
	if (w)
		cps_lock_word_subtract(w, now);
}

static uint32_t sequence_of(const struct cps_thread *t)
{
	return atomic_load_explicit(&cps_state_of(t)->lock.sleep.sequence, memory_order_relaxed);
}

/* A wait that was noted, though the thread is not in it, was left by longjmp. The note comes before the
 * registration: a handler that leaves in between must not leave that behind. */
void cps_lock_enter(void *begins, const uint64_t regs[CPS_REGS_KEPT])
{
	struct cps_lock_call *call = begins;
	cps_lock_word *words = atomic_load(&cps_lock_words), *w = NULL;
	struct cps_thread *t = cps_thread_arrive();

	if (!t || cps_thread_is_gone(t))
		return;
	call->thread = t;
	call->since = cps_moment_ns();
	cps_lock_look(cps_regs_kept_sp(regs));
	if (sequence_of(t) & 1)
		return;
	if (call->object && words)
		w = cps_lock_word_of(words, call->object, call->state);
	atomic_store(&cps_state_of(t)->lock.from, call->since);
	cps_sleeper_note(&cps_state_of(t)->lock.sleep, call->state, call->since, 0, regs);
	call->sequence = sequence_of(t);
	atomic_store(&cps_state_of(t)->lock.word, w);
	if (w)
		cps_lock_word_add(w, call->since);
}

/* Who credits the thread from outside sees that it was too late when it finds another `from`. */
void cps_lock_leave(const struct cps_lock_call *call)
{
	uint64_t now = cps_moment_ns(), from = call->since;
	bool is_time = cps_other_signals_is_time();
	struct cps_thread *t = call->thread;
	uint64_t began = atomic_load(&began_ns);

	if (call->sequence && call->sequence == sequence_of(t)) {
		from = atomic_exchange(&cps_state_of(t)->lock.from, now);
		forget(t, now);
	}
	from = from > began ? from : began;
	if (is_time && now > from)
		credit(CPS_RESOURCE_OF_lock, call->state, now - from);
}

void cps_lock_look(uintptr_t frame)
{
	struct cps_thread *t = cps_thread_self();

	if (t && !cps_thread_is_gone(t) && sequence_of(t) & 1 &&
	    !cps_sleeper_encloses(&cps_state_of(t)->lock.sleep, frame))
		forget(t, cps_moment_ns());
}

uint64_t cps_lock_blame(const void *object, enum cps_lock_state state)
{
	cps_lock_word *words = atomic_load(&cps_lock_words);

	if (!words)
		return 0;
	cps_lock_look((uintptr_t)__builtin_frame_address(0));
	return cps_lock_word_blame(cps_lock_word_of(words, object, state), cps_moment_ns());
}

void cps_lock_blamed(uint64_t blame, enum cps_lock_state state)
{
	if (blame)
		credit(CPS_RESOURCE_OF_lock_blame, state, blame);
}

/* ---- beginning and end ----------------------------------------------------------------------- */

/* A thread that ticks elsewhere has left its wait. */
static bool at_tick(struct cps_thread *t, const ucontext_t *context, uint64_t now, uint64_t reading,
		    struct cps_credit *none)
{
	(void)reading;
	(void)none;
	if (sequence_of(t) & 1 && cps_sleeper_is_left(&cps_state_of(t)->lock.sleep, context))
		forget(t, now);
	return false;
}

static void skip(struct cps_thread *t, uint64_t reading)
{
	(void)reading;
	atomic_store(&cps_state_of(t)->lock.from, cps_moment_ns());
}

const struct cps_tick_riders cps_lock_rider = {
	.at_tick = at_tick, .keep = cps_resource_keep, .skip = skip};

/* Waits of an earlier recording may have ended since. */
void cps_lock_reset(void)
{
	for (uint64_t i = 0; memory && i < BYTES / sizeof(*memory); i++)
		atomic_store_explicit(&memory[i], 0, memory_order_relaxed);
}

/* In a child made by fork the kernel has cleared the words. */
static int make_words(void)
{
	cps_lock_word *pages;

	if (memory)
		return 0;
	pages = cps_arena_pages(BYTES);
	if (!pages)
		return -ENOMEM;
	if (CPS_SYS(madvise, pages, BYTES, MADV_WIPEONFORK, 0) != 0) {
		cps_arena_unmap(pages, BYTES);
		return -ENOSYS;
	}
	memory = pages;
	return 0;
}

int cps_lock_start(void)
{
	int error = make_words();

	if (error)
		return error;
	began_ns = cps_moment_ns();
	cps_tick_riders_add(&cps_lock_rider);
	atomic_store(&cps_lock_words, memory);
	return 0;
}

void cps_lock_stop(void)
{
	atomic_store(&cps_lock_words, NULL);
	cps_tick_riders_remove(&cps_lock_rider);
}

void cps_lock_disarm(struct cps_thread *t)
{
	if (sequence_of(t) & 1)
		forget(t, cps_moment_ns());
}

/* What could not be recorded is credited by the thread itself, if that still waits. */
static void give_back(struct cps_lock_wait *w, uint64_t from, uint64_t now)
{
	uint64_t expected = now;

	if (atomic_compare_exchange_strong(&w->from, &expected, from))
		atomic_fetch_sub(&w->credited, now - from);
}

/* The thread may wake up meanwhile: who has set `from` credits what was before. */
static void credit_rest(struct cps_thread *t)
{
	struct cps_lock_wait *w = &cps_state_of(t)->lock;
	uint64_t now = cps_moment_ns(), from = atomic_load(&w->from);
	struct cps_sleep copy;
	struct cps_credit place;

	if (!cps_sleeper_read(&w->sleep, &copy) || from >= now || !cps_sleeper_is_worth(now - from))
		return;
	place = cps_resource_credit(CPS_RESOURCE_OF_lock, copy.state, now - from);
	place.is_tail = true;
	if (!place.weight || !atomic_compare_exchange_strong(&w->from, &from, now))
		return;
	atomic_fetch_add(&w->credited, now - from);
	if (!cps_sleeper_take(t, &w->sleep, &copy, &place) && !cps_sleeper_take_nowhere(t, &place))
		give_back(w, from, now);
}

void cps_lock_credit_rest(struct cps_thread *t)
{
	uint64_t mask = cps_sys_block_signals();

	credit_rest(t);
	cps_sys_set_mask(mask);
}

uint64_t cps_lock_take_counted(struct cps_thread *t)
{
	return cps_point_consumed(t, CPS_RESOURCE_OF_lock) +
	       atomic_exchange(&cps_state_of(t)->lock.credited, 0);
}
