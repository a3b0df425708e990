/* SPDX-License-Identifier: MIT */
/*
 * test_interruption.c - which calls count as interrupted by a tick.
 *
 * The test blocks a signal and sends it, as it comes while our handler runs. Only if the target takes
 * notice of that signal would the call have ended without the tick.
 *
 * Seen to fail: when every pending signal counted, a child that had ended in this moment made a call
 * fail with EINTR. When calls that no wrapper sees were looked at only if they had failed, those that were cut short
 * did not count.
 */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <ucontext.h>
#include <unistd.h>

#include "libsampler/signal/sample.h"
#include "libsampler/stream/loss.h"
#include "own_modules.h"

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

/* ---- transfers by an instruction of the program's own ------------------------------------------ */

#define MOV_NUMBER 0xb8 /* movl $number, %eax */

static uint8_t of_program[64];

/* Whether a call with these arguments counts that has returned so many bytes, when a tick has come. */
static bool is_cut(int number, long a, long b, long c, long d, long result)
{
	ucontext_t context;
	greg_t *r = context.uc_mcontext.gregs;

	memset(&context, 0, sizeof(context));
	memset(of_program, 0x90, sizeof(of_program)); /* nop */
	of_program[48] = MOV_NUMBER;
	memcpy(of_program + 49, &number, sizeof(number));
	of_program[53] = 0x0f; /* syscall */
	of_program[54] = 0x05;
	if (number < 0)
		of_program[48] = 0xc3; /* no number is to be seen */
	r[REG_RIP] = r[REG_RCX] = (greg_t)(of_program + 55);
	r[REG_RAX] = result;
	r[REG_RDI] = a;
	r[REG_RSI] = b;
	r[REG_RDX] = c;
	r[REG_R10] = d;
	own_modules_init(NULL);
	cps_sample_use(&meter, NULL);
	cps_sample_note_unseen(&context);
	return cps_interrupted_ever();
}

Test(transfer, counts_if_it_is_short)
{
	cr_assert(is_cut(SYS_getrandom, (long)of_program, 1000, 0, 0, 256));
}

Test(transfer, does_not_count_if_it_is_whole)
{
	cr_assert_not(is_cut(SYS_getrandom, (long)of_program, 1000, 0, 0, 1000));
}

Test(transfer, does_not_count_if_it_has_failed)
{
	cr_assert_not(is_cut(SYS_getrandom, (long)of_program, 1000, 0, 0, -11));
}

Test(transfer, counts_if_its_number_is_not_known)
{
	cr_assert(is_cut(-1, 0, 0, 0, 0, 1));
}

Test(transfer, does_not_count_if_the_call_transfers_nothing)
{
	cr_assert_not(is_cut(SYS_getppid, 0, 0, 0, 0, 1));
}

/* What is there is less than what is asked for. */
Test(transfer, does_not_count_if_a_pipe_is_read)
{
	int p[2];

	cr_assert_eq(pipe(p), 0);
	cr_assert_not(is_cut(SYS_read, p[0], (long)of_program, 1000, 0, 10));
}

Test(transfer, counts_if_a_device_is_read)
{
	cr_assert(is_cut(SYS_read, open("/dev/zero", O_RDONLY), (long)of_program, 1000, 0, 10));
}

Test(transfer, counts_if_a_pipe_is_written_to)
{
	int p[2];

	cr_assert_eq(pipe(p), 0);
	cr_assert(is_cut(SYS_write, p[1], (long)of_program, 1000, 0, 10));
}

Test(transfer, does_not_count_if_a_pipe_does_not_wait)
{
	int p[2];

	cr_assert_eq(pipe2(p, O_NONBLOCK), 0);
	cr_assert_not(is_cut(SYS_write, p[1], (long)of_program, 1000, 0, 10));
}

Test(transfer, does_not_count_if_its_code_goes_on_by_itself)
{
	own_modules_init(NULL);
	cps_sample_trust((uintptr_t)of_program);
	cr_assert_not(is_cut(SYS_getrandom, (long)of_program, 1000, 0, 0, 256));
}

Test(transfer, does_not_count_if_another_signal_is_there)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, NULL);
	raise(SIGUSR1);
	cr_assert_not(is_cut(SYS_getrandom, (long)of_program, 1000, 0, 0, 256));
}
