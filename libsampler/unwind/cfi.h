/* SPDX-License-Identifier: MIT */
/*
 * cfi.h - executes call frame instructions, and the expressions in them.
 */
#ifndef CPS_CFI_H
#define CPS_CFI_H

#include <stdbool.h>
#include <stdint.h>

#include "arch/arch.h"
#include "base/memory.h"
#include "unwind/fde.h"
#include "unwind/module.h"

/* ---- cfi ------------------------------------------------------------------------------------- */
/*
 * Gets from a frame to its caller by the call frame information of .eh_frame.
 *
 * Source: DWARF 4, 6.4.2 (instructions), 2.5 (expressions).
 */

enum cps_row_kind {
	CPS_ROW_NONE,	/* the address has no unwind information */
	CPS_ROW_FAST,	/* CFA = sp or fp + offset, return address as below */
	CPS_ROW_END,	/* the outermost frame: its return address is undefined */
	CPS_ROW_SIGNAL, /* the kernel's signal frame: all registers are in memory */
	CPS_ROW_SLOW,	/* anything else: cps_cfi_step */
};

/* Where the return address of a FAST row is. Where calls put it on the stack that is below the CFA, and elsewhere one of the
 * others. */
enum cps_row_ra {
	CPS_RA_BELOW_CFA,
	CPS_RA_BESIDE_FP,   /* above the caller's fp, which is saved: a frame record */
	CPS_RA_IN_REGISTER, /* in its register, and the caller's fp in its own */
	CPS_RA_ALONE,	    /* saved, and the caller's fp is in its register */
};

/* What the unwinder needs to know of one address in the usual case. */
struct cps_row {
	enum cps_row_kind kind;
	bool from_fp;
	uint8_t ra; /* enum cps_row_ra */
	int32_t cfa_offset;
	int32_t fp_offset; /* the caller's fp is saved at CFA + this; 0: still in its register. ALONE: not it, but ra is */
	uintptr_t from, until; /* the row holds for all addresses from `from` on, before `until` */
};

/* [signal] The row for an address inside a module. For a calling frame it is the address of the
 * call, not the return address. is_guess: the module may be unloaded meanwhile. */
void cps_cfi_row(const struct cps_module *m, uintptr_t pc, bool is_guess, struct cps_row *row);

/* [signal] Whether a handler has returned with these registers to code that is in no file, of which pc is an instruction or the
 * address before. */
bool cps_cfi_is_returned(const struct cps_regs *regs, uintptr_t pc);

enum cps_step { CPS_STEP_OK, CPS_STEP_NO_RECIPE, CPS_STEP_BAD_MEMORY, CPS_STEP_UNKNOWN_REGISTER };

/*
 * [signal] Replace regs by the caller's, by interpreting the whole description. regs->r[PC] becomes
 * the return address itself. UNKNOWN_REGISTER: the description needs a register that `valid` lacks.
 * *is_exact: the caller's pc is exact, not a return address (augmentation 'S').
 */
enum cps_step cps_cfi_step(const struct cps_module *m, uintptr_t pc, struct cps_regs *regs,
			   struct cps_peek *peek, bool *is_exact);

#endif
