/* SPDX-License-Identifier: MIT */
/*
 * changing_stack.h - stacks of all kinds of frames, that change from one sample to the next here
 * or there: changing_stack(n, act) calls act at the bottom of each of them.
 *
 * A stack is a path of kinds of frames; the same path gives the same frames at the same place. The
 * next one differs in its length, or in one frame, be it the outermost: then most of what lies
 * beyond it on either side still has the same addresses in the same places, or nearly.
 */
#ifndef CHANGING_STACK_H
#define CHANGING_STACK_H

#include <alloca.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <ucontext.h>

#define PATH_MAX_FRAMES 300u
#define COROUTINE_BYTES (256u << 10)

static unsigned char path_frames[PATH_MAX_FRAMES];
static volatile unsigned path_length, path_at, n_coroutines; /* all that handlers look at */
static void (*volatile at_the_bottom)(void);
static volatile uint64_t path_sink;
static jmp_buf *volatile way_out;
static volatile int jumps, is_handler_stack_used, needs_registers;
static uint64_t path_random = 1;
static char coroutine_stacks[4][COROUTINE_BYTES] __attribute__((aligned(16)));
static char handler_stack[512u << 10];

static unsigned path_draw(unsigned below)
{
	path_random = path_random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (unsigned)(path_random >> 33) % below;
}

static void step(void);

/* Two calls in one function: the same registers, another return address. */
static __attribute__((noinline)) void either(int first)
{
	if (first) {
		path_sink += 1;
		step();
		path_sink += 2;
	} else {
		path_sink += 3;
		step();
		path_sink += 4;
	}
}

static __attribute__((noinline)) void larger(unsigned char x)
{
	volatile unsigned char block[40];

	block[x % 40] = x;
	step();
	path_sink += block[x % 40];
}

/* Keeps a frame pointer. */
static __attribute__((noinline)) void framed(int first)
{
	path_sink += (uintptr_t)__builtin_frame_address(0);
	if (first) {
		step();
		path_sink++;
	} else {
		step();
		path_sink += 2;
	}
}

static __attribute__((noinline)) void of_any_size(size_t n)
{
	volatile char *block = alloca(n);

	block[0] = 1;
	step();
	path_sink += (uint64_t)block[0];
}

/* The CFA is described by an expression. */
static __attribute__((noinline)) void realigned(size_t n)
{
	volatile char block[64] __attribute__((aligned(64)));
	volatile char *more = alloca(n);

	more[0] = block[0] = 1;
	step();
	path_sink += (uint64_t)(block[0] + more[0]);
}

/* Keeps a frame pointer, and has no unwind information. On top of the stack is what would be a leaf's
 * return address. */
__asm__(".text\n"
	"without_information:\n"
	"	pushq %rbp\n"
	"	movq %rsp, %rbp\n"
	"	subq $56, %rsp\n"
	"	pushq 8(%rbp)\n"
	"	callq *%rdi\n"
	"	movq %rbp, %rsp\n"
	"	popq %rbp\n"
	"	ret\n");
extern void without_information(void (*f)(void));

/* rbp is a number, which callees that need the register save. */
__asm__(".text\n"
	"with_number:\n"
	"	.cfi_startproc\n"
	"	pushq %rbp\n"
	"	.cfi_def_cfa_offset 16\n"
	"	.cfi_offset %rbp, -16\n"
	"	movq %rsi, %rbp\n"
	"	callq *%rdi\n"
	"	popq %rbp\n"
	"	.cfi_def_cfa_offset 8\n"
	"	.cfi_restore %rbp\n"
	"	ret\n"
	"	.cfi_endproc\n");
extern void with_number(void (*f)(void), uint64_t number);

/* Called from where step is, too; of the two only this one saves rbp. */
static void step_with_number(void)
{
	with_number(step, 3);
}

/* Keeps its return address elsewhere, while a zero may stand for it: then the stack ends here. */
__asm__(".text\n"
	"ending:\n"
	"	.cfi_startproc\n"
	"	pushq (%rsp)\n"
	"	.cfi_def_cfa_offset 16\n"
	"	testq %rsi, %rsi\n"
	"	jz 1f\n"
	"	movq $0, 8(%rsp)\n"
	"1:	callq *%rdi\n"
	"	popq %rax\n"
	"	.cfi_def_cfa_offset 8\n"
	"	movq %rax, (%rsp)\n"
	"	ret\n"
	"	.cfi_endproc\n");
extern void ending(void (*f)(void), uint64_t ends);

/* The CFA is told by a register that only the slow steps follow. */
__asm__(".text\n"
	"by_rbx:\n"
	"	.cfi_startproc\n"
	"	pushq %rbx\n"
	"	.cfi_def_cfa_offset 16\n"
	"	.cfi_offset %rbx, -16\n"
	"	movq %rsp, %rbx\n"
	"	.cfi_def_cfa_register %rbx\n"
	"	callq *%rdi\n"
	"	.cfi_def_cfa_register %rsp\n"
	"	popq %rbx\n"
	"	.cfi_def_cfa_offset 8\n"
	"	.cfi_restore %rbx\n"
	"	ret\n"
	"	.cfi_endproc\n");
extern void by_rbx(void (*f)(void));

static void needing_registers(int really)
{
	if (really)
		by_rbx(step);
	else
		with_number(step, 0);
}

static int from_sort(const void *a, const void *b)
{
	step();
	return a < b ? -1 : a > b;
}

static void from_signal(int number)
{
	step();
	path_sink += (uint64_t)number;
}

/* A coroutine leaves the handler's stack, and a second handler would begin it anew. */
static __attribute__((noinline)) void signal_frame(int on_this_stack)
{
	int before = is_handler_stack_used;

	is_handler_stack_used |= !on_this_stack;
	raise(on_this_stack || before ? SIGUSR1 : SIGHUP);
	is_handler_stack_used = before;
}

static void in_coroutine(void)
{
	step();
	path_sink++;
}

static __attribute__((noinline)) void switch_stacks(void)
{
	ucontext_t here, there;

	if (n_coroutines == 4) {
		step();
		return;
	}
	getcontext(&there);
	there.uc_stack.ss_sp = coroutine_stacks[n_coroutines++];
	there.uc_stack.ss_size = COROUTINE_BYTES;
	there.uc_link = &here;
	makecontext(&there, in_coroutine, 0);
	swapcontext(&here, &there);
	n_coroutines--;
}

/* The path's end may jump to here, instead of returning. */
static __attribute__((noinline)) void jump_back(void)
{
	volatile unsigned at = path_at, coroutines = n_coroutines;
	volatile int is_used = is_handler_stack_used;
	jmp_buf here, *volatile before = way_out;

	way_out = &here;
	if (setjmp(here) == 0) {
		step();
	} else {
		path_at = at;
		n_coroutines = coroutines;
		is_handler_stack_used = is_used;
		at_the_bottom();
	}
	way_out = before;
}

static void one_special(unsigned kind, unsigned variant)
{
	int numbers[2] = {1, 2};

	switch (kind) {
	case 0:
		qsort(numbers, 2, sizeof(numbers[0]), from_sort);
		break;
	case 1:
		signal_frame(variant & 1);
		break;
	case 2:
		switch_stacks();
		break;
	case 3:
		jump_back();
		break;
	case 4:
		without_information(step);
		break;
	case 5:
		realigned(16 + variant);
		break;
	case 6:
		ending(step, variant & 1);
		break;
	default:
		of_any_size(16 * variant);
	}
}

static void one_frame(unsigned kind, unsigned variant)
{
	if (kind < 10)
		either(variant & 1);
	else if (kind < 15)
		larger((unsigned char)variant);
	else if (kind < 20)
		framed(variant & 1);
	else if (kind == 20 && needs_registers && variant < 2)
		needing_registers(variant);
	else if (kind < 24)
		with_number(variant & 1 ? step : step_with_number, variant / 2);
	else
		one_special(kind - 24, variant);
}

/* The next frame of the path, or its end. */
static void step(void)
{
	unsigned char frame;

	if (path_at == path_length) {
		at_the_bottom();
		if (way_out && jumps)
			longjmp(*way_out, 1);
		return;
	}
	frame = path_frames[path_at++];
	one_frame(frame % 32, frame / 32);
	path_at--;
}

/* One in twenty is special. */
static unsigned char draw_frame(void)
{
	unsigned kind = path_draw(20) ? path_draw(24) : 24 + path_draw(8);

	return (unsigned char)(kind | path_draw(8) << 5);
}

static void change_path(void)
{
	unsigned what = path_draw(8), where = path_draw(path_length);

	if (what == 0)
		path_length = 1 + path_draw(PATH_MAX_FRAMES - 1);
	else if (what == 1 && path_length > 4)
		path_length -= path_draw(4);
	else if (what == 2 && path_length < PATH_MAX_FRAMES - 4)
		path_length += path_draw(4);
	else if (what == 3)
		path_frames[0] ^= 32; /* the outermost call comes from elsewhere */
	else if (what == 4)
		path_frames[where] ^= 32;
	else if (what == 5)
		path_frames[where] = draw_frame();
	else if (what == 6)
		jumps = !jumps;
	/* 7: as it was */
}

/* The two kinds of handlers run on the same stack and on another one. */
static void prepare_path(void)
{
	stack_t other = {.ss_sp = handler_stack, .ss_size = sizeof(handler_stack)};
	struct sigaction action = {.sa_handler = from_signal, .sa_flags = SA_NODEFER};

	sigaltstack(&other, NULL);
	sigaction(SIGUSR1, &action, NULL);
	action.sa_flags |= SA_ONSTACK;
	sigaction(SIGHUP, &action, NULL);
	path_length = 100;
	for (unsigned i = 0; i < PATH_MAX_FRAMES; i++)
		path_frames[i] = draw_frame();
}

static void changing_stack(unsigned n, void (*act)(void))
{
	prepare_path();
	at_the_bottom = act;
	for (; n; n--) {
		change_path();
		path_at = n_coroutines = 0;
		is_handler_stack_used = 0;
		way_out = NULL;
		step();
	}
}

#endif
