/* SPDX-License-Identifier: MIT */
/*
 * own_stack.h - stacks for the handler to work on.
 *
 * A thread of the target may have hardly any stack left. Only the kernel's own signal frame goes
 * there; unwinding and deflating are done on a stack of ours.
 */
#ifndef CPS_OWN_STACK_H
#define CPS_OWN_STACK_H

#include <stdbool.h>
#include <stdint.h>

/* [signal] Call f(argument) on one of our stacks, if possible the one with this number modulo
 * their count. False: all are in use, f was not called. */
bool cps_own_stack_call(uint32_t wish, void (*f)(void *), void *argument);

/* [signal] All of them are free: in a child that fork has made. */
void cps_own_stack_reset(void);

#endif
