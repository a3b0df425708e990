/* SPDX-License-Identifier: MIT */
/*
 * moment.h - the time, without a system call where the kernel has put its clock into the process.
 */
#ifndef CPS_MOMENT_H
#define CPS_MOMENT_H

#include <stdbool.h>
#include <stdint.h>

/* [signal] Look for the clock in the vDSO at this address; 0 means that there is no vDSO. To be
 * called before there are ticks. */
void cps_moment_prepare(uintptr_t vdso);

/* [signal] From now on use the system call. To be called when the target forbids itself the cycle
 * counter, which the vDSO reads. */
void cps_moment_ask_kernel(void);

/* [signal] Whether the target has done so. The C library's clock reads the counter, too. */
bool cps_moment_is_forbidden(void);

/* [signal] Nanoseconds of CLOCK_MONOTONIC. */
uint64_t cps_moment_ns(void);

#endif
