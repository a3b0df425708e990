/* SPDX-License-Identifier: MIT */
/*
 * memory.h - memory that a signal handler may take, copy and look at.
 */
#ifndef CPS_MEMORY_H
#define CPS_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

/* ---- arena ----------------------------------------------------------------------------------- */
/*
 * Memory from the kernel that is never given back.
 *
 * Locks: none; any number of threads and handlers may allocate at once.
 */

/* [signal] Zeroed memory, 16-byte aligned; NULL when the kernel has none. */
void *cps_arena_take(size_t bytes);

/* [signal] Zeroed whole pages, not backed before they are touched; NULL when there are none. */
void *cps_arena_pages(size_t bytes);

/* [signal] Give pages back. NULL is allowed. */
void cps_arena_unmap(void *pages, size_t bytes);

/* [signal] If the target has all its new memory locked (mlockall, MCL_FUTURE), unlock these new
 * pages: they are not the target's, but count against its limit. */
void cps_arena_unlock(void *pages, size_t bytes);

/* [signal] A copy of n bytes with a NUL behind them; NULL when there is no memory. */
char *cps_arena_copy(const char *bytes, size_t n);

/* ---- copy ------------------------------------------------------------------------------------ */
/*
 * Copies memory that may not be there.
 *
 * The kernel copies it (process_vm_readv), and fails where a load would end the process. A process
 * under a filter of system calls may be killed for this call. There the kernel is asked about each
 * page first, by a system call that every filter allows; and a page can go away between question
 * and load (doc/decisions/0045).
 */

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

/* ---- peek ------------------------------------------------------------------------------------ */
/*
 * Reads the target's stack without ever faulting.
 *
 * Between the interrupted stack pointer and the known top of the thread's stack everything is
 * mapped. There the words that unwind tables speak of are read directly. What is only guessed is
 * not: a page in the middle of a stack may be protected. Where the bounds are not known (alternate
 * stacks, coroutines), nothing is read directly (doc/decisions/0045).
 */

struct cps_peek_copy;

struct cps_peek {
	uintptr_t low, high;	    /* the stack is [low, high); 0, 0: nothing is known */
	uintptr_t direct;	    /* bytes from `low` on that may be read directly */
	bool is_guess;		    /* the walk does not follow unwind tables any more */
	struct cps_peek_copy *copy; /* of the page that was read last otherwise */
};

/* A copy of one page of memory. */
struct cps_peek_copy {
	uintptr_t page; /* its address; 0: none */
	uint64_t word[512];
};

/* [signal] Whatever is read from now on is a guess: nothing is read directly. */
static inline void cps_peek_guess(struct cps_peek *k)
{
	k->direct = 0;
	k->is_guess = true;
}

/* [signal] The walk has left the stack whose bounds were known. */
static inline void cps_peek_leave(struct cps_peek *k)
{
	k->low = k->high = k->direct = 0;
}

/* [signal] Read eight bytes at an aligned address that must not be read directly. */
bool cps_peek_copied(const struct cps_peek *k, uintptr_t address, uint64_t *value);

/* [signal] Read eight bytes at an aligned address. False if they cannot be read. */
static inline bool cps_peek(const struct cps_peek *k, uintptr_t address, uint64_t *value)
{
	if (address & 7)
		return false;
	if (address - k->low >= k->direct)
		return cps_peek_copied(k, address, value);
	*value = *(const volatile uint64_t *)address;
	return true;
}

#endif
