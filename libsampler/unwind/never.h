/* SPDX-License-Identifier: MIT */
/*
 * never.h - tells code that never returns.
 */
#ifndef CPS_NEVER_H
#define CPS_NEVER_H

#include <stdbool.h>
#include <stdint.h>

/* [signal] Whether the code at this address never returns, however its branches go. False: it does, or
 * that is not known. */
bool cps_never_returns(uintptr_t pc);

/* [signal] Whether this return address is that of Go's runtime.mcall, in any version: it has called a
 * function on the stack of its thread, which goes on with other goroutines. */
bool cps_never_is_mcall(uintptr_t ra);

#endif
