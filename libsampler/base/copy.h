/* SPDX-License-Identifier: MIT */
/*
 * copy.h - copies memory that may not be there.
 *
 * The kernel copies it (process_vm_readv), and fails where a load would end the process. A process
 * under a filter of system calls may be killed for this call. There the kernel is asked about each
 * page first, by a system call that every filter allows; and a page can go away between question
 * and load (doc/decisions/0045).
 */
#ifndef CPS_COPY_H
#define CPS_COPY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

#define CPS_COPY_PARTS 1024u /* the kernel's limit */

/* [signal] Copy n bytes from an address. False: not all of them can be read. */
bool cps_copy(void *to, uintptr_t from, size_t n);

/* [signal] Copy n parts of memory, at most CPS_COPY_PARTS, one behind the other by one call of the kernel's.
 * Returns how many bytes could be read before the first that cannot; 0 where the kernel does not copy. */
size_t cps_copy_parts(void *to, const struct iovec *parts, uint32_t n);

/* [signal] Whether the kernel copies, so that no address can do harm. If not, only memory should be
 * copied that is likely to stay. */
bool cps_copy_is_safe(void);

/* [signal] To be called when there is a filter, or before one is installed: the kernel is not asked
 * to copy any more. */
void cps_copy_confine(void);

#endif
