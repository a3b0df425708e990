/* SPDX-License-Identifier: MIT */
/*
 * entry.c - what of entry.h and regs.h is not inline.
 */
#include <cpuid.h>

#include "arch/arch.h"
#include "base/poison.h"

__asm__(".text\n\t.p2align 4\n\t.globl cps_regs_with_kept\n\t"
	".hidden cps_regs_with_kept\n\t.type cps_regs_with_kept, @function\n"
	"cps_regs_with_kept:\n\t.cfi_startproc\n\t"
	"leaq 8(%rsp), %rax\n\tmovq (%rsp), %rdx\n\t"
	"pushq %r15\n\tpushq %r14\n\tpushq %r13\n\tpushq %r12\n\t"
	"pushq %rbx\n\tpushq %rbp\n\tpushq %rax\n\tpushq %rdx\n\t"
	".cfi_adjust_cfa_offset 64\n\tmovq %rdi, %rax\n\tmovq %rsi, %rdi\n\t"
	"movq %rsp, %rsi\n\tpushq %rax\n\t.cfi_adjust_cfa_offset 8\n\tcall *%rax\n\t"
	"addq $72, %rsp\n\t.cfi_adjust_cfa_offset -72\n\tret\n\t"
	".cfi_endproc\n\t.size cps_regs_with_kept, . - cps_regs_with_kept\n");

/* What CPS_ENTRY_KEEP_VECTORS refers to by name: how many bytes the registers take that the processor has beside the general ones,
 * and which of them are saved, as XSAVE numbers them; 0: FXSAVE does it. */
__attribute__((visibility("hidden"))) uint32_t cps_entry_vector_bytes = 512, cps_entry_vector_mask;

void cps_entry_measure_vectors(void)
{
	enum { LEAF_STATE = 13, OSXSAVE = 1u << 27, VECTORS = 0xe6 };
	uint32_t a, b, c, d, low, high, most = 512 + 64;

	if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & OSXSAVE))
		return;
	__asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
	for (uint32_t i = 2; i < 8; i++)
		if (low & VECTORS & 1u << i && __get_cpuid_count(LEAF_STATE, i, &a, &b, &c, &d) &&
		    a + b > most)
			most = a + b;
	cps_entry_vector_bytes = most;
	cps_entry_vector_mask = low & VECTORS;
}

/* clang-format off */
__asm__("	.pushsection cps_hooks, \"ax\", @progbits\n"
	"	.globl cps_entry_keep_vectors\n"
	"	.hidden cps_entry_keep_vectors\n"
	"	.type cps_entry_keep_vectors, @function\n"
	"cps_entry_keep_vectors:\n"
	"	.cfi_startproc\n"
	"	pushq %rbp\n"
	"	.cfi_def_cfa_offset 16\n"
	"	.cfi_offset %rbp, -16\n"
	"	movq %rsp, %rbp\n"
	"	.cfi_def_cfa_register %rbp\n"
	"	movq %rdi, %r11\n"
	"	movq %rsi, %rdi\n"
	CPS_ENTRY_KEEP_VECTORS("	call *%r11\n")
	"	leave\n"
	"	.cfi_def_cfa %rsp, 8\n"
	"	ret\n"
	"	.cfi_endproc\n"
	"	.size cps_entry_keep_vectors, . - cps_entry_keep_vectors\n"
	"	.popsection\n");
/* clang-format on */
