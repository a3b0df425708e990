/* SPDX-License-Identifier: MIT */
/*
 * loss.c - counts what could not be recorded.
 *
 * In: reasons. Out: totals, which are also kept in the journal, so that they outlive the process.
 *
 * Order: why the recording stops, and the error, are one word. What `show` needs is there before it is released.
 */
#include <stdatomic.h>
#include <stddef.h>

#include "stream/loss.h"
#include "base/poison.h"

static _Atomic uint64_t lost[CPS_LOSS_COUNT];
static _Atomic uint32_t stopped;   /* the reason and, in the upper half, the error */
static void (*_Atomic show)(void); /* NULL: there is no journal */

_Static_assert(CPS_LOSS_COUNT <= CPS_JOURNAL_LOSSES, "the journal has room for every reason");

/* Of two threads that show different counts at once the later one may come first. */
static void show_all(void)
{
	void (*f)(void) = atomic_load(&show);
	uint64_t shown;

	do {
		shown = cps_loss_sum() + atomic_load(&stopped);
		if (f)
			f();
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
