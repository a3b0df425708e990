/* SPDX-License-Identifier: MIT */
/*
 * entry.h - code of aarch64 that is entered from outside: handlers, syscall(2), thunks; and another stack.
 *
 * What may be called by a pointer begins with `bti c` (hint #34), which is a nop where branches are not guarded. x16 and x17 are
 * those that a linkage table may change, and x9 to x15 those that any function may.
 */
#ifndef CPS_AARCH64_ENTRY_H
#define CPS_AARCH64_ENTRY_H

#include <stdbool.h>
#include <stdint.h>

/* For signal handlers. */
#define CPS_REGS_HANDLER

/* [signal] Call f(argument) on another stack, whose end is at `top`. The frame pointer stays as it
 * is, so that a debugger finds its way back. */
static inline void cps_regs_call_on_stack(void *top, void (*f)(void *), void *argument)
{
	register void *x0 __asm__("x0") = argument;
	register void (*x1)(void *) __asm__("x1") = f;
	register void *x2 __asm__("x2") = top;

	__asm__ volatile("mov x19, sp\n\tmov sp, x2\n\tblr x1\n\tmov sp, x19"
			 : "+r"(x0), "+r"(x1), "+r"(x2)
			 :
			 : "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10", "x11", "x12", "x13",
			   "x14", "x15", "x16", "x17", "x19", "x30", "v0", "v1", "v2", "v3", "v4",
			   "v5", "v6", "v7", "v8", "v9", "v10", "v11", "v12", "v13", "v14", "v15",
			   "v16", "v17", "v18", "v19", "v20", "v21", "v22", "v23", "v24", "v25",
			   "v26", "v27", "v28", "v29", "v30", "v31", "memory", "cc");
}

/* The function that a handler returns to; the kernel takes its own if none is given with a disposition. It has no
 * unwind information on purpose: unwinders recognise these very bytes, and look up the address before. */
#define CPS_REGS_RESTORER                                                                          \
	__asm__(".text\n\tnop\n\t.p2align 4\n\tnop\n\t.type cps_regs_restore, %function\n"         \
		"cps_regs_restore:\n\tmov x8, #139\n\tsvc #0\n\t"                                  \
		".size cps_regs_restore, . - cps_regs_restore\n")

/* [signal] The system's counter, which goes on at one rate whatever runs. It is slower than the processor. */
static inline __attribute__((always_inline)) uint64_t cps_entry_cycles(void)
{
	uint64_t now;

	__asm__ volatile("mrs %0, cntvct_el0" : "=r"(now));
	return now;
}

#define CPS_REGS_TEXT(x)  #x
#define CPS_REGS_VALUE(x) CPS_REGS_TEXT(x)

/* The function syscall(2). Calls whose number has its bit set in the 512 bits of `table` go to
 * `chosen`, but those with the number in the variable `limited` only if their fifth argument is not 0. All others jump to the
 * function that the variable `real` points to (`early` while it is NULL), with registers and stack as they are. */
#define CPS_REGS_SYSCALL(table, limited, chosen, real, early)                                      \
	__asm__(".text\n\t.p2align 4\n\t.globl syscall\n\t.type syscall, %function\n"              \
		"syscall:\n\t.cfi_startproc\n\thint #34\n\t"                                       \
		"cmp x0, #511\n\tb.hi 1f\n\t"                                                      \
		"adrp x16, " #table "\n\tadd x16, x16, :lo12:" #table "\n\t"                       \
		"lsr x17, x0, #6\n\tldr x16, [x16, x17, lsl #3]\n\t"                               \
		"lsr x16, x16, x0\n\ttbnz x16, #0, 2f\n"                                           \
		"1:\tadrp x16, " #real "\n\tldr x16, [x16, :lo12:" #real "]\n\t"                   \
		"cbz x16, 3f\n\tbr x16\n"                                                          \
		"2:\tadrp x16, " #limited "\n\tldr x16, [x16, :lo12:" #limited "]\n\t"             \
		"cmp x0, x16\n\tb.ne 4f\n\tcbz x4, 1b\n"                                           \
		"4:\tb " #chosen "\n3:\tb " #early "\n\t"                                          \
		".cfi_endproc\n\t.size syscall, . - syscall\n")

/* In `chosen` and `early`, which have the first six arguments of syscall(2): the last one. */
#define CPS_REGS_SYSCALL_MORE , long last
#define CPS_REGS_SYSCALL_LAST last

#define CPS_REGS_HAS_RELAYS  1 /* 0: there are none, and handlers run where the kernel puts them */
#define CPS_REGS_RELAY_BYTES 16

/* `count` handlers of signals, CPS_REGS_RELAY_BYTES apart from `relays` on. Each calls `choose` with
 * the context that the kernel has made for it, its own number and its stack pointer. The result is the address of
 * another handler and a distance, by which the kernel's frame was moved. The other handler begins at
 * the moved frame with the registers that the kernel gives to a handler. Those that have not asked for the context do not
 * get its address, but it lies at the same place. */
#define CPS_REGS_RELAYS(relays, count, choose)                                                     \
	__asm__(".text\n\t.p2align 4\n\t.type " #relays ", %function\n" #relays ":\n\t"            \
		".cfi_startproc\n\t.set " #relays "_i, 0\n\t.rept " CPS_REGS_VALUE(                \
			count) "\n\t"                                                              \
			       "hint #34\n\tmov w16, #" #relays "_i\n\tb 1f\n\t.p2align 4\n\t"     \
			       ".set " #relays "_i, " #relays "_i + 1\n\t.endr\n"                  \
			       "1:\tstp x29, x30, [sp, #-48]!\n\t.cfi_def_cfa_offset 48\n\t"       \
			       ".cfi_offset x29, -48\n\t.cfi_offset x30, -40\n\t"                  \
			       "stp x0, x1, [sp, #16]\n\tstr x2, [sp, #32]\n\t"                    \
			       "add x2, sp, #48\n\tadd x0, x2, #128\n\tmov w1, w16\n\t"            \
			       "bl " #choose "\n\tmov x16, x0\n\tmov x17, x1\n\t"                  \
			       "ldp x0, x1, [sp, #16]\n\tldr x2, [sp, #32]\n\t"                    \
			       "ldp x29, x30, [sp], #48\n\t.cfi_restore x29\n\t"                   \
			       ".cfi_restore x30\n\t.cfi_def_cfa_offset 0\n\t"                     \
			       "add x1, x1, x17\n\tadd x2, x2, x17\n\tadd x29, x29, x17\n\t"       \
			       "add sp, sp, x17\n\tbr x16\n\t"                                     \
			       ".cfi_endproc\n\t.size " #relays ", . - " #relays "\n")

/* Calls are not counted on this machine, so that the hooks of compilers are the C library's. */
#define CPS_ENTRY_COUNTS_CALLS 0
#define CPS_ENTRY_CALL_HOOKS   _Static_assert(!CPS_ENTRY_COUNTS_CALLS, "there are none")
#define CPS_ENTRY_KEEPS

#define CPS_ENTRY_HAS_THUNKS  1 /* 0: calls of a function are not counted */
#define CPS_ENTRY_THUNK_BYTES 64

/*
 * Thunks that count calls (resource/calls.c), CPS_ENTRY_THUNK_BYTES apart: `targets` for each of so many names. Each counts
 * down what is left of the calling thread's interval, at the beginning of the point of `point_bytes` with the number of its
 * name, from `first` on. If a handler that counts comes between load and store, the store fails (cps_single_subtract). When the
 * interval is used up it goes on to one place, which saves whatever may have arguments. After
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
		".type cps_calls_thunks, %function\n" \
		"cps_calls_thunks:\n" \
		".cfi_startproc\n" \
		".set cps_calls_i, 0\n" \
		".rept " CPS_REGS_VALUE(names) " * " CPS_REGS_VALUE(targets) "\n" \
		".balign " CPS_REGS_VALUE(CPS_ENTRY_THUNK_BYTES) "\n" \
		"	hint #34\n" \
		"	adrp x16, :gottprel:cps_thread_points\n" \
		"	ldr x16, [x16, :gottprel_lo12:cps_thread_points]\n" \
		"	mrs x17, tpidr_el0\n" \
		"	ldr x16, [x17, x16]\n" \
		"	add x16, x16, #(" CPS_REGS_VALUE(first) " + cps_calls_i / " CPS_REGS_VALUE(targets) ") * " CPS_REGS_VALUE(point_bytes) "\n" \
		"2:	ldxr x17, [x16]\n" \
		"	subs x17, x17, #1\n" \
		"	stxr w15, x17, [x16]\n" \
		"	cbnz w15, 2b\n" \
		"	b.le 1f\n" \
		"	adrp x16, cps_calls_originals + 8 * cps_calls_i\n" \
		"	ldr x16, [x16, :lo12:cps_calls_originals + 8 * cps_calls_i]\n" \
		"	br x16\n" \
		"1:	mov w17, #cps_calls_i\n" \
		"	b cps_calls_point\n" \
		".set cps_calls_i, cps_calls_i + 1\n" \
		".endr\n" \
		".cfi_endproc\n" \
		".size cps_calls_thunks, . - cps_calls_thunks\n" \
\
		/* The number of the thunk is in x17. */ \
		".type cps_calls_point, %function\n" \
		"cps_calls_point:\n" \
		".cfi_startproc\n" \
		"	stp x29, x30, [sp, #-240]!\n" \
		".cfi_def_cfa_offset 240\n" \
		".cfi_offset x29, -240\n" \
		".cfi_offset x30, -232\n" \
		"	mov x29, sp\n" \
		"	stp x0, x1, [sp, #16]\n" \
		"	stp x2, x3, [sp, #32]\n" \
		"	stp x4, x5, [sp, #48]\n" \
		"	stp x6, x7, [sp, #64]\n" \
		"	adrp x16, cps_calls_originals\n" \
		"	add x16, x16, :lo12:cps_calls_originals\n" \
		"	ldr x16, [x16, x17, lsl #3]\n" \
		"	stp x8, x16, [sp, #80]\n" \
		"	stp q0, q1, [sp, #96]\n" \
		"	stp q2, q3, [sp, #128]\n" \
		"	stp q4, q5, [sp, #160]\n" \
		"	stp q6, q7, [sp, #192]\n" \
		"	mov w0, w17\n" \
		"	bl cps_calls_sample\n" \
		"	ldp q0, q1, [sp, #96]\n" \
		"	ldp q2, q3, [sp, #128]\n" \
		"	ldp q4, q5, [sp, #160]\n" \
		"	ldp q6, q7, [sp, #192]\n" \
		"	ldp x8, x16, [sp, #80]\n" \
		"	ldp x6, x7, [sp, #64]\n" \
		"	ldp x4, x5, [sp, #48]\n" \
		"	ldp x2, x3, [sp, #32]\n" \
		"	ldp x0, x1, [sp, #16]\n" \
		"	ldp x29, x30, [sp], #240\n" \
		".cfi_restore x29\n" \
		".cfi_restore x30\n" \
		".cfi_def_cfa_offset 0\n" \
		"	br x16\n" \
		".cfi_endproc\n" \
		".size cps_calls_point, . - cps_calls_point\n" \
\
		/* These lead to functions of the loader's, which have no arguments in other registers. */ \
		".balign " CPS_REGS_VALUE(CPS_ENTRY_THUNK_BYTES) "\n" \
		".globl cps_calls_look_thunks\n" \
		".hidden cps_calls_look_thunks\n" \
		".type cps_calls_look_thunks, %function\n" \
		"cps_calls_look_thunks:\n" \
		".cfi_startproc\n" \
		".set cps_calls_i, 0\n" \
		".rept " CPS_REGS_VALUE(looks) "\n" \
		".balign " CPS_REGS_VALUE(CPS_ENTRY_THUNK_BYTES) "\n" \
		"	hint #34\n" \
		"	stp x29, x30, [sp, #-48]!\n" \
		".cfi_def_cfa_offset 48\n" \
		".cfi_offset x29, -48\n" \
		".cfi_offset x30, -40\n" \
		"	stp x0, x1, [sp, #16]\n" \
		"	stp x2, x3, [sp, #32]\n" \
		"	mov x2, x1\n" \
		"	mov x1, x0\n" \
		"	mov w0, #cps_calls_i\n" \
		"	bl cps_calls_look_now\n" \
		"	ldp x2, x3, [sp, #32]\n" \
		"	ldp x0, x1, [sp, #16]\n" \
		"	ldp x29, x30, [sp], #48\n" \
		".cfi_restore x29\n" \
		".cfi_restore x30\n" \
		".cfi_def_cfa_offset 0\n" \
		"	adrp x16, cps_calls_look_originals + 8 * cps_calls_i\n" \
		"	ldr x16, [x16, :lo12:cps_calls_look_originals + 8 * cps_calls_i]\n" \
		"	br x16\n" \
		".set cps_calls_i, cps_calls_i + 1\n" \
		".endr\n" \
		".cfi_endproc\n" \
		".size cps_calls_look_thunks, . - cps_calls_look_thunks\n" \
		".popsection\n")
/* clang-format on */

/* [signal] Nothing has to be known of vectors. */
static inline void cps_entry_measure_vectors(void)
{
}

/* [signal] Calls are not counted, so that nobody's vectors have to be kept. */
static inline void cps_entry_keep_vectors(void (*f)(void *), void *argument)
{
	f(argument);
}

#endif
