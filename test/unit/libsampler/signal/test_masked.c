/* SPDX-License-Identifier: MIT */
/*
 * test_masked.c - what is blocked around a call that changes the mask while it waits, or that must not be interrupted.
 *
 * Seen to fail: with SIGSEGV and SIGBUS among the marks, and without what cps_masked_end undoes; and when only
 * cps_masked_end let our signals in again, a call that is left by longjmp kept them out for ever.
 */
#include <criterion/criterion.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "libsampler/signal/gate.h"
#include "libsampler/signal/interruption.h"
#include "libsampler/signal/sample.h"

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
	cps_masked_begin(&call, (uintptr_t)__builtin_frame_address(0), &mask);
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
	cps_masked_watch(false);
	for (unsigned around = 0; around < SETS; around++)
		for (unsigned inside = 0; inside < SETS; inside++)
			check(around, inside);
}

/* ---- our signals are held -------------------------------------------------------------------- */

static const struct cps_meter meter = {.signal = SIGPROF};
static jmp_buf out;

/* Whether signal 32 and that of the meter are blocked: 0, 2, or 1 for one of them. */
static int held_now(void)
{
	uint64_t mask = 0;

	syscall(SYS_rt_sigprocmask, SIG_BLOCK, NULL, &mask, sizeof(mask));
	return (int)(mask >> 31 & 1) + (int)(mask >> (SIGPROF - 1) & 1);
}

static void begin(void)
{
	cr_assert(cps_gate_open());
	cps_masked_watch(false);
	cps_sample_use(&meter, NULL);
}

Test(held, our_signals_wait_for_the_end)
{
	struct cps_masked_call call;

	begin();
	call = cps_masked_hold((uintptr_t)__builtin_frame_address(0));
	cr_assert_eq(held_now(), 2);
	cps_masked_end(&call);
	cr_assert_eq(held_now(), 0);
}

Test(held, what_the_target_blocks_stays_blocked)
{
	struct cps_masked_call call;
	sigset_t set;

	begin();
	sigemptyset(&set);
	sigaddset(&set, SIGPROF);
	sigprocmask(SIG_BLOCK, &set, NULL);
	call = cps_masked_hold((uintptr_t)__builtin_frame_address(0));
	cps_masked_end(&call);
	cr_assert_eq(held_now(), 1);
}

static __attribute__((noinline)) void leave_by_longjmp(void)
{
	cps_masked_hold((uintptr_t)__builtin_frame_address(0));
	longjmp(out, 1);
}

Test(held, a_call_that_is_left_lets_them_in_at_the_next_one)
{
	begin();
	if (setjmp(out) == 0)
		leave_by_longjmp();
	cr_assert_eq(held_now(), 2);
	cps_masked_forget((uintptr_t)__builtin_frame_address(0));
	cr_assert_eq(held_now(), 0);
}

Test(held, a_handler_far_below_does_not_let_them_in)
{
	struct cps_masked_call call;

	begin();
	call = cps_masked_hold((uintptr_t)__builtin_frame_address(0));
	cps_masked_forget((uintptr_t)__builtin_frame_address(0) - 2 * CPS_REGS_NEAR);
	cr_assert_eq(held_now(), 2);
	cps_masked_end(&call);
}

Test(held, nothing_is_held_before_they_may_come)
{
	struct cps_masked_call call;

	cr_assert(cps_gate_open());
	cps_sample_use(&meter, NULL);
	call = cps_masked_hold((uintptr_t)__builtin_frame_address(0));
	cr_assert_eq(held_now(), 0);
	cps_masked_end(&call);
}
