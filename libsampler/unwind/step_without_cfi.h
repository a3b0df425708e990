/* SPDX-License-Identifier: MIT */
/*
 * step_without_cfi.h - steps where no unwind information leads.
 */
#ifndef CPS_STEP_WITHOUT_CFI_H
#define CPS_STEP_WITHOUT_CFI_H

#include <stdbool.h>
#include <stdint.h>

#include "arch/arch.h"
#include "base/memory.h"

/* ---- step without cfi ------------------------------------------------------------------------ */
/*
 * Gets from a frame of code that has no unwind information to its caller.
 *
 * Such code is generated while the program runs, or is assembly, or is Go's, whose tables have
 * another form. There are three ways out, and each return address that is found must follow a call:
 * what the code does until it returns (code_simulate.h), a leaf's return address on top of the stack, and
 * the frame pointer.
 */

struct cps_step_without_cfi {
	struct cps_regs regs;
	uint64_t key_high; /* of rows (row.h) */
	bool is_exact;	   /* pc is the current instruction, not a return address */
	bool sp_is_of_fp;  /* a frame pointer said where sp is, so that it may be below arguments */
};

enum cps_step_without_cfi_step {
	CPS_BARE_WENT,
	CPS_BARE_ROOT, /* the code never returns, and nobody has called it: the stack is whole */
	CPS_BARE_LOST,
};

/* [signal] Replace the frame's registers by the caller's. Its stack pointer may be any; the caller
 * of this function has to see whether it is on the same stack. pc is as cps_row_of wants it. */
enum cps_step_without_cfi_step cps_step_without_cfi_step(struct cps_step_without_cfi *frame,
							 uintptr_t pc, struct cps_peek *peek);

#endif
