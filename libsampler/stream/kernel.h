/* SPDX-License-Identifier: MIT */
/*
 * kernel.h - the kernel's functions in stacks.
 *
 * Their addresses are in the upper half of all addresses, where no program has any. They get their names when the
 * recording ends, in records like those of generated code (doc/decisions/0075).
 */
#ifndef CPS_KERNEL_H
#define CPS_KERNEL_H

#include <stdbool.h>
#include <stdint.h>

#include "format.h"

#define CPS_KERNEL_DEPTH 64u /* functions of a chain; more are left out */

/* The kernel's functions in which a tick has met a thread, innermost first. */
struct cps_kernel_chain {
	uint32_t n;
	uint64_t pcs[CPS_KERNEL_DEPTH];
};

/* [signal] Whether the process may know where the kernel's functions are. It is found out once. */
bool cps_kernel_has_names(void);

/* [signal] The chain is in a sample. */
void cps_kernel_note(const struct cps_kernel_chain *chain);

/* [signal] Write the names of all that was noted into the stream. Not for the handler: it takes as long as reading
 * /proc/kallsyms does, some 20 ms, if anything was noted. */
void cps_kernel_keep_names(void);

/* [signal] Begin anew, in a child. */
void cps_kernel_reset(void);

#endif
