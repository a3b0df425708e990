/* SPDX-License-Identifier: MIT */
/*
 * own_stack.h - stacks for the handler to work on.
 *
 * A thread of the target may have hardly any stack left. Only the kernel's signal frame is put
 * there. Unwinding and deflating are done on a stack of the recorder's (doc/decisions/0006).
 */
#ifndef CPS_OWN_STACK_H
#define CPS_OWN_STACK_H

#include <stdbool.h>
#include <stdint.h>

/* [signal] Call f(argument) on one of the stacks, if possible on the one with this number modulo
 * their count. False: all are in use, and f was not called. */
bool cps_own_stack_call(uint32_t wish, void (*f)(void *), void *argument);

/* [signal] Free all of them, in a child made by fork. */
void cps_own_stack_reset(void);

#endif
