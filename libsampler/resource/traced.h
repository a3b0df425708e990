/* SPDX-License-Identifier: MIT */
/*
 * traced.h - whether a debugger traces this process.
 */
#ifndef CPS_TRACED_H
#define CPS_TRACED_H

#include <stdbool.h>

/* Whether one does now. A debugger, or strace, stops the program at each signal. */
bool cps_traced_is(void);

#endif
