/* SPDX-License-Identifier: MIT */
/*
 * lock_word.c - adds up in a word how long an object is waited for.
 *
 * In: waiters that come and go, and who is to be blamed. Out: blame.
 */
#include "resource/lock_word.h"
#include "base/poison.h"

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
