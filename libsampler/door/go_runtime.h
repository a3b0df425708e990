/* SPDX-License-Identifier: MIT */
/*
 * go_runtime.h - finds out whether the program contains Go's runtime.
 */
#ifndef CPS_GO_RUNTIME_H
#define CPS_GO_RUNTIME_H

#include <stdbool.h>

/* Whether the program, or a library that is loaded, was linked by Go's linker. Not for the
 * handler. */
bool cps_go_runtime_is_here(void);

/* Whether that is so of the program itself. Then it ends by a system call of its own, and not by the
 * C library. Not for the handler. */
bool cps_go_runtime_is_program(void);

#endif
