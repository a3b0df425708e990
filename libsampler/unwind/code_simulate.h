/* SPDX-License-Identifier: MIT */
/*
 * code_simulate.h - does in thought what code will do until it returns.
 */
#ifndef CPS_CODE_SIMULATE_H
#define CPS_CODE_SIMULATE_H

#include <stdbool.h>
#include <stdint.h>

#include "arch/arch.h"
#include "base/memory.h"

/* ---- code simulate --------------------------------------------------------------------------- */
/*
 * Finds the caller of code that has no unwind information by what the code will do.
 *
 * Between a call and its function's return there is often nothing but instructions that undo what
 * the function has done to the stack, one after the other. They say where the return address is as
 * surely as a table does. Trampolines of interpreters, and assembly that saves registers or changes
 * stacks, are like that. And there is code that never returns: below it nothing is called, so that
 * it may be the root of a stack (doc/decisions/0064).
 */

enum cps_code_simulate {
	CPS_AHEAD_UNKNOWN, /* it depends, or is not understood */
	CPS_AHEAD_RETURNS,
	CPS_AHEAD_NEVER, /* whatever it does, it does not return */
};

/*
 * [signal] What the code does from the pc of regs on until its function returns. RETURNS: `regs` are
 * the caller's, with the return address as pc. is_exact: the code goes on at pc now, and not only when what it has called returns.
 * What is not on the stack of `peek` is read by the kernel.
 */
enum cps_code_simulate cps_code_simulate(struct cps_regs *regs, const struct cps_peek *peek,
					 bool is_exact);

/* [signal] Forget what is known of the code at this address: it has led to no caller. */
void cps_code_simulate_forget(uintptr_t pc);

/* ---- noreturn -------------------------------------------------------------------------------- */
/*
 * Tells code that never returns.
 */

/* [signal] Whether the code at this address never returns, however its branches go. False: it does, or
 * that is not known. */
bool cps_noreturn_returns(uintptr_t pc);

/* [signal] Whether this return address is that of Go's runtime.mcall, in any version: it has called a
 * function on the stack of its thread, which goes on with other goroutines. */
bool cps_noreturn_is_mcall(uintptr_t ra);

#endif
