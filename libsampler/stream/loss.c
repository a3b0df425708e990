/* SPDX-License-Identifier: MIT */
/*
 * loss.c - counts what could not be recorded.
 *
 * In: reasons. Out: totals, which are also kept in the journal, so that they outlive the process.
 */
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

#include "stream/loss.h"
#include "base/poison.h"

static _Atomic uint64_t lost[CPS_LOSS_COUNT];
static _Atomic int stopped;
static int stop_error;
static void (*show)(void); /* NULL: there is no journal */

_Static_assert(CPS_LOSS_COUNT <= CPS_JOURNAL_LOSSES, "the journal has room for every reason");

/* Of two threads that show different counts at once the later one may come first. */
static void show_all(void)
{
	uint64_t shown;

	do {
		shown = cps_loss_sum() + (uint64_t)atomic_load(&stopped);
		if (show)
			show();
	} while (shown != cps_loss_sum() + (uint64_t)atomic_load(&stopped));
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
	show = f;
	show_all();
}

void cps_loss_stop(enum cps_stop why, int error)
{
	int none = CPS_STOP_NONE;

	if (!atomic_compare_exchange_strong(&stopped, &none, why))
		return;
	stop_error = error < 0 && error > -4096 ? -error : 0;
	show_all();
}

enum cps_stop cps_loss_stop_reason(int *error)
{
	if (error)
		*error = stop_error;
	return (enum cps_stop)atomic_load_explicit(&stopped, memory_order_relaxed);
}

void cps_loss_reset(void)
{
	show = NULL;
	memset(lost, 0, sizeof(lost));
	atomic_store(&stopped, CPS_STOP_NONE);
	stop_error = 0;
}
