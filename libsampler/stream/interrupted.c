/* SPDX-License-Identifier: MIT */
/*
 * interrupted.c - counts calls of the program that a tick has ended, and that nobody has gone on with.
 *
 * In: each such call. Out: their number.
 */
#include <stdatomic.h>

#include "stream/interrupted.h"
#include "base/poison.h"

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
