/* SPDX-License-Identifier: MIT */
/*
 * test_interruption.c - which calls count as interrupted by a tick.
 *
 * The test blocks a signal and sends it, as it comes while our handler runs. Only if the target takes
 * notice of that signal would the call have ended without the tick.
 *
 * Seen to fail: when every pending signal counted, a child that had ended in this moment made a call
 * fail with EINTR.
 */
#include <criterion/criterion.h>
#include <signal.h>
#include <string.h>
#include <sys/types.h>
#include <ucontext.h>

#include "libsampler/signal/sample.h"

static const struct cps_meter meter = {.signal = SIGUSR2};

static void on_signal(int number)
{
	(void)number;
}

/* Whether a call counts that has just failed with EINTR, when this signal waits to be let through. */
static bool counts(int waiting)
{
	static const uint8_t code[64] = {[30] = 0x0f,
					 0x05}; /* the instruction, and what is around it */
	uint32_t before = cps_sample_interruptions();
	ucontext_t context;
	sigset_t set;

	cps_sample_use(&meter, NULL);
	memset(&context, 0, sizeof(context)); /* its mask blocks nothing */
	context.uc_mcontext.gregs[REG_RIP] = (greg_t)(code + 32);
	context.uc_mcontext.gregs[REG_RAX] = -4; /* EINTR */
	sigemptyset(&set);
	if (waiting) {
		sigaddset(&set, waiting);
		sigprocmask(SIG_BLOCK, &set, NULL);
		raise(waiting);
	}
	cps_sample_note_interruption(&context);
	return cps_sample_interruptions() != before;
}

Test(interruption, counts_if_nothing_else_is_there)
{
	cr_assert(counts(0));
}

Test(interruption, counts_beside_a_tick_that_waits)
{
	cr_assert(counts(SIGUSR2));
}

Test(interruption, does_not_count_if_a_handler_waits)
{
	signal(SIGCHLD, on_signal);
	cr_assert_not(counts(SIGCHLD));
}

Test(interruption, does_not_count_if_a_signal_waits_that_ends_the_program)
{
	cr_assert_not(counts(SIGUSR1));
}

Test(interruption, counts_beside_signals_that_have_no_effect)
{
	static const int without[] = {SIGCHLD, SIGURG, SIGWINCH, SIGCONT};

	for (size_t i = 0; i < sizeof(without) / sizeof(without[0]); i++)
		cr_assert(counts(without[i]), "%s", strsignal(without[i]));
}

Test(interruption, counts_beside_an_ignored_signal)
{
	signal(SIGUSR1, SIG_IGN);
	cr_assert(counts(SIGUSR1));
}
