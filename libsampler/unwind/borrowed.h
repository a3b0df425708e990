/* SPDX-License-Identifier: MIT */
/*
 * borrowed.h - finds the caller of generated code that runs on the frame of an interpreter.
 *
 * LuaJIT's interpreter does not call the code that it has compiled but jumps there. The code has no frame of its
 * own: it extends that of the interpreter, by as much as it needs. No table says by how much. But the
 * interpreter has one, and it was called (doc/decisions/0070).
 */
#ifndef CPS_BORROWED_H
#define CPS_BORROWED_H

#include <stdbool.h>
#include <stdint.h>

#include "unwind/peek.h"
#include "unwind/regs.h"

/* [signal] Replace the registers by those of the interpreter's caller. False: there is none near. */
bool cps_borrowed_step(struct cps_regs *regs, const struct cps_peek *peek);

#endif
