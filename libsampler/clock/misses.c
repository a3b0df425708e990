/* SPDX-License-Identifier: MIT */
/*
 * misses.c - limits what shots take that do not meet their thread running.
 *
 * In: each shot, and what the thread has used since the one before. Out: how far shots are apart. What is
 * decided here depends on shots that have come, and not on where the next one does, so that shares
 * stay true.
 */
#include "clock/misses.h"

#include <stdatomic.h>
#include <sys/resource.h>

#include "base/sys.h"
#include "base/poison.h"

#define MISS_NS	   20000  /* what one takes: the kernel, the handler, another wait */
#define PART	   64	  /* all of them may take this part of the thread's time */
#define ENOUGH_NS  200000 /* too much or too little of that, before anything changes */
#define RARER_MOST 5u
#define TOO_RARE   4u  /* after so many doublings shots at sleepers are too far apart */
#define BLOCKED	   4u  /* a shot that finds the thread blocked counts as much as so many others */
#define OFTEN	   12u /* that is too often ... */
#define TICKS	   64u /* ... and for so many of them ticks are samples */

/* How late shots come to threads that run depends on the machine: 10 to 20 us on one virtual machine, 25 to 50 on
 * another. All in ns. */
#define USUAL_LEAST 15000u
#define USUAL_MOST  50000u
#define STEP	    400u /* of the estimate, which then stays within some us */
#define PROMPT	    2u	 /* times as late as usual may a shot come to a thread that runs */

/* The lower quartile of how late shots come that do not end a sleep: few of them are late because their thread
 * was away. */
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

bool cps_misses_may_be_blocked(struct cps_strata *s, bool is_in_call, uint32_t waits)
{
	struct rusage usage = {.ru_nvcsw = 0};
	uint64_t sleeps, faults;
	bool may_be;

	CPS_SYS(getrusage, RUSAGE_THREAD, &usage, 0, 0);
	sleeps = (uint64_t)usage.ru_nvcsw - s->switches;
	faults = (uint64_t)usage.ru_majflt - s->disk_faults;
	may_be = is_in_call ? sleeps > waits - s->waits : faults > 0;
	s->switches = (uint64_t)usage.ru_nvcsw;
	s->disk_faults = (uint64_t)usage.ru_majflt;
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

void cps_misses_count_tick(struct cps_strata *s)
{
	s->ticks -= s->ticks > 0;
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
