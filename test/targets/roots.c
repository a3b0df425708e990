/* SPDX-License-Identifier: MIT */
/*
 * roots.c - burns on stacks that begin elsewhere than in _start or clone(2), in assembly without unwind
 * information that has the shape of other people's runtimes.
 *
 * goroutine: as in Go. The function returns into the middle of one that nobody calls, below a frame
 *            pointer of 0. It calls C on the stack of the thread and comes back by words it has saved.
 * scheduler: as in Go. A function that was called on the stack of the thread never returns, and above
 *            it on that stack are return addresses of calls that are over.
 * fiber:     as in Boost.Context. The function returns behind a jump, to code that ends the process.
 * context:   makecontext(3).
 *
 * 	roots MS    for so many ms of CPU time each
 */
#include <stdlib.h>
#include <stdio.h>
#include <sys/mman.h>
#include <ucontext.h>

#include "burn.h"

#define STACK (64u << 10)

void start_goroutine(void *stack_top, void (*f)(void));
void on_thread_stack(void (*f)(void));
void start_scheduler(void (*f)(void));
void start_fiber(void *stack_top, void (*f)(void));
void leave_stack(void);

void *home_sp; /* of the thread, while it runs on another stack */

#define FUNCTION(name, code)                                                                       \
	".p2align 4, 0xcc\n\t.type " #name ", @function\n" #name ":\n\t" code "\n\t.size " #name   \
	", . - " #name "\n"

#define LEAVE_HOME                                                                                 \
	"push %rbp; push %rbx; push %r12; push %r13; push %r14; push %r15; "                       \
	"mov %rsp, home_sp(%rip); "

/* clang-format off */
__asm__(".text\n"
	FUNCTION(leave_stack, "mov home_sp(%rip), %rsp; pop %r15; pop %r14; pop %r13; pop %r12; "
		"pop %rbx; pop %rbp; ret")
	FUNCTION(goroutine_root, "nop; call leave_stack; nop")
	FUNCTION(start_goroutine, LEAVE_HOME "mov %rdi, %rsp; xor %ebp, %ebp; "
		"lea goroutine_root+1(%rip), %rax; push %rax; jmp *%rsi")
	/* It keeps its own stack pointer as a distance from the end of its stack. */
	FUNCTION(on_thread_stack, "mov %rsp, %rdx; mov home_sp(%rip), %rsp; sub $64, %rsp; "
		"and $-16, %rsp; lea goroutine_block(%rip), %rax; mov %rax, 48(%rsp); "
		"mov 8(%rax), %rax; sub %rdx, %rax; mov %rax, 40(%rsp); call *%rdi; "
		"mov 48(%rsp), %rdi; mov 8(%rdi), %rsi; sub 40(%rsp), %rsi; mov %rsi, %rsp; "
		"mov %eax, -8(%rsp); ret")
	FUNCTION(scheduler_root, "mov %rdi, %r12; push %rdi; call *%r12; pop %rax; "
		"jmp scheduler_returned")
	FUNCTION(scheduler_returned, "sub $16, %rsp; mov %rbp, 8(%rsp); call abort; "
		"mov 8(%rsp), %rbp; add $16, %rsp; ret")
	FUNCTION(over_inside, "ret")
	FUNCTION(over, "sub $8, %rsp; call over_inside; add $8, %rsp; ret")
	FUNCTION(start_scheduler, LEAVE_HOME "call over; mov $1, %ebp; sub $24, %rsp; "
		"call scheduler_root; hlt")
	FUNCTION(start_fiber, LEAVE_HOME "mov %rdi, %rsp; mov %rsi, %rbx; "
		"lea fiber_end(%rip), %rax; push %rax; mov $3, %ebp; jmp *%rbx")
	FUNCTION(make_fiber, "jmp *%rbx\nfiber_end: xor %rdi, %rdi; call _exit; hlt"));
/* clang-format on */

/* Where the stack of the goroutine ends is the second word. */
uint64_t goroutine_block[2];

static uint64_t ms;
static volatile uint64_t sink;

/* Functions in whose place the compiler could use another have something to tell them apart. */
#define BURNER(name, number)                                                                       \
	static __attribute__((noinline)) void name(void)                                           \
	{                                                                                          \
		uint64_t end = cpu_ns(CLOCK_THREAD_CPUTIME_ID) + ms * 1000000;                     \
                                                                                                   \
		while (cpu_ns(CLOCK_THREAD_CPUTIME_ID) < end)                                      \
			sink = burn(sink + (number), BURN_LONG);                                   \
		sink += (number);                                                                  \
	}

BURNER(burn_go, 1)
BURNER(burn_c, 2)
BURNER(burn_scheduler, 3)
BURNER(burn_fiber, 4)
BURNER(burn_context, 5)

#ifdef __clang__
#define KEEPS_FRAME_POINTER __attribute__((noinline))
#else
#define KEEPS_FRAME_POINTER __attribute__((noinline, optimize("no-omit-frame-pointer")))
#endif

/* As Go's code it has a frame pointer. */
static KEEPS_FRAME_POINTER void goroutine(void)
{
	burn_go();
	on_thread_stack(burn_c);
	sink++;
}

static __attribute__((noinline)) void schedule(void)
{
	burn_scheduler();
	leave_stack();
}

static __attribute__((noinline)) void fiber(void)
{
	burn_fiber();
	leave_stack();
}

static __attribute__((noinline)) void context(void)
{
	burn_context();
	sink++;
}

static int run_context(char *stack)
{
	static ucontext_t here, there;

	if (getcontext(&there))
		return 1;
	there.uc_stack.ss_sp = stack;
	there.uc_stack.ss_size = STACK;
	there.uc_link = &here;
	makecontext(&there, context, 0);
	return swapcontext(&here, &there);
}

int main(int argc, char **argv)
{
	char *stacks =
		mmap(NULL, 3 * STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	ms = argc > 1 ? strtoull(argv[1], NULL, 10) : 100;
	if (stacks == MAP_FAILED)
		return 1;
	goroutine_block[1] = (uint64_t)(uintptr_t)(stacks + STACK);
	start_goroutine(stacks + STACK - 16, goroutine);
	start_scheduler(schedule);
	start_fiber(stacks + 2 * STACK - 16, fiber);
	if (run_context(stacks + 2 * STACK))
		return 1;
	printf("done\n");
	return 0;
}
