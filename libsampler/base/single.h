/* SPDX-License-Identifier: MIT */
/*
 * single.h - changes a number of the calling thread's by one instruction.
 *
 * A handler that the program has for a signal may change the same number. It comes before such an instruction or
 * after it, never between the load and the store. Other threads must not change it.
 */
#ifndef CPS_SINGLE_H
#define CPS_SINGLE_H

#include <stdbool.h>
#include <stdint.h>

/* [signal] Subtract n. Returns whether 0 or less is left. */
static inline __attribute__((always_inline)) bool cps_single_subtract(int64_t *number, int64_t n)
{
#if defined(__x86_64__)
	bool is_used_up;

	__asm__ volatile("subq %2, %0" : "+m"(*number), "=@ccle"(is_used_up) : "er"(n));
	return is_used_up;
#else
	return __atomic_sub_fetch(number, n, __ATOMIC_RELAXED) <= 0;
#endif
}

/* [signal] Add n. */
static inline __attribute__((always_inline)) void cps_single_add(int64_t *number, int64_t n)
{
	cps_single_subtract(number, -n);
}

#endif
