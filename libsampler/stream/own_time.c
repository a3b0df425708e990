/* SPDX-License-Identifier: MIT */
/*
 * own_time.c - adds up the CPU time that recording takes.
 *
 * In: what the recorder took, and how late ticks came. Out: two sums.
 */
#include <stdatomic.h>

#include "stream/own_time.h"
#include "base/poison.h"

#define STEADY	  32u	 /* the smallest step is the median divided by this */
#define TICK_MOST 60000u /* ns; what takes the kernel longer is not only the tick */

static _Atomic uint64_t recorder_ns, kernel_ns;
static _Atomic uint64_t tick_ns; /* the median, so far; 0: not known */
static _Atomic uint32_t n_learned;

void cps_own_time_add(uint64_t ns)
{
	atomic_fetch_add_explicit(&recorder_ns, ns, memory_order_relaxed);
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
}
