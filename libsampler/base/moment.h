/* SPDX-License-Identifier: MIT */
/*
 * moment.h - the time, without a system call where the kernel has put its clock into the process.
 */
#ifndef CPS_MOMENT_H
#define CPS_MOMENT_H

#include <stdint.h>

/* [signal] Before there are ticks: look for the clock in the vDSO at this address; 0: there is
 * none. */
void cps_moment_prepare(uintptr_t vdso);

/* [signal] Ask the kernel from now on: the target forbids itself what the vDSO reads. */
void cps_moment_ask_kernel(void);

/* [signal] Nanoseconds of CLOCK_MONOTONIC. */
uint64_t cps_moment_ns(void);

#endif
