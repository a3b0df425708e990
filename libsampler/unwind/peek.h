/* SPDX-License-Identifier: MIT */
/*
 * peek.h - reads the target's stack without ever faulting.
 *
 * Between the interrupted stack pointer and the known top of the thread's stack everything is
 * mapped, and is read directly; whatever lies outside is not the stack. Where the bounds are not
 * known (alternate stacks, coroutines) the kernel is asked, once per page.
 */
#ifndef CPS_PEEK_H
#define CPS_PEEK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/sys.h"

struct cps_peek {
	uintptr_t low, high; /* [low, high) is known to be mapped; 0, 0: nothing is known */
	uintptr_t page;	     /* the last page that the kernel has said is readable */
};

/* [signal] Read eight bytes at an aligned address. False if they cannot be read. */
static inline bool cps_peek(struct cps_peek *k, uintptr_t address, uint64_t *value)
{
	if (address & 7)
		return false;
	if (address - k->low >= k->high - k->low) {
		uintptr_t page = address & ~(uintptr_t)4095;

		if (k->high || !page)
			return false;
		if (page != k->page && !cps_sys_readable(address))
			return false;
		k->page = page;
	}
	*value = *(const volatile uint64_t *)address;
	return true;
}

#endif
