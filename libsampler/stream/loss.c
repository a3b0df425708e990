/* SPDX-License-Identifier: MIT */
/*
 * loss.c - counts what could not be recorded, what recording takes, and whom it has interrupted.
 */
#include <stdatomic.h>
#include <stddef.h>

#include "stream/loss.h"
#include "base/poison.h"

/* ---- loss ------------------------------------------------------------------------------------ */
/*
 * Counts what could not be recorded.
 *
 * In: reasons. Out: totals, which are also kept in the journal, so that they outlive the process.
 *
 * Order: why the recording stops, and the error, are one word. What `show` needs is there before it
 * is released. Fences keep what is shown behind what was counted, and the second look at the counts behind that.
 */

static _Atomic uint64_t lost[CPS_LOSS_COUNT];
static _Atomic uint32_t stopped;   /* the reason and, in the upper half, the error */
static void (*_Atomic show)(void); /* NULL: there is no journal */

_Static_assert(CPS_LOSS_COUNT <= CPS_JOURNAL_REASONS, "the journal has room for every reason");

/* Of two threads that show different counts at once the later one may come first. */
static void show_all(void)
{
	void (*f)(void) = atomic_load(&show);
	uint64_t shown;

	do {
		atomic_thread_fence(memory_order_seq_cst);
		shown = cps_loss_sum() + atomic_load(&stopped);
		if (f)
			f();
		atomic_thread_fence(memory_order_seq_cst);
	} while (shown != cps_loss_sum() + atomic_load(&stopped));
}

void cps_loss_add(enum cps_loss reason, uint64_t n)
{
	atomic_fetch_add_explicit(&lost[reason], n, memory_order_relaxed);
	show_all();
}

uint64_t cps_loss_get(enum cps_loss reason)
{
	return atomic_load_explicit(&lost[reason], memory_order_relaxed);
}

uint64_t cps_loss_sum(void)
{
	uint64_t sum = 0;

	for (int i = 0; i < CPS_LOSS_COUNT; i++)
		sum += cps_loss_get((enum cps_loss)i);
	return sum;
}

void cps_loss_mirror(void (*f)(void))
{
	atomic_store(&show, f);
	show_all();
}

void cps_loss_stop(enum cps_stop why, int error)
{
	uint32_t none = CPS_STOP_NONE, number = error < 0 && error > -4096 ? (uint32_t)-error : 0;

	if (atomic_compare_exchange_strong(&stopped, &none, (uint32_t)why | number << 16))
		show_all();
}

enum cps_stop cps_loss_stop_reason(int *error)
{
	uint32_t now = atomic_load_explicit(&stopped, memory_order_relaxed);

	if (error)
		*error = (int)(now >> 16);
	return (enum cps_stop)(now & 0xffff);
}

void cps_loss_reset(void)
{
	atomic_store(&show, NULL);
	for (int i = 0; i < CPS_LOSS_COUNT; i++)
		atomic_store(&lost[i], 0);
	atomic_store(&stopped, CPS_STOP_NONE);
}

/* ---- own time -------------------------------------------------------------------------------- */
/*
 * Adds up the CPU time that recording takes.
 *
 * In: what the recorder took, and how late ticks came. Out: two sums.
 */

#define STEADY	  32u	 /* the smallest step is the median divided by this */
#define TICK_MOST 60000u /* ns; what takes the kernel longer is not only the tick */

static _Atomic uint64_t recorder_ns, kernel_ns;
static _Atomic uint64_t tick_ns; /* the median, so far; 0: not known */
static _Atomic uint32_t n_learned;

void cps_own_time_add(uint64_t ns)
{
	atomic_fetch_add_explicit(&recorder_ns, ns, memory_order_relaxed);
}

static _Atomic uint64_t profiling_ns;

void cps_own_time_add_profiling(uint64_t ns)
{
	cps_own_time_add(ns);
	atomic_fetch_add_explicit(&profiling_ns, ns, memory_order_relaxed);
}

uint64_t cps_own_time_profiling(void)
{
	return atomic_load(&profiling_ns);
}

/* Follows the median, in steps that become smaller: a mean would count ticks that came late because
 * of something else, such as the host of a virtual machine. */
void cps_own_time_learn(int64_t delay_ns)
{
	uint32_t n = atomic_fetch_add_explicit(&n_learned, 1, memory_order_relaxed);
	uint64_t median = atomic_load_explicit(&tick_ns, memory_order_relaxed);
	uint64_t step = median / (n < STEADY ? n + 1 : STEADY);

	if (delay_ns < 0)
		delay_ns = 0;
	if (!median)
		median = (uint64_t)delay_ns < TICK_MOST ? (uint64_t)delay_ns : TICK_MOST;
	else if ((uint64_t)delay_ns > median)
		median += step;
	else if ((uint64_t)delay_ns < median)
		median -= step;
	atomic_store_explicit(&tick_ns, median, memory_order_relaxed);
}

uint64_t cps_own_time_add_tick(uint64_t most)
{
	uint64_t ns = atomic_load_explicit(&tick_ns, memory_order_relaxed);

	if (ns > TICK_MOST)
		ns = TICK_MOST;
	if (ns > most)
		ns = most;
	atomic_fetch_add_explicit(&kernel_ns, ns, memory_order_relaxed);
	return ns;
}

uint64_t cps_own_time_sum(void)
{
	return atomic_load(&recorder_ns) + atomic_load(&kernel_ns);
}

uint64_t cps_own_time_kernel(void)
{
	return atomic_load(&kernel_ns);
}

void cps_own_time_reset(void)
{
	atomic_store(&recorder_ns, 0);
	atomic_store(&kernel_ns, 0);
	atomic_store(&profiling_ns, 0);
}

/* ---- interrupted ----------------------------------------------------------------------------- */
/*
 * In: each such call. Out: their number.
 */

static atomic_uint count;    /* also of the processes that this was forked from: */
static uint32_t before_fork; /* so many */

void cps_interrupted_add(void)
{
	atomic_fetch_add_explicit(&count, 1, memory_order_relaxed);
}

uint32_t cps_interrupted_count(void)
{
	return atomic_load_explicit(&count, memory_order_relaxed) - before_fork;
}

bool cps_interrupted_ever(void)
{
	return atomic_load_explicit(&count, memory_order_relaxed) > 0;
}

void cps_interrupted_reset(void)
{
	before_fork = atomic_load_explicit(&count, memory_order_relaxed);
}
