/* SPDX-License-Identifier: MIT */
/*
 * unlisted.h - remembers what the kernel has said of addresses that the loader does not list.
 */
#ifndef CPS_UNLISTED_H
#define CPS_UNLISTED_H

#include <stdbool.h>
#include <stdint.h>

/* ---- unlisted -------------------------------------------------------------------------------- */
/*
 * Knows code that the loader does not list.
 *
 * This is code that the target has generated; and code of a loaded file that was mapped a second
 * time, as V8 does with its builtins. The kernel is asked (unlisted.h) when an address is met that
 * is nowhere. What it says is remembered, also that there is no code. Asking takes no more than a
 * hundredth of the time (doc/decisions/0063).
 */

/* [signal] The number of the module whose code lies at the address by a mapping of the target's own; or
 * CPS_MODULE_NONE. The loader has said that it lists none there. */
uint32_t cps_unlisted_find(uintptr_t pc);

/* [signal] Whether the address lies in executable memory that the loader does not list. */
bool cps_unlisted_is_code(uintptr_t pc);

/* [signal] Look whether what was found before is still there: a part of it with each call. To be called now
 * and then. */
void cps_unlisted_check(void);

/* ---- mapping --------------------------------------------------------------------------------- */
/*
 * Asks the kernel what is mapped at an address.
 *
 * Since version 6.11 the kernel answers about one address (PROCMAP_QUERY). Before that its list is
 * read, as text, up to the address or to CPS_MAPPING_BYTES_MAX: a program can have 65,000 mappings,
 * and the caller may be a signal handler.
 */

#define CPS_MAPPING_BYTES_MAX (256u << 10) /* of text, which is 2,500 to 5,000 mappings */

struct cps_mapping {
	uintptr_t start, end;
	uint64_t offset;       /* in the file */
	uint64_t inode;	       /* 0: no file */
	uint64_t major, minor; /* the file's device */
	bool is_executable;
};

/* [signal] A descriptor to ask with, which the caller closes; or -errno. */
int cps_mapping_open(void);

/* [signal] The mapping that holds the address. False: there is none, or it was not found within the bound.
 * One thread at a time may call this, since the text has one place for all. */
bool cps_mapping_ask(int fd, uintptr_t address, struct cps_mapping *m);

/* [signal] The same, always by reading the text: for kernels before 6.11. */
bool cps_mapping_read(int fd, uintptr_t address, struct cps_mapping *m);

#endif
