/* SPDX-License-Identifier: MIT */
/*
 * entry.c - what of entry.h and regs.h is not inline.
 */
#include "arch/arch.h"
#include "base/poison.h"

__asm__(".text\n\t.p2align 4\n\t.globl cps_regs_with_kept\n\t"
	".hidden cps_regs_with_kept\n\t.type cps_regs_with_kept, %function\n"
	"cps_regs_with_kept:\n\t.cfi_startproc\n\thint #34\n\t"
	"mov x16, sp\n\tmov x17, x0\n\t"
	"stp x29, x30, [sp, #-128]!\n\t"
	".cfi_def_cfa_offset 128\n\t.cfi_offset x29, -128\n\t.cfi_offset x30, -120\n\t"
	"stp x30, x16, [sp, #16]\n\tstp x19, x20, [sp, #32]\n\tstp x21, x22, [sp, #48]\n\t"
	"stp x23, x24, [sp, #64]\n\tstp x25, x26, [sp, #80]\n\tstp x27, x28, [sp, #96]\n\t"
	"stp x29, x30, [sp, #112]\n\tmov x29, sp\n\t"
	"mov x0, x1\n\tadd x1, sp, #16\n\tblr x17\n\t"
	"ldp x29, x30, [sp], #128\n\t"
	".cfi_restore x29\n\t.cfi_restore x30\n\t.cfi_def_cfa_offset 0\n\tret\n\t"
	".cfi_endproc\n\t.size cps_regs_with_kept, . - cps_regs_with_kept\n");
