/* SPDX-License-Identifier: MIT */
/*
 * entry.h - code of x86-64 that is entered from outside: handlers, syscall(2), thunks; and another stack.
 */
#ifndef CPS_X86_64_ENTRY_H
#define CPS_X86_64_ENTRY_H

#include <stdbool.h>
#include <stdint.h>

/* For signal handlers, which begin on a stack that they align themselves: qemu-x86_64 calls them with
 * a stack that is 8 bytes off. */
#define CPS_REGS_HANDLER __attribute__((force_align_arg_pointer))

/* [signal] Call f(argument) on another stack, whose end is at `top`. The frame pointer stays as it
 * is, so that a debugger finds its way back. */
static inline void cps_regs_call_on_stack(void *top, void (*f)(void *), void *argument)
{
	__asm__ volatile("movq %%rsp, %%rbx\n\t"
			 "movq %[top], %%rsp\n\t"
			 "call *%[f]\n\t"
			 "movq %%rbx, %%rsp"
			 : "+D"(argument), [f] "+a"(f), [top] "+d"(top)
			 :
			 : "rbx", "rcx", "rsi", "r8", "r9", "r10", "r11", "xmm0", "xmm1", "xmm2",
			   "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11",
			   "xmm12", "xmm13", "xmm14", "xmm15", "memory", "cc");
}

/* The function that a handler returns to; the kernel wants one with every disposition. It has no
 * unwind information on purpose: unwinders recognise these very bytes. */
#define CPS_REGS_RESTORER                                                                          \
	__asm__(".text\n\tnop\n\t.p2align 4\n\t.type cps_regs_restore, @function\n"                \
		"cps_regs_restore:\n\tmovq $15, %rax\n\tsyscall\n\t"                               \
		".size cps_regs_restore, . - cps_regs_restore\n")

/* [signal] The processor's counter of cycles, which goes on at one rate whatever runs. */
static inline __attribute__((always_inline)) uint64_t cps_entry_cycles(void)
{
	return __builtin_ia32_rdtsc();
}

#define CPS_REGS_TEXT(x)  #x
#define CPS_REGS_VALUE(x) CPS_REGS_TEXT(x)

/* The function syscall(2). Calls whose number has its bit set in the 512 bits of `table` go to
 * `chosen`, but those with the number in the variable `limited` only if their fifth argument is not 0. All others jump to the
 * function that the variable `real` points to (`early` while it is NULL), with registers and stack as they are. */
#define CPS_REGS_SYSCALL(table, limited, chosen, real, early)                                      \
	__asm__(".text\n\t.p2align 4\n\t.globl syscall\n\t.type syscall, @function\n"              \
		"syscall:\n\t.cfi_startproc\n\t"                                                   \
		"cmpq $511, %rdi\n\tja 1f\n\tbtq %rdi, " #table "(%rip)\n\tjc 2f\n"                \
		"1:\tmovq " #real "(%rip), %rax\n\ttestq %rax, %rax\n\tjz " #early                 \
		"\n\tjmp *%rax\n"                                                                  \
		"2:\tcmpq " #limited "(%rip), %rdi\n\tjne " #chosen                                \
		"\n\ttestq %r8, %r8\n\tjz 1b\n\tjmp " #chosen                                      \
		"\n\t.cfi_endproc\n\t.size syscall, . - syscall\n")

/* In `chosen` and `early`, which have the first six arguments of syscall(2): the last one, which it has on the stack. As an
 * argument the compiler might keep something else in its place, where callers that give fewer have something of their
 * own. */
#define CPS_REGS_SYSCALL_MORE
#define CPS_REGS_SYSCALL_LAST (((const volatile long *)__builtin_frame_address(0))[2])

#define CPS_REGS_HAS_RELAYS  1 /* 0: there are none, and handlers run where the kernel puts them */
#define CPS_REGS_RELAY_BYTES 16

/* `count` handlers of signals, CPS_REGS_RELAY_BYTES apart from `relays` on. Each calls `choose` with
 * the context that it was given, its own number and its stack pointer. The result is the address of
 * another handler and a distance, by which the kernel's frame was moved. The other handler begins at
 * the moved frame with the registers that the kernel gives to a handler. */
#define CPS_REGS_RELAYS(relays, count, choose)                                                     \
	__asm__(".text\n\t.p2align 4\n\t.type " #relays ", @function\n" #relays ":\n\t"            \
		".cfi_startproc\n\t.set " #relays "_i, 0\n\t.rept " CPS_REGS_VALUE(                \
			count) "\n\t"                                                              \
			       "movl $" #relays "_i, %eax\n\tjmp 1f\n\t.p2align 4\n\t"             \
			       ".set " #relays "_i, " #relays "_i + 1\n\t.endr\n"                  \
			       "1:\tpushq %rdi\n\t.cfi_adjust_cfa_offset 8\n\t"                    \
			       "pushq %rsi\n\t.cfi_adjust_cfa_offset 8\n\t"                        \
			       "pushq %rdx\n\t.cfi_adjust_cfa_offset 8\n\t"                        \
			       "movq %rdx, %rdi\n\tmovl %eax, %esi\n\tleaq 24(%rsp), %rdx\n\t"     \
			       "call " #choose "\n\t"                                              \
			       "popq %rcx\n\t.cfi_adjust_cfa_offset -8\n\t"                        \
			       "popq %rsi\n\t.cfi_adjust_cfa_offset -8\n\t"                        \
			       "popq %rdi\n\t.cfi_adjust_cfa_offset -8\n\t"                        \
			       "movq %rax, %r11\n\taddq %rdx, %rsp\n\taddq %rdx, %rsi\n\t"         \
			       "addq %rcx, %rdx\n\txorl %eax, %eax\n\tjmp *%r11\n\t"               \
			       ".cfi_endproc\n\t.size " #relays ", . - " #relays "\n")

/*
 * The hooks that compilers call at the entry of functions with -pg (mcount, in the frame that the function has just made) and
 * -mfentry (__fentry__, at its first instruction). All registers stay as they are. While the byte cps_calls_are_counted is 0
 * they go on at the address in cps_calls_mcount_instead or cps_calls_fentry_instead.
 *
 * A call whose transition is in its first place is counted here, as `enter` in collector/calls.c does it, with a few registers: rax
 * has what belongs to the thread, rcx the frame of the caller, rdx where the return address lies, rsi an address in the function.
 * All other calls, those of threads that are new, of handlers and on other stacks, go to cps_calls_enter. The numbers say where
 * things are in struct cps_calls (calls.h), its frames, and states (machine.h). r11 has nothing at the entry of a function:
 * whoever leads to it or to a hook may have changed it, as linkage tables do.
 */
#define CPS_ENTRY_COUNTS_CALLS 1

/* An attribute of functions that those call: all registers stay as they are. */
#define CPS_ENTRY_KEEPS , no_caller_saved_registers

/* clang-format off */
#define CPS_ENTRY_HOOK_TOP "0"
#define CPS_ENTRY_HOOK_END "8"
#define CPS_ENTRY_HOOK_LOW "24"
#define CPS_ENTRY_HOOK_BYTES "32"
#define CPS_ENTRY_HOOK_FACTOR "-1640531535"
#define CPS_ENTRY_HOOK_FAR "1024"

#define CPS_ENTRY_HOOK(names, instead, place) \
	names \
	"	.cfi_startproc\n" \
	"	cmpb $0, cps_calls_are_counted(%rip)\n" \
	"	je 9f\n" \
	"	pushq %rax\n" \
	"	pushq %rcx\n" \
	"	pushq %rdx\n" \
	"	pushq %rsi\n" \
	"	pushq %rdi\n" \
	"	.cfi_adjust_cfa_offset 40\n" \
	"	movq cps_calls_mine@gottpoff(%rip), %rax\n" \
	"	movq %fs:(%rax), %rax\n" \
	"	" place "\n" \
	"	testq %rax, %rax\n" \
	"	jz 8f\n" \
	"	movq %rdx, %rdi\n" \
	"	subq " CPS_ENTRY_HOOK_LOW "(%rax), %rdi\n" \
	"	cmpq " CPS_ENTRY_HOOK_BYTES "(%rax), %rdi\n" \
	"	jae 8f\n" \
	"	movq " CPS_ENTRY_HOOK_TOP "(%rax), %rcx\n" \
	"	jmp 2f\n" \
	"1:	subq $32, %rcx\n"			/* that call is over */ \
	"2:	movq (%rcx), %rdi\n" \
	"	cmpq %rdx, %rdi\n" \
	"	jbe 1b\n" \
	"	leaq -" CPS_ENTRY_HOOK_FAR "(%rdi), %rsi\n" \
	"	cmpq %rdx, %rsi\n" \
	"	ja 7f\n" \
	"3:	movq 8(%rcx), %rsi\n" \
	"	testq %rsi, %rsi\n" \
	"	jz 8f\n" \
	"	cmpq %rsi, (%rdi)\n" \
	"	jne 1b\n" \
	"	movq 16(%rcx), %rdi\n"			/* the state */ \
	"	movq (%rdx), %r11\n"			/* its function must have made the call */ \
	"	subq 40(%rdi), %r11\n" \
	"	cmpq 48(%rdi), %r11\n" \
	"	jae 8f\n" \
	"	movq 40(%rsp), %rsi\n" \
	"	decq %rsi\n" \
	"	cmpq %rsi, 16(%rdi)\n" \
	"	je 5f\n" \
	"	cmpq " CPS_ENTRY_HOOK_END "(%rax), %rcx\n" \
	"	jae 8f\n" \
	"	imull $" CPS_ENTRY_HOOK_FACTOR ", %esi, %r11d\n" /* the hash */ \
	"	shrl $16, %r11d\n" \
	"	andl 32(%rdi), %r11d\n" \
	"	movq 24(%rdi), %rdi\n" \
	"	movq (%rdi, %r11, 8), %rdi\n"		/* the next state, if that is its function */ \
	"	cmpq %rsi, 16(%rdi)\n" \
	"	jne 8f\n" \
	"	movq (%rdx), %rsi\n" \
	"	movq %rdx, 32(%rcx)\n" \
	"	movq %rsi, 40(%rcx)\n" \
	"	movq %rdi, 48(%rcx)\n" \
	"	addq $32, %rcx\n" \
	"	movq %rcx, " CPS_ENTRY_HOOK_TOP "(%rax)\n" \
	"	cmpq %rdx, (%rcx)\n"			/* a handler has had this place */ \
	"	jne 8f\n" \
	"	incq (%rdi)\n" \
	"4:	popq %rdi\n" \
	"	popq %rsi\n" \
	"	popq %rdx\n" \
	"	popq %rcx\n" \
	"	popq %rax\n" \
	"	.cfi_adjust_cfa_offset -40\n" \
	"	ret\n" \
	"	.cfi_adjust_cfa_offset 40\n" \
	"5:	movq %rcx, " CPS_ENTRY_HOOK_TOP "(%rax)\n"	/* direct recursion */ \
	"	incq 8(%rdi)\n" \
	"	jmp 4b\n" \
	"7:	movq 16(%rcx), %rsi\n"			/* a handler's call is in no known code */ \
	"	cmpq $-1, 48(%rsi)\n" \
	"	jne 3b\n" \
	"8:	movq 40(%rsp), %rdi\n" \
	"	decq %rdi\n" \
	"	movq %rdx, %rsi\n" \
	"	call cps_calls_enter\n" \
	"	jmp 4b\n" \
	"	.cfi_adjust_cfa_offset -40\n" \
	"9:	jmp *" instead "(%rip)\n" \
	"	.cfi_endproc\n"

#define CPS_ENTRY_CALL_HOOKS \
	__asm__( \
		"	.pushsection cps_hooks, \"ax\", @progbits\n" \
		"	.p2align 6\n" \
		CPS_ENTRY_HOOK("	.globl mcount\n" \
			       "	.globl _mcount\n" \
			       "	.type mcount, @function\n" \
			       "	.type _mcount, @function\n" \
			       "mcount:\n" \
			       "_mcount:\n", "cps_calls_mcount_instead", "leaq 8(%rbp), %rdx") \
		"	.size mcount, . - mcount\n" \
		"	.size _mcount, . - _mcount\n" \
		"	.p2align 6\n" \
		CPS_ENTRY_HOOK("	.globl __fentry__\n" \
			       "	.type __fentry__, @function\n" \
			       "__fentry__:\n", "cps_calls_fentry_instead", "leaq 48(%rsp), %rdx") \
		"	.size __fentry__, . - __fentry__\n" \
		"	.popsection\n")
/* clang-format on */

/* clang-format off */
/* Code that keeps what the processor has beside the general registers, where vectors may be arguments: `call` may change it, and may
 * clear the upper halves of vectors. It changes rsp, rax, rcx and rdx before `call`. */
#define CPS_ENTRY_KEEP_VECTORS(call) \
		"	movl cps_entry_vector_bytes(%rip), %ecx\n" \
		"	subq %rcx, %rsp\n" \
		"	andq $-64, %rsp\n" \
		"	movl cps_entry_vector_mask(%rip), %eax\n" \
		"	testl %eax, %eax\n" \
		"	jz 1f\n" \
		"	xorl %edx, %edx\n" \
		"	movq %rdx, 512(%rsp)\n" /* the header, which XRSTOR wants clear */ \
		"	movq %rdx, 520(%rsp)\n" \
		"	movq %rdx, 528(%rsp)\n" \
		"	movq %rdx, 536(%rsp)\n" \
		"	movq %rdx, 544(%rsp)\n" \
		"	movq %rdx, 552(%rsp)\n" \
		"	movq %rdx, 560(%rsp)\n" \
		"	movq %rdx, 568(%rsp)\n" \
		"	xsave64 (%rsp)\n" \
		call \
		"	movl cps_entry_vector_mask(%rip), %eax\n" \
		"	xorl %edx, %edx\n" \
		"	xrstor64 (%rsp)\n" \
		"	jmp 2f\n" \
		"1:	fxsave64 (%rsp)\n" \
		call \
		"	fxrstor64 (%rsp)\n" \
		"2:\n"
/* clang-format on */

#define CPS_ENTRY_HAS_THUNKS  1 /* 0: calls of a function are not counted */
#define CPS_ENTRY_THUNK_BYTES 64

/*
 * Thunks that count calls (resource/calls.c), CPS_ENTRY_THUNK_BYTES apart: `targets` for each of so many names. Each counts
 * down what is left of the calling thread's interval, at the beginning of the point of `point_bytes` with the number of its
 * name, from `first` on, in the register that the linkage table itself may change, r11. When that is used up it goes on to
 * one place, which saves whatever may have arguments, also vectors, and what else a caller may expect to be kept. After
 * them come `looks` thunks that show the first two arguments, to functions of the loader's, which have none in other
 * registers.
 */
/* clang-format off */
#define CPS_ENTRY_THUNKS(names, targets, looks, first, point_bytes) \
	__asm__( \
		".pushsection .text\n" \
		".balign " CPS_REGS_VALUE(CPS_ENTRY_THUNK_BYTES) "\n" \
		".globl cps_calls_thunks\n" \
		".hidden cps_calls_thunks\n" \
		".type cps_calls_thunks, @function\n" \
		"cps_calls_thunks:\n" \
		".cfi_startproc\n" \
		".set cps_calls_i, 0\n" \
		".rept " CPS_REGS_VALUE(names) " * " CPS_REGS_VALUE(targets) "\n" \
		".balign " CPS_REGS_VALUE(CPS_ENTRY_THUNK_BYTES) "\n" \
		"	endbr64\n" \
		"	movq cps_thread_points@gottpoff(%rip), %r11\n" \
		"	movq %fs:(%r11), %r11\n" \
		"	decq (" CPS_REGS_VALUE(first) " + cps_calls_i / " CPS_REGS_VALUE(targets) ") * " CPS_REGS_VALUE(point_bytes) "(%r11)\n" \
		"	jle 1f\n" \
		"	jmp *cps_calls_originals + 8 * cps_calls_i(%rip)\n" \
		"1:	movl $cps_calls_i, %r11d\n" \
		"	jmp cps_calls_point\n" \
		".set cps_calls_i, cps_calls_i + 1\n" \
		".endr\n" \
		".cfi_endproc\n" \
		".size cps_calls_thunks, . - cps_calls_thunks\n" \
\
		/* The number of the thunk is in r11. */ \
		".type cps_calls_point, @function\n" \
		"cps_calls_point:\n" \
		".cfi_startproc\n" \
		"	pushq %rbp\n" \
		".cfi_def_cfa_offset 16\n" \
		".cfi_offset %rbp, -16\n" \
		"	movq %rsp, %rbp\n" \
		".cfi_def_cfa_register %rbp\n" \
		"	pushq %rax\n" \
		"	pushq %rcx\n" \
		"	pushq %rdx\n" \
		"	pushq %rsi\n" \
		"	pushq %rdi\n" \
		"	pushq %r8\n" \
		"	pushq %r9\n" \
		"	pushq %r10\n" \
		"	leaq cps_calls_originals(%rip), %rax\n" \
		"	pushq (%rax, %r11, 8)\n" \
		CPS_ENTRY_KEEP_VECTORS("	movl %r11d, %edi\n	call cps_calls_sample\n") \
		"	leaq -72(%rbp), %rsp\n" \
		"	popq %r11\n" \
		"	popq %r10\n" \
		"	popq %r9\n" \
		"	popq %r8\n" \
		"	popq %rdi\n" \
		"	popq %rsi\n" \
		"	popq %rdx\n" \
		"	popq %rcx\n" \
		"	popq %rax\n" \
		"	popq %rbp\n" \
		".cfi_def_cfa %rsp, 8\n" \
		".cfi_restore %rbp\n" \
		"	jmp *%r11\n" \
		".cfi_endproc\n" \
		".size cps_calls_point, . - cps_calls_point\n" \
\
		/* These lead to functions of the loader's, which have no arguments in other registers. */ \
		".balign " CPS_REGS_VALUE(CPS_ENTRY_THUNK_BYTES) "\n" \
		".globl cps_calls_look_thunks\n" \
		".hidden cps_calls_look_thunks\n" \
		".type cps_calls_look_thunks, @function\n" \
		"cps_calls_look_thunks:\n" \
		".cfi_startproc\n" \
		".set cps_calls_i, 0\n" \
		".rept " CPS_REGS_VALUE(looks) "\n" \
		".balign " CPS_REGS_VALUE(CPS_ENTRY_THUNK_BYTES) "\n" \
		"	endbr64\n" \
		"	pushq %rbp\n" \
		".cfi_def_cfa_offset 16\n" \
		".cfi_offset %rbp, -16\n" \
		"	movq %rsp, %rbp\n" \
		".cfi_def_cfa_register %rbp\n" \
		"	pushq %rdi\n" \
		"	pushq %rsi\n" \
		"	pushq %rdx\n" \
		"	pushq %rcx\n" \
		"	movq %rsi, %rdx\n" \
		"	movq %rdi, %rsi\n" \
		"	movl $cps_calls_i, %edi\n" \
		"	call cps_calls_look_now\n" \
		"	popq %rcx\n" \
		"	popq %rdx\n" \
		"	popq %rsi\n" \
		"	popq %rdi\n" \
		"	popq %rbp\n" \
		".cfi_def_cfa %rsp, 8\n" \
		".cfi_restore %rbp\n" \
		"	jmp *cps_calls_look_originals + 8 * cps_calls_i(%rip)\n" \
		".set cps_calls_i, cps_calls_i + 1\n" \
		".endr\n" \
		".cfi_endproc\n" \
		".size cps_calls_look_thunks, . - cps_calls_look_thunks\n" \
		".popsection\n")
/* clang-format on */

/* [signal] Before the first use of the code that keeps vectors: how many bytes they take and which of them there are. */
void cps_entry_measure_vectors(void);

/* [signal] Call f(argument), which may change vectors, for code that may not. */
void cps_entry_keep_vectors(void (*f)(void *), void *argument);

#endif
