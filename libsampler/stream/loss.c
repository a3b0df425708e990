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
static struct cps_journal_head *head;
static struct cps_journal_buffer *counters;

_Static_assert(CPS_LOSS_COUNT <= sizeof(counters->losses) / sizeof(counters->losses[0]),
	       "the journal has room for every reason");

void cps_loss_add(enum cps_loss reason, uint64_t n)
{
	uint64_t now = atomic_fetch_add_explicit(&lost[reason], n, memory_order_relaxed) + n, shown;
	_Atomic uint64_t *mirror;

	if (!counters)
		return;
	mirror = (_Atomic uint64_t *)&counters->losses[reason];
	shown = atomic_load_explicit(mirror, memory_order_relaxed);
	while (shown < now && !atomic_compare_exchange_weak(mirror, &shown, now))
		;
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

static void show_stop(void)
{
	if (!head)
		return;
	head->stop_error = stop_error;
	head->stop = (uint32_t)atomic_load(&stopped);
}

void cps_loss_mirror(struct cps_journal_head *h, struct cps_journal_buffer *b)
{
	for (int i = 0; b && i < CPS_LOSS_COUNT; i++)
		b->losses[i] = lost[i];
	counters = b;
	head = h;
	show_stop();
}

void cps_loss_stop(enum cps_stop why, int error)
{
	int none = CPS_STOP_NONE;

	if (!atomic_compare_exchange_strong(&stopped, &none, why))
		return;
	stop_error = error < 0 && error > -4096 ? -error : 0;
	show_stop();
}

enum cps_stop cps_loss_stop_reason(int *error)
{
	if (error)
		*error = stop_error;
	return (enum cps_stop)atomic_load_explicit(&stopped, memory_order_relaxed);
}

void cps_loss_reset(void)
{
	head = NULL;
	counters = NULL;
	memset(lost, 0, sizeof(lost));
	atomic_store(&stopped, CPS_STOP_NONE);
	stop_error = 0;
}
