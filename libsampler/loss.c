/* SPDX-License-Identifier: MIT */
/*
 * loss.c - counts what could not be recorded.
 *
 * Room: signal. In: reasons. Out: totals.
 */
#include <stdatomic.h>
#include <stddef.h>

#include "loss.h"
#include "poison.h"

static _Atomic uint64_t lost[CPS_LOSS_COUNT];
static _Atomic(const char *) blown;
static int blown_error;

void cps_loss_add(enum cps_loss reason, uint64_t n)
{
	atomic_fetch_add_explicit(&lost[reason], n, memory_order_relaxed);
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

void cps_fuse_blow(const char *what, int error)
{
	const char *none = NULL;

	if (atomic_compare_exchange_strong(&blown, &none, what))
		blown_error = error;
}

const char *cps_fuse_reason(int *error)
{
	if (error)
		*error = blown_error;
	return atomic_load(&blown);
}
