/* SPDX-License-Identifier: MIT */
/*
 * test_unwind.c - the recorder's stacks are the same as libunwind's.
 *
 * The program interrupts itself at random moments, in work that goes through the C library, zlib,
 * callbacks, signal handlers and realigned stacks. It then unwinds the same context twice.
 */
#define UNW_LOCAL_ONLY
#include <alloca.h>
#include <criterion/criterion.h>
#include <libunwind.h>
#include <regex.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <zlib.h>

#include "libsampler/unwind/unwind.h"
#include "own_modules.h"

#define FRAMES 4096

extern void *__libc_stack_end;

static uint64_t ours[FRAMES], theirs[FRAMES];
static volatile sig_atomic_t compared, whole, unequal, theirs_short;
static char difference[4096];
static volatile uint64_t sink;

static void start(void)
{
	own_modules_init(NULL);
}

static void inner_handler(int number);

/* A handler that has not begun is not on our stacks, with the frame from which it returns. */
static uint32_t without_new_handler(uint32_t n)
{
	if (n < 3 || theirs[0] != (uintptr_t)inner_handler)
		return n;
	memmove(theirs, theirs + 2, (n - 2) * sizeof(theirs[0]));
	return n - 2;
}

/* Addresses, innermost first: of a caller one inside its call, of an interrupted frame its own. */
static uint32_t by_libunwind(ucontext_t *context)
{
	unw_cursor_t cursor;
	unw_word_t ip;
	uint32_t n = 0;

	unw_init_local2(&cursor, context, UNW_INIT_SIGNAL_FRAME);
	do {
		unw_get_reg(&cursor, UNW_REG_IP, &ip);
		if (!ip)
			break;
		/* libunwind says so of the frame that was reached through a signal's. */
		theirs[n] = ip - !(n == 0 || unw_is_signal_frame(&cursor) > 0);
		n++;
	} while (n < FRAMES && unw_step(&cursor) > 0);
	return without_new_handler(n);
}

static struct cps_stack by_us(const ucontext_t *context)
{
	static struct cps_frame frames[FRAMES];
	struct cps_stack stack = {.frames = frames, .room = FRAMES};
	struct cps_peek peek = {.high = 0};
	struct cps_regs regs;

	cps_regs_of_context(&regs, context);
	if (regs.r[CPS_REG_SP] < (uintptr_t)__libc_stack_end) {
		peek.low = regs.r[CPS_REG_SP] - CPS_RED_ZONE;
		peek.high = (uintptr_t)__libc_stack_end;
	}
	cps_unwind(&regs, &peek, &stack);
	for (uint32_t i = 0; i < stack.depth; i++)
		ours[i] = frames[i].pc;
	return stack;
}

static void describe(const struct cps_stack *stack, uint32_t n)
{
	size_t used = 0;

	for (uint32_t i = 0; i < 40 && (i < n || i < stack->depth); i++)
		used += (size_t)snprintf(
			difference + used, sizeof(difference) - used, "%u: ours %#lx theirs %#lx\n",
			i, i < stack->depth ? (long)ours[i] : 0, i < n ? (long)theirs[i] : 0);
}

static void compare(int number, siginfo_t *info, void *context)
{
	struct cps_stack stack = by_us(context);
	uint32_t n = by_libunwind(context);
	uint32_t least = n < stack.depth ? n : stack.depth;

	(void)number;
	(void)info;
	compared++;
	whole += stack.mark == CPS_MARK_COMPLETE;
	/* Where libunwind gives up earlier, ours must continue to the end. */
	theirs_short += n < stack.depth;
	if ((n != stack.depth && !(n < stack.depth && stack.mark == CPS_MARK_COMPLETE)) ||
	    memcmp(ours, theirs, least * sizeof(ours[0])) != 0) {
		if (!unequal)
			describe(&stack, n);
		unequal++;
	}
}

static void interrupt_every(long us)
{
	struct sigaction action = {.sa_sigaction = compare, .sa_flags = SA_SIGINFO | SA_RESTART};
	struct itimerval timer = {{0, us}, {0, us}};

	sigaction(SIGPROF, &action, NULL);
	setitimer(ITIMER_PROF, &timer, NULL);
}

static void check(int least)
{
	struct itimerval none = {{0, 0}, {0, 0}};

	setitimer(ITIMER_PROF, &none, NULL);
	cr_assert_geq(compared, least);
	cr_assert_eq(unequal, 0, "%d of %d stacks differ, the first:\n%s", (int)unequal,
		     (int)compared, difference);
	cr_assert_eq(whole, compared);
	cr_assert_lt(theirs_short * 20, compared, "libunwind gave up %d times of %d",
		     (int)theirs_short, (int)compared);
}

/* ---- work ------------------------------------------------------------------------------------ */

static int compare_numbers(const void *a, const void *b)
{
	int x, y;

	memcpy(&x, a, sizeof(x));
	memcpy(&y, b, sizeof(y));
	sink += (uint64_t)x;
	return x < y ? -1 : x > y;
}

static void sort(void)
{
	static int numbers[20000];

	for (int i = 0; i < 20000; i++)
		numbers[i] = rand();
	qsort(numbers, 20000, sizeof(numbers[0]), compare_numbers);
}

static void squeeze(void)
{
	static unsigned char in[60000], out[70000];
	uLongf n = sizeof(out);

	for (size_t i = 0; i < sizeof(in); i++)
		in[i] = (unsigned char)(rand() % 9);
	compress2(out, &n, in, sizeof(in), 6);
	sink += n;
}

static void print(void)
{
	char text[200];
	regex_t re;

	regcomp(&re, "([0-9]+)\\.([0-9]*)(e[+-]?[0-9]+)?", REG_EXTENDED);
	for (int i = 0; i < 200; i++) {
		snprintf(text, sizeof(text), "%.12g %s %p", rand() / 7.0, "word", (void *)text);
		sink += (uint64_t)regexec(&re, text, 0, NULL, 0) + strlen(text);
		free(malloc((size_t)rand() % 5000));
	}
	regfree(&re);
}

static __attribute__((noinline)) uint64_t recurse(int n)
{
	return n < 2 ? 1 : recurse(n - 1) + recurse(n - 2) + (sink & 1);
}

/* A realigned stack of unknown size, whose CFA is described by an expression. */
static __attribute__((noinline)) uint64_t realigned(size_t n)
{
	volatile char block[64] __attribute__((aligned(64)));
	volatile char *more = alloca(n);

	more[0] = block[0] = (char)n;
	return recurse(15) + (uint64_t)(uintptr_t)(block + more[0]) % 64;
}

static void inner_handler(int number)
{
	sink += recurse(20) + (uint64_t)number;
}

static void work(void)
{
	sort();
	squeeze();
	print();
	sink += recurse(22) + realigned(100 + (size_t)rand() % 100);
}

static void work_until(int n)
{
	while (compared < n)
		work();
}

Test(unwind, agrees_with_libunwind, .timeout = 60)
{
	start();
	interrupt_every(1000);
	work_until(250);
	check(250);
}

Test(unwind, through_signal_handlers, .timeout = 60)
{
	struct sigaction action = {.sa_handler = inner_handler};

	start();
	sigaction(SIGUSR1, &action, NULL);
	interrupt_every(1000);
	while (compared < 50)
		raise(SIGUSR1);
	check(50);
}

/* The interrupted handler runs on another stack, whose bounds are not known. */
Test(unwind, from_an_alternate_stack, .timeout = 60)
{
	static char memory[1 << 16];
	stack_t stack = {.ss_sp = memory, .ss_size = sizeof(memory)};
	struct sigaction action = {.sa_handler = inner_handler, .sa_flags = SA_ONSTACK};

	start();
	sigaltstack(&stack, NULL);
	sigaction(SIGUSR1, &action, NULL);
	interrupt_every(1000);
	while (compared < 50)
		raise(SIGUSR1);
	check(50);
}

/* There are too many frames: both ends are kept in order, with a gap between them. */
static __attribute__((noinline)) uint64_t descend(int n)
{
	if (n == 0)
		raise(SIGUSR2);
	return n ? descend(n - 1) + sink % 2 : 0;
}

static struct cps_stack cut;
static struct cps_frame few[64];

static void unwind_few(int number, siginfo_t *info, void *context)
{
	struct cps_peek peek = {.high = 0};
	struct cps_regs regs;

	(void)number;
	(void)info;
	cut = (struct cps_stack){.frames = few, .room = 64};
	cps_regs_of_context(&regs, context);
	cps_unwind(&regs, &peek, &cut);
	by_libunwind(context);
}

Test(unwind, both_ends_of_a_deep_stack)
{
	struct sigaction action = {.sa_sigaction = unwind_few, .sa_flags = SA_SIGINFO};
	uint32_t depth = 0;

	start();
	sigaction(SIGUSR2, &action, NULL);
	for (int n = 100; n < 170; n++) {
		descend(n);
		for (depth = 0; theirs[depth]; depth++)
			;
		cr_assert_eq(cut.depth, 64);
		cr_assert_eq(cut.mark, CPS_MARK_TOO_DEEP);
		cr_assert_eq(few[32].pc, CPS_CUT_ADDRESS);
		for (uint32_t i = 0; i < 64; i++)
			cr_assert(i == 32 || few[i].pc == theirs[i < 32 ? i : depth + i - 64]);
	}
}

/* A frame pointer and stack pointer that lead nowhere must not be followed. */
Test(unwind, senseless_registers)
{
	static const uint64_t values[] = {
		0, 1, 8, 4096, UINT64_MAX - 7, UINT64_C(1) << 47, 0x1000, UINT64_C(1) << 63};
	struct cps_frame frames[8];
	struct cps_stack stack = {.frames = frames, .room = 8};
	size_t n = sizeof(values) / sizeof(values[0]);

	start();
	for (size_t i = 0; i < n * n * n; i++) {
		struct cps_peek peek = {.high = 0};
		struct cps_regs regs = {.valid = CPS_REGS_ALL};

		regs.r[CPS_REG_SP] = values[i % n];
		regs.r[CPS_REG_FP] = values[i / n % n];
		regs.r[CPS_REG_PC] = i / n / n ? values[i / n / n] : (uintptr_t)recurse + 8;
		cps_unwind(&regs, &peek, &stack);
		cr_assert_leq(stack.depth, 3);
	}
}

/* Code without unwind information that keeps a frame pointer, as just-in-time compilers emit. */
__asm__(".text\n"
	"through_frame_pointer:\n"
	"	pushq %rbp\n"
	"	movq %rsp, %rbp\n"
	"	subq $64, %rsp\n"
	"	callq *%rdi\n"
	"	movq %rbp, %rsp\n"
	"	popq %rbp\n"
	"	ret\n"
	"through_frame_pointer_end:\n");

/* A leaf function without frame pointer and unwind information, interrupted while it runs. */
__asm__(".text\n"
	"stopping_leaf:\n"
	"	int3\n"
	"	ret\n"
	"stopping_leaf_end:\n");

extern void stopping_leaf(void);
extern const char stopping_leaf_end[];
extern void through_frame_pointer(void (*f)(void));
extern const char through_frame_pointer_end[];

static void interrupt(void)
{
	raise(SIGUSR2);
}

static void keep_stack(int number, siginfo_t *info, void *context)
{
	(void)number;
	(void)info;
	cut = by_us(context);
}

Test(unwind, frame_pointer_where_there_is_nothing_else)
{
	struct sigaction action = {.sa_sigaction = keep_stack, .sa_flags = SA_SIGINFO};
	uint32_t passed = 0, depth;

	start();
	sigaction(SIGUSR2, &action, NULL);
	interrupt();
	depth = cut.depth;
	through_frame_pointer(interrupt);
	cr_assert_eq(cut.mark, CPS_MARK_COMPLETE);
	cr_assert_eq(cut.depth, depth + 1);
	for (uint32_t i = 0; i < cut.depth; i++)
		passed += ours[i] >= (uintptr_t)through_frame_pointer &&
			  ours[i] < (uintptr_t)through_frame_pointer_end;
	cr_assert_eq(passed, 1);
}

/* The frame pointer points to addresses of its own stack, whose bytes look like a call (e8 rel32).
 * This was seen to give a second frame, which is on the stack, when only calls are looked for. */
Test(unwind, a_stack_is_no_code)
{
	uint64_t *stack = mmap((void *)0x4000e8000000, 8192, PROT_READ | PROT_WRITE,
			       MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
	struct cps_frame frames[8];

	cr_assert_eq(stack, (void *)0x4000e8000000);
	start();
	for (int is_known = 0; is_known < 2; is_known++) {
		struct cps_stack out = {.frames = frames, .room = 8};
		struct cps_regs regs = {.valid = CPS_REGS_ALL};
		struct cps_peek peek = {.high = 0};
		uint64_t *fp = stack + 16;

		if (is_known)
			peek = (struct cps_peek){.low = (uintptr_t)stack,
						 .high = (uintptr_t)(stack + 1024)};
		fp[0] = (uintptr_t)(fp + 1);
		fp[1] = (uintptr_t)(fp + 2);
		regs.r[CPS_REG_SP] = (uintptr_t)stack;
		regs.r[CPS_REG_FP] = (uintptr_t)fp;
		regs.r[CPS_REG_PC] = (uintptr_t)through_frame_pointer + 4;
		cps_unwind(&regs, &peek, &out);
		cr_assert_eq(out.depth, 1);
		cr_assert_eq(out.mark, CPS_MARK_NO_RECIPE);
	}
}

Test(unwind, leaf_without_anything)
{
	struct sigaction action = {.sa_sigaction = keep_stack, .sa_flags = SA_SIGINFO};
	uint32_t depth;

	start();
	sigaction(SIGUSR2, &action, NULL);
	sigaction(SIGTRAP, &action, NULL);
	interrupt();
	depth = cut.depth;
	stopping_leaf();
	cr_assert_eq(cut.mark, CPS_MARK_COMPLETE);
	cr_assert(ours[0] > (uintptr_t)stopping_leaf && ours[0] < (uintptr_t)stopping_leaf_end);
	cr_assert_gt(depth, 4);
	cr_assert_lt(cut.depth, depth); /* the other stack went through raise */
}
