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

bool cps_entry_state(uint32_t *bytes, uint32_t *mask)
{
	enum { LEAF_STATE = 13, OSXSAVE = 1u << 27, VECTORS = 0xe6 };
	uint32_t a, b, c, d, low, high, most = 512 + 64;

	if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & OSXSAVE))
		return false;
	__asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
	for (uint32_t i = 2; i < 8; i++)
		if (low & VECTORS & 1u << i && __get_cpuid_count(LEAF_STATE, i, &a, &b, &c, &d) &&
		    a + b > most)
			most = a + b;
	*bytes = most;
	*mask = low & VECTORS;
	return true;
}
