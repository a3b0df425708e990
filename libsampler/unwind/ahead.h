/* SPDX-License-Identifier: MIT */
/*
 * ahead.h - finds the caller of code that has no unwind information by what the code will do.
 *
 * Between a call and its function's return there is often nothing but instructions that undo what
 * the function has done to the stack, one after the other. They say where the return address is as
 * surely as a table does. Trampolines of interpreters, and assembly that saves registers or changes
 * stacks, are like that. And there is code that never returns: below it nothing is called, so that
 * it may be the root of a stack (doc/decisions/0064).
 */
#ifndef CPS_AHEAD_H
#define CPS_AHEAD_H

#include <stdbool.h>
#include <stdint.h>

#include "unwind/peek.h"
#include "unwind/regs.h"

enum cps_ahead {
	CPS_AHEAD_UNKNOWN, /* it depends, or is not understood */
	CPS_AHEAD_RETURNS,
	CPS_AHEAD_NEVER, /* whatever it does, it does not return */
};

/*
 * [signal] What the code does from the pc of regs on until its function returns. RETURNS: `regs` are
 * the caller's, with the return address as pc. is_exact: the code goes on at pc now, and not only when what it has called returns.
 * What is not on the stack of `peek` is read by the kernel.
 */
enum cps_ahead cps_ahead(struct cps_regs *regs, const struct cps_peek *peek, bool is_exact);

/* [signal] Forget what is known of the code at this address: it has led to no caller. */
void cps_ahead_forget(uintptr_t pc);

#endif
