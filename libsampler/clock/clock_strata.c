/* SPDX-License-Identifier: MIT */
/*
 * clock_strata.c - samples at random instants, of threads that the kernel's tick has met running.
 */
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "arch/arch.h"
#include "base/moment.h"
#include "base/sys.h"
#include "base/text.h"
#include "clock/clock.h"
#include "clock/clock_strata.h"
#include "clock/clock_timer.h"
#include "signal/disposition.h"
#include "signal/gate.h"
#include "signal/interruption.h"
#include "signal/sample.h"
#include "signal/waiting.h"
#include "stream/loss.h"
#include "stream/recording.h"
#include "base/poison.h"

/* ---- misses ---------------------------------------------------------------------------------- */
/*
 * In: each shot, and what the thread has used since the one before. Out: how far shots are apart.
 * What is decided here depends on shots that have come, and not on where the next one does, so that
 * shares stay true.
 */

#define MISS_NS	   20000  /* what one takes: the kernel, the handler, another wait */
#define PART	   64	  /* all of them may take this part of the thread's time */
#define ENOUGH_NS  200000 /* too much or too little of that, before anything changes */
#define RARER_MOST 5u
#define TOO_RARE   4u  /* after so many doublings shots at sleepers are too far apart */
#define BLOCKED	   4u  /* a shot that finds the thread blocked counts as much as so many others */
#define OFTEN	   12u /* that is too often ... */
#define TICKS	   64u /* ... and for so many of them ticks are samples */
#define NAP_NS	   50000u /* a thread that sleeps after less CPU time than that each time naps; ... */
#define NAPS	   4u	  /* ... so many sleeps more are none */

/* How late shots come to threads that run depends on the machine: 10 to 20 us on one virtual machine, 25 to 50 on
 * another. All in ns. */
#define USUAL_LEAST 15000u
#define USUAL_MOST  50000u
#define STEP	    400u /* of the estimate, which then stays within some us */
#define PROMPT	    2u	 /* times as late as usual may a shot come to a thread that runs */

/* The lower quartile of how late shots come that do not end a sleep: few of them are late because their thread
 * was away. Order: an estimate by itself. What else is here belongs to who has set the thread's `busy`, or to the thread. */
static _Atomic uint32_t usual_ns = 20000;

void cps_misses_count(struct cps_strata *s, uint64_t used_ns, bool is_miss)
{
	s->waste_ns += (is_miss ? MISS_NS : 0) - (int64_t)(used_ns / PART);
	if (s->waste_ns > ENOUGH_NS) {
		s->rarer += s->rarer < RARER_MOST;
		s->waste_ns = 0;
	} else if (s->waste_ns < -ENOUGH_NS) {
		s->rarer -= s->rarer > 0;
		s->waste_ns = 0;
	}
}

bool cps_misses_may_be_blocked(struct cps_strata *s, bool is_in_call, uint32_t waits,
			       uint64_t reading)
{
	struct rusage usage = {.ru_nvcsw = 0};
	uint32_t sleeps, faults;
	bool may_be;

	CPS_SYS(getrusage, RUSAGE_THREAD, &usage, 0, 0);
	sleeps = (uint32_t)usage.ru_nvcsw - s->switches;
	faults = (uint32_t)usage.ru_majflt - s->disk_faults;
	may_be = is_in_call ? sleeps > waits - s->waits : faults > 0;
	if (sleeps > (reading - s->counted_reading) / NAP_NS + NAPS)
		s->ticks = TICKS;
	s->switches = (uint32_t)usage.ru_nvcsw;
	s->disk_faults = (uint32_t)usage.ru_majflt;
	s->counted_reading = reading;
	s->waits = waits;
	return may_be;
}

void cps_misses_count_blocked(struct cps_strata *s, bool was_blocked)
{
	if (!was_blocked)
		s->blocked -= s->blocked > 0;
	else if ((s->blocked += BLOCKED) >= OFTEN)
		s->ticks = TICKS;
	s->blocked = s->blocked < OFTEN ? s->blocked : OFTEN - 1;
}

void cps_misses_count_tick(struct cps_strata *s, uint64_t reading)
{
	if (s->ticks && !--s->ticks)
		cps_misses_may_be_blocked(s, true, s->waits, reading);
}

bool cps_misses_are_too_many(const struct cps_strata *s)
{
	return s->ticks || (s->calm < CPS_MISSES_CALM && s->rarer >= TOO_RARE);
}

/* An estimate that goes down three times as far as it goes up stays where one of four is below. Threads may overwrite
 * what others have learnt. */
void cps_misses_note_late(uint64_t late)
{
	uint32_t usual = atomic_load_explicit(&usual_ns, memory_order_relaxed);

	usual = late > usual ? usual + STEP : usual - 3 * STEP;
	usual = usual < USUAL_LEAST ? USUAL_LEAST : usual > USUAL_MOST ? USUAL_MOST : usual;
	atomic_store_explicit(&usual_ns, usual, memory_order_relaxed);
}

/* A shot into a long system call comes late, too; but then the thread has not been away from the processor for
 * so long. */
bool cps_misses_was_away(const struct cps_strata *s, uint64_t late, uint64_t now, uint64_t reading)
{
	int64_t away = (int64_t)(now - s->seen_at - (reading - s->seen_reading));
	uint64_t prompt = PROMPT * atomic_load_explicit(&usual_ns, memory_order_relaxed);

	return late > prompt && away > (int64_t)(late - prompt);
}

/* ---- stratum --------------------------------------------------------------------------------- */
/*
 * Promises a thread's time to shots, and draws their instants.
 *
 * In: what the thread has used and was credited with. Out: the next stratum. What is promised
 * depends on what has been, and not on where the shots come, so that shares stay true.
 */

#define SLACK 8u /* intervals that a thread may be credited too much or too little by chance */
#define DEBT                                                                                       \
	2u /* intervals that are owed when a thread begins, from which on its first stratum ... */
#define SHOTS 4u /* ... has so many times as many shots */

/* The later one of two moments. */
static uint64_t cps_stratum_later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* The instant of a shot in a part that begins then and is so long. */
static uint64_t cps_stratum_draw(struct cps_thread *t, uint64_t begin, uint64_t part)
{
	return begin + cps_clock_vary(t, part / 2, part / 2);
}

/* A stratum of this length begins then, when the thread's reading will be `reading` if it goes on running. There
 * is a shot in each interval. A short thread that none of the shots has met hands on what it has used to the
 * next one, and with a single shot in a stratum several such threads may follow each other. */
static void cps_stratum_begin(struct cps_thread *t, uint64_t reading, uint64_t begin,
			      uint64_t length, uint64_t interval)
{
	struct cps_strata *s = cps_strata_of(t);

	s->left = (uint32_t)(length / interval);
	s->left = s->left ? s->left : 1;
	s->part = length / s->left;
	s->part_end = begin + s->part;
	s->promise = reading + length;
	s->shot_at = cps_stratum_draw(t, begin, s->part);
	t->slack = cps_stratum_later(length, SLACK * interval);
}

/* An interval without memory begins at this reading, of this mean length, and ends at that shot. Half of what
 * was credited too much or too little is made up for by the next shot that meets the thread. With all of it the
 * weights would vary more, with less of it more would be left at the end. */
static void cps_stratum_begin_free(struct cps_thread *t, uint64_t reading, uint64_t shot_at,
				   uint64_t length)
{
	struct cps_strata *s = cps_strata_of(t);

	s->left = 1;
	s->part = length;
	s->shot_at = s->part_end = shot_at;
	s->promise = t->consumed + s->part + (uint64_t)((int64_t)(reading - t->consumed) / 2);
	t->slack = 2 * s->part;
}

/* The first stratum of a thread has begun now. If the thread has taken over much that others have used
 * (thread_end_credit.c), since several in a row have ended before a shot met them, more shots make it likely
 * that one meets this one. */
static void cps_stratum_divide(struct cps_thread *t, uint64_t now, uint64_t reading,
			       uint64_t interval)
{
	struct cps_strata *s = cps_strata_of(t);

	if (cps_sample_due(t, reading) <= (int64_t)(DEBT * interval))
		return;
	s->left *= SHOTS;
	s->part /= SHOTS;
	s->part_end = now + s->part;
	s->shot_at = cps_stratum_draw(t, now, s->part);
}

/* Set the thread's shot for a moment; 0: it does not come. If the thread is held, it comes when the thread is let go. */
static void cps_stratum_set_shot(struct cps_thread *t, uint64_t at)
{
	if (atomic_load(&t->is_held))
		cps_strata_of(t)->held_at = at;
	else
		cps_posix_timer_set(t->shot, TIMER_ABSTIME, at, 0);
}

/* The same, for so long from now; 0: it does not come. */
static void cps_stratum_set_shot_after(struct cps_thread *t, uint64_t ns)
{
	cps_stratum_set_shot(t, ns ? cps_moment_ns() + ns : 0);
}

/* The calling thread makes a call that no shot may come into. */
static void cps_stratum_hold(struct cps_thread *t)
{
	struct cps_strata *s = cps_strata_of(t);
	uint64_t left;

	if (!t->has_shot)
		return;
	atomic_store(&t->is_held, true);
	left = cps_posix_timer_stop(t->shot);
	s->held_at = left ? cps_moment_ns() + left : s->left || s->woken_at ? s->shot_at : 0;
}

/* The call is over. A shot whose instant has passed comes at once. */
static void cps_stratum_let_go(struct cps_thread *t)
{
	bool was_held = atomic_exchange(&t->is_held, false);

	if (was_held && t->has_shot && cps_strata_of(t)->held_at)
		cps_stratum_set_shot(t, cps_strata_of(t)->held_at);
}

/* ---- clock strata ---------------------------------------------------------------------------- */
/*
 * In: an interval. Out: as many samples per second of CPU time as asked for, at instants that have
 * nothing to do with the kernel's own tick. CPU timers alone can only tick together with it, so
 * that a program that keeps time with it is always met in the same part of its work.
 *
 * Two timers for each thread. The *gate* is a timer on its CPU clock. When it ticks, the thread is
 * running, and the *shot*, a timer on the time of day, is set. Where it comes is a sample if the
 * thread is running then. The start of a thread is a gate, too, and so is the end of a wait that a
 * wrapper sees. After a shot that meets the thread running comes the next, without a gate.
 *
 * A thread that is hardly ever found asleep is sampled by strata: its time is divided into strata
 * of the length of the kernel's tick, and these into parts as long as the interval, and there is a
 * shot at a random instant of each part. At its beginning a stratum is promised what the thread
 * will use in it if it goes on running, plus what it has used and was not credited with (or minus
 * what was credited too much). Each shot gets an equal part of this.
 *
 * If the thread is found asleep now and then, there would be time between a shot and the next
 * stratum of which it is not known whether the thread will use it, and how much it uses is related
 * to where it is. So intervals between shots have no memory then, and each begins with the shot
 * before it, or when the thread wakes up. A shot is credited with the mean interval, and with a
 * part of what is lacking.
 *
 * In both cases the credit is settled before the instant is drawn. What was used since the last
 * shot is related to where the thread is now (doc/decisions/0059, 0067, 0071).
 *
 * Order: with both timers as with that of clock_timer.c.
 */

#define GATE	    UINT64_C(0xc95a3b7f00000000) /* the values that the two timers bring */
#define SHOT	    UINT64_C(0xc95a3b8000000000)
#define ID	    UINT64_C(0xffffffff)
#define TICK_USUAL  4000000u  /* ns between ticks of the kernel, if it does not say */
#define TICK_MOST   20000000u /* ns */
#define LATE_NS	    20000000u /* after so long a process is looked at that no gate has met */
#define ASLEEP_NS   UINT64_C(1000000000) /* after so long a wait may have been left by longjmp */
#define INTERVAL_NS 4000000u /* the usual one: a shot costs more than a tick of the kernel's */
#define IDLE_PART   16u	     /* a thread that runs for less than this part of the time is idle */

static uint64_t interval_ns, tick_ns;
static bool expects_eintr; /* the program's runtime does, from anything that it calls */

static uint64_t kind_of(const siginfo_t *info)
{
	return info->si_code == SI_TIMER ? (uintptr_t)info->si_value.sival_ptr & ~ID : 0;
}

static bool is_mine(const siginfo_t *info)
{
	return kind_of(info) == GATE || kind_of(info) == SHOT;
}

static uint64_t shot_interval(const struct cps_thread *t)
{
	return cps_misses_interval(cps_strata_of(t), cps_budget_interval(t, interval_ns));
}

/* A stratum is as long as whole ticks of the kernel, so that none of the thread's time lies between
 * two of them. */
static uint64_t stratum_ns(const struct cps_thread *t)
{
	return (shot_interval(t) + tick_ns - 1) / tick_ns * tick_ns;
}

/* The gate is for an idle thread: the next tick that meets it running, whatever that is. Of longer strata
 * it is the tick at which one ends that begins now. The first gate is a sample, and comes no earlier than
 * another clock's would. Where ticks are samples each of them that is nearest to the end of an interval is one. */
static void set_gate(struct cps_thread *t)
{
	uint64_t mean = stratum_ns(t) - tick_ns / 16 * 15, spread = tick_ns / 32;

	if (!atomic_load(&t->has_timer))
		return;
	if (!cps_strata_of(t)->seen_at) {
		mean = cps_budget_interval(t, interval_ns);
		spread = mean / 2;
	} else if (cps_misses_are_too_many(cps_strata_of(t))) {
		mean = cps_budget_interval(t, interval_ns);
		mean = mean > tick_ns ? mean - tick_ns / 2 : tick_ns / 2;
		spread = tick_ns / 4;
	}
	cps_posix_timer_set(t->timer, 0, cps_clock_vary(t, mean, spread), 0);
}

/* Whether there are shots, which may end sleeps. When the program has seen that once it has no more of them. Without
 * them the gates' ticks are samples, as those of clock_timer.c are. */
static bool may_shoot(const struct cps_thread *t)
{
	return t->has_shot && !cps_misses_are_too_many(cps_strata_of(t)) &&
	       (expects_eintr || !cps_interrupted_ever());
}

static void begin(struct cps_thread *t, uint64_t now, uint64_t reading, uint64_t begin)
{
	struct cps_strata *s = cps_strata_of(t);

	s->woken_at = 0;
	if (s->calm < CPS_MISSES_CALM)
		cps_stratum_begin_free(t, reading, begin + cps_clock_vary_freely(t, stratum_ns(t)),
				       stratum_ns(t));
	else
		cps_stratum_begin(t, reading + (begin - now), begin, stratum_ns(t),
				  shot_interval(t));
	s->calm += s->calm < CPS_MISSES_CALM;
}

static void see(struct cps_strata *s, uint64_t now, uint64_t reading)
{
	s->seen_at = now;
	s->seen_reading = reading;
}

/* The thread goes on after a sleep in which a shot has found it. If that was the shot of a part, the next
 * is drawn from its end on, or the time until then would be in two strata. All that the handler, which
 * comes afterwards (waiting.c), is told is when. */
static void wake(struct cps_thread *t)
{
	struct cps_strata *s = cps_strata_of(t);
	uint64_t now, at;

	if (!may_shoot(t) || s->left)
		return;
	now = cps_moment_ns();
	at = cps_stratum_later(now, s->part_end) + cps_clock_vary_freely(t, stratum_ns(t));
	s->shot_at = at;
	atomic_signal_fence(memory_order_seq_cst);
	s->woken_at = now;
	atomic_signal_fence(memory_order_seq_cst);
	cps_stratum_set_shot(t, at);
}

/* The thread is going to sleep, and its next shot would end that. It is drawn anew when the thread wakes
 * up, which makes no difference to one without memory. In place of it a tick comes at which a gate is set, if
 * we are not told that the thread goes on, because it leaves the wait by longjmp. */
static bool doze(struct cps_thread *t)
{
	struct cps_strata *s = cps_strata_of(t);
	uint64_t now = cps_moment_ns();

	if (!may_shoot(t) || (!s->left && !s->woken_at))
		return false;
	see(s, now, cps_clock_cpu());
	s->left = s->calm = 0;
	s->part_end = s->woken_at = 0;
	cps_stratum_set_shot(t, now + ASLEEP_NS);
	return true;
}

/* In the handler: the thread has gone on then. It has used nothing between the shot into its sleep and the
 * end of that. */
static void begin_woken(struct cps_thread *t)
{
	struct cps_strata *s = cps_strata_of(t);

	see(s, s->woken_at, s->seen_reading);
	s->woken_at = 0;
	cps_stratum_begin_free(t, s->seen_reading, s->shot_at, stratum_ns(t));
}

/* Whether the shot has ended a sleep. The sleep's call then fails with EINTR or is made again. */
static bool has_woken(const ucontext_t *context)
{
	return cps_regs_interrupted_call(context) || cps_regs_restarted_call(context) >= 0;
}

/* Ends the parts whose instant has come. Returns how many. */
static uint32_t end_parts(struct cps_thread *t, uint64_t now)
{
	struct cps_strata *s = cps_strata_of(t);
	uint32_t n = 0;

	while (s->left && s->shot_at <= now) {
		n++;
		s->left--;
		s->shot_at = cps_stratum_draw(t, s->part_end, s->part);
		s->part_end += s->part;
	}
	return n;
}

/* After the last shot of a stratum the thread is running, so that the next stratum follows. */
static void go_on(struct cps_thread *t, uint64_t now, uint64_t reading)
{
	begin(t, now, reading,
	      cps_stratum_later(now, cps_strata_of(t)->part_end - cps_strata_of(t)->part));
}

/* Whether a thread that a shot has found asleep is to be left alone: until its wait ends; or, if we are
 * not told when that is and it hardly works, until the next gate. Otherwise the stratum goes on: work
 * after a sleep must not be met less often than work before one. */
static bool is_idle(const struct cps_strata *s, uint64_t reading)
{
	return cps_waiting_is_told() || reading - s->seen_reading < s->part / IDLE_PART;
}

/* The next stratum begins after the part of the last shot. */
static void let_alone(struct cps_strata *s)
{
	s->part_end -= s->part;
	s->left = 0;
}

/* The shot that comes early in a process, if no gate has met it until then: one that works and sleeps in step with
 * the kernel's tick may never be met by one. It takes the place of the first gate, but is no sample, since a
 * program that uses no time to speak of shall leave no recording. */
static void begin_late(struct cps_thread *t, const ucontext_t *context, uint64_t now,
		       uint64_t reading)
{
	see(cps_strata_of(t), now, reading);
	if (!has_woken(context) || !cps_waiting_is_told())
		begin(t, now, reading, now);
}

/* Whether the shot came late to a thread that was blocked in the kernel. In a wait of which we are told it was asleep, or
 * was just waking up. */
static bool was_blocked(struct cps_strata *s, const ucontext_t *context, uint64_t reading,
			bool is_away)
{
	bool may_be = cps_misses_may_be_blocked(s, cps_regs_is_from_call(context),
						cps_waiting_count, reading);

	return may_be && is_away && (!cps_waiting_is_wrapped() || cps_transfer_cut_state.frame);
}

static bool admit_shot(struct cps_thread *t, const ucontext_t *context, uint64_t now,
		       uint64_t *reading)
{
	struct cps_strata *s = cps_strata_of(t);
	int64_t due = (int64_t)(s->promise - t->consumed);
	uint64_t late = now - s->shot_at;
	uint32_t left = s->left, hits = end_parts(t, now);
	bool has_slept = has_woken(context), is_away = cps_misses_was_away(s, late, now, *reading);
	bool is_over = has_slept && is_idle(s, *reading);

	if (!hits) /* it is of an earlier stratum */
		return false;
	if (!has_slept)
		cps_misses_note_late(late);
	cps_misses_count(s, *reading - s->seen_reading, has_slept || is_away);
	cps_misses_count_blocked(s, was_blocked(s, context, *reading, is_away && !has_slept));
	see(s, now, *reading);
	if (has_slept)
		s->calm = 0;
	if (is_over)
		let_alone(s);
	else if (!s->left)
		go_on(t, now, *reading);
	if (has_slept || is_away || due <= 0)
		return false;
	*reading = t->consumed + (uint64_t)due * hits / left;
	return true;
}

/* The first tick of a thread whose beginning was not looked at, as that of a process is not; or of one that
 * shots have met only asleep, so that there is no recording yet. What it has used until now is credited
 * here. If it were promised to later shots, a process that ends soon would have been credited with up to
 * twice as much as it has used. */
static bool admit_first(struct cps_thread *t, uint64_t now, uint64_t reading)
{
	if (!cps_strata_of(t)->seen_at)
		cps_strata_of(t)->calm = CPS_MISSES_CALM;
	see(cps_strata_of(t), now, reading);
	begin(t, now, reading, now);
	return true;
}

static bool admit(struct cps_thread *t, const siginfo_t *info, const ucontext_t *context,
		  uint64_t now, uint64_t *reading)
{
	struct cps_strata *s = cps_strata_of(t);

	if (!may_shoot(t)) {
		s->woken_at = s->left = 0;
		cps_misses_count(s, *reading - s->seen_reading, false);
		cps_misses_count_tick(s, *reading);
		see(s, now, *reading);
		return kind_of(info) == GATE && (int64_t)(*reading - t->consumed) > 0;
	}
	if (!s->left && s->woken_at)
		begin_woken(t);
	if (kind_of(info) == SHOT && !s->seen_at) {
		begin_late(t, context, now, *reading);
		return false;
	}
	if (kind_of(info) == SHOT)
		return admit_shot(t, context, now, reading);
	if (!s->seen_at || !cps_recording_path())
		return admit_first(t, now, *reading);
	if (s->left && now < s->shot_at + tick_ns)
		return false;
	see(s, now, *reading);
	begin(t, now, *reading, cps_stratum_later(now, s->part_end));
	return false;
}

static bool is_in_call(const siginfo_t *info)
{
	return kind_of(info) == SHOT && !expects_eintr;
}

/* A shot that was set again for the instant that has passed would come at once, again and again. */
static void forget(struct cps_thread *t)
{
	cps_strata_of(t)->left = 0;
	cps_strata_of(t)->woken_at = 0;
}

static void rearm(struct cps_thread *t, const siginfo_t *info)
{
	struct cps_strata *s = cps_strata_of(t);

	if (s->left && !may_shoot(t)) {
		s->left = 0;
		cps_stratum_set_shot(t, 0);
	}
	if (s->left)
		cps_stratum_set_shot(t, s->shot_at);
	else if (!s->seen_at && may_shoot(t) && (!info || kind_of(info) == SHOT))
		cps_stratum_set_shot_after(t, cps_clock_vary(t, LATE_NS, LATE_NS / 2));
	if (!s->left || !info)
		set_gate(t);
}

static int create(const struct cps_thread *t, clockid_t clock, uint64_t value, int *timer)
{
	return cps_posix_timer_create(clock, t->tid, CPS_SIGNAL_OWN, value | t->id, timer);
}

/* The first stratum of a thread begins with it, so that threads that live shorter than a tick of the
 * kernel are sampled, too. Before there is a recording none does: a program that uses no time to
 * speak of shall leave none. */
static void begin_thread(struct cps_thread *t)
{
	uint64_t reading, now;

	if (t != cps_thread_self() || !cps_recording_path())
		return;
	reading = cps_clock_cpu();
	cps_strata_of(t)->calm = CPS_MISSES_CALM;
	now = cps_moment_ns();
	see(cps_strata_of(t), now, reading);
	begin(t, now, reading, now);
	cps_sample_take_over(t);
	cps_stratum_divide(t, now, reading, shot_interval(t));
}

/* Without a second timer the gate's ticks are samples, as those of clock_timer.c are. */
static int arm(struct cps_thread *t)
{
	int error = create(t, cps_sys_thread_clock(t->tid), GATE, &t->timer);

	if (error)
		return error;
	atomic_store(&t->has_timer, true);
	memset(cps_strata_of(t), 0, sizeof(struct cps_strata));
	atomic_store(&t->has_shot, create(t, CLOCK_MONOTONIC, SHOT, &t->shot) == 0);
	if (may_shoot(t))
		begin_thread(t);
	rearm(t, NULL);
	return 0;
}

static void disarm(struct cps_thread *t)
{
	if (atomic_exchange(&t->has_timer, false))
		cps_posix_timer_delete(t->timer);
	if (atomic_exchange(&t->has_shot, false))
		cps_posix_timer_delete(t->shot);
	cps_strata_of(t)->left = 0;
}

static int start(const struct cps_clock_settings *settings)
{
	struct timespec tick = {0, 0};

	interval_ns = settings->interval_ns;
	expects_eintr = settings->has_go;
	tick_ns = TICK_USUAL;
	/* The coarse clock advances at the kernel's ticks. */
	if (CPS_SYS(clock_getres, CLOCK_MONOTONIC_COARSE, &tick, 0, 0) == 0 && !tick.tv_sec &&
	    tick.tv_nsec > 0 && tick.tv_nsec <= TICK_MOST)
		tick_ns = (uint64_t)tick.tv_nsec;
	return 0;
}

static const struct cps_meter meter = {
	.signal = CPS_SIGNAL_OWN,
	.is_mine = is_mine,
	.read = cps_clock_cpu,
	.read_of = cps_clock_cpu_of,
	.admit = admit,
	.rearm = rearm,
	.forget = forget,
	.doze = doze,
	.wake = wake,
	.hold = cps_stratum_hold,
	.let_go = cps_stratum_let_go,
	.is_in_call = is_in_call,
	.scale = 1000,
};

const struct cps_clock cps_clock_strata = {
	.name = "strata",
	.resource = "cpu",
	.interval_ns = INTERVAL_NS,
	.ticks_in_calls = true,
	.unit = "ns",
	.meter = &meter,
	.start = start,
	.arm = arm,
	.disarm = disarm,
};
