/* SPDX-License-Identifier: MIT */
/*
 * test_masked.c - what is blocked around a call that changes the mask while it waits.
 *
 * Seen to fail: with SIGSEGV and SIGBUS among the marks, and without what cps_masked_end undoes.
 */
#include <criterion/criterion.h>
#include <signal.h>

#include "libsampler/signal/gate.h"
#include "libsampler/signal/masked.h"

static const int faults[] = {SIGFPE, SIGILL, SIGTRAP, SIGBUS, SIGSEGV};
#define MARKS 3 /* the first of them */
#define SETS  (1u << 5)

/* The signals of faults whose bits are set */
static sigset_t set_of(unsigned bits)
{
	sigset_t set;

	sigemptyset(&set);
	for (unsigned i = 0; i < 5; i++)
		if (bits >> i & 1)
			sigaddset(&set, faults[i]);
	return set;
}

static unsigned blocked_now(void)
{
	unsigned bits = 0;
	sigset_t set;

	sigprocmask(SIG_BLOCK, NULL, &set);
	for (unsigned i = 0; i < 5; i++)
		bits |= (unsigned)sigismember(&set, faults[i]) << i;
	return bits;
}

static void check(unsigned around, unsigned inside)
{
	sigset_t outer = set_of(around), mask = set_of(inside);
	unsigned meanwhile, marks = (1u << MARKS) - 1;
	struct cps_masked_call call;

	sigprocmask(SIG_SETMASK, &outer, NULL);
	call = cps_masked_begin((uintptr_t)__builtin_frame_address(0), &mask);
	meanwhile = blocked_now();
	cps_masked_end(&call);
	cr_assert_neq((meanwhile ^ inside) & marks, 0, "no mark: %x around, %x inside", around,
		      inside);
	cr_assert_eq((meanwhile ^ around) & ~marks, 0, "more is blocked: %x around, %x inside",
		     around, inside);
	cr_assert_eq(blocked_now(), around, "not as before: %x around, %x inside", around, inside);
}

Test(masked, the_masks_differ_in_a_mark)
{
	cr_assert(cps_gate_open());
	cps_masked_watch();
	for (unsigned around = 0; around < SETS; around++)
		for (unsigned inside = 0; inside < SETS; inside++)
			check(around, inside);
}
