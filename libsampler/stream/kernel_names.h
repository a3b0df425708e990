/* SPDX-License-Identifier: MIT */
/*
 * kernel_names.h - the names of the kernel's functions that were met in samples.
 */
#ifndef CPS_KERNEL_NAMES_H
#define CPS_KERNEL_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format.h"

/* ---- kallsyms -------------------------------------------------------------------------------- */
/*
 * Finds the kernel's functions at given addresses in the text of /proc/kallsyms.
 *
 * The text has a line for each symbol: "ADDRESS TYPE NAME", and behind a tab the module it is of.
 * Those of the kernel itself come first, by address. Those of modules follow in any order.
 */

#define CPS_KALLSYMS_NAME_BYTES                                                                    \
	124u /* of a name, with a NUL; the rest of a longer one is left out */

struct cps_kallsyms_function {
	uint64_t address;		    /* to be found */
	uint64_t start;			    /* of the function; 0: none was found */
	char name[CPS_KALLSYMS_NAME_BYTES]; /* of it, NUL-terminated */
};

struct cps_kallsyms {
	struct cps_kallsyms_function *list;
	uint32_t n;
	bool has_first; /* `first` is the address of the first line */
	uint64_t first;
	char line[CPS_KALLSYMS_NAME_BYTES + 32]; /* that is not complete yet */
	size_t used;
};

/* [signal] Begin to look for the addresses of the list, which is sorted by them here. They are kept in it until
 * cps_kallsyms_finish. */
void cps_kallsyms_begin(struct cps_kallsyms *k, struct cps_kallsyms_function *list, uint32_t n);

/* [signal] Read the next piece of the text, which may end anywhere. False: the rest need not be read. */
bool cps_kallsyms_add(struct cps_kallsyms *k, const char *bytes, size_t n);

/* [signal] The text is complete: each element of the list has its function. */
void cps_kallsyms_finish(struct cps_kallsyms *k);

/* ---- kernel ---------------------------------------------------------------------------------- */
/*
 * The kernel's functions in stacks.
 *
 * Their addresses are in the upper half of all addresses, where no program has any. They get their
 * names when the recording ends, in records like those of generated code (doc/decisions/0075).
 */

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
