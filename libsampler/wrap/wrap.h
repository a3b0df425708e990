/* SPDX-License-Identifier: MIT */
/*
 * wrap.h - what wrappers of one file want from those of another.
 */
#ifndef CPS_WRAP_H
#define CPS_WRAP_H

#include <stdbool.h>
#include <stdint.h>

#include "process/wrapped.h"
#include "wrap/real.h"

/* Whether the recording has ended because of a filter. A program that this process becomes by exec
 * inherits the filter, so this variable tells it not to record. */
bool cps_wrap_seccomp_is_confined(void);
#define CPS_CONFINED "CPSAMPLE_CONFINED=1"

/* The system call seccomp(2), for which the C library has no function. */
long cps_wrap_seccomp(unsigned long operation, unsigned long flags, const void *filter);

/* Whether an ioctl with this argument can neither be gone on with nor made again. */
bool cps_wrap_file_holds(long request, long argument);

/* To be called in a child of vfork: handlers are to run on the alternate stack that the target has set. */
void cps_wrap_altstack_is_theirs(void);

#endif
