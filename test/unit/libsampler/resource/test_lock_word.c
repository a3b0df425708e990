/* SPDX-License-Identifier: MIT */
/* Blame: what several waiters have waited is blamed once, and nothing is left when all are gone. */
#include <criterion/criterion.h>

#include "resource/lock.h"

static cps_lock_word word;

Test(lock_word, waiting_is_blamed_once)
{
	cr_assert_eq(cps_lock_word_blame(&word, 5), 0, "nobody waits");
	for (int i = 0; i < 3; i++)
		cps_lock_word_add(&word, (uint64_t)(1000 + i));
	cr_assert(cps_lock_word_has_waiters(&word));
	cr_assert_eq(cps_lock_word_blame(&word, 2000), 1000 + 999 + 998);
	cr_assert_eq(cps_lock_word_blame(&word, 2000), 0, "not again");
	cr_assert_eq(cps_lock_word_blame(&word, 2010), 30);
	for (int i = 0; i < 3; i++)
		cps_lock_word_subtract(&word, 2020);
	cr_assert_not(cps_lock_word_has_waiters(&word));
	cr_assert_eq(cps_lock_word_blame(&word, 3000), 0);
	cr_assert_eq(atomic_load(&word), 0);
}

/* Whoever goes takes his part along, of a sum that does not say whose is which. */
Test(lock_word, who_goes_takes_his_part)
{
	cps_lock_word_add(&word, 1000);
	cps_lock_word_add(&word, 3000);
	cr_assert_eq(cps_lock_word_blame(&word, 4000), 4000);
	cps_lock_word_subtract(&word, 5000);
	cr_assert(cps_lock_word_has_waiters(&word));
	cr_assert_eq(cps_lock_word_blame(&word, 5000), 1000, "what the other one has waited stays");
	cps_lock_word_subtract(&word, 6000);
	cr_assert_eq(atomic_load(&word), 0);
}

/* A clock of another processor may be behind. */
Test(lock_word, time_that_goes_back)
{
	cps_lock_word_add(&word, 1000);
	cr_assert_eq(cps_lock_word_blame(&word, 990), 0);
	cr_assert_eq(cps_lock_word_blame(&word, 1500), 500);
	cps_lock_word_subtract(&word, 1400);
	cr_assert_eq(atomic_load(&word), 0);
}

/* A word has room for 4,095 waiters; more are not registered, and nothing runs over. */
Test(lock_word, very_many_waiters)
{
	enum { MANY = 5000 };

	for (int i = 0; i < MANY; i++)
		cps_lock_word_add(&word, 77);
	cr_assert_eq(cps_lock_word_blame(&word, 78), 4095);
	for (int i = 0; i < MANY; i++)
		cps_lock_word_subtract(&word, 80);
	cr_assert_eq(atomic_load(&word), 0);
}
