/* SPDX-License-Identifier: MIT */
/*
 * live.h - knows which sampled blocks of memory have not been freed yet.
 *
 * Each sampled block has a number, unique in the process, which its sample has, too. A filter stands before
 * the table of blocks, so that most calls of free cost two loads and a branch. Nothing here waits: any
 * number of threads may call at once. In a child made by fork all is empty, because the kernel clears
 * the memory there.
 */
#ifndef CPS_LIVE_H
#define CPS_LIVE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CPS_LIVE_FILTER_BITS 16

/* How many blocks have an address with this hash; NULL: blocks are not followed. */
extern _Atomic(_Atomic uint8_t *) cps_live_filter;

/* [signal] */
static inline uint64_t cps_live_hash(const void *block)
{
	return (uint64_t)(uintptr_t)block * UINT64_C(0x9e3779b97f4a7c15);
}

/* [signal] Whether the block may be one that was sampled. */
static inline bool cps_live_may_have(const void *block)
{
	_Atomic uint8_t *filter = atomic_load_explicit(&cps_live_filter, memory_order_relaxed);

	return filter &&
	       __builtin_expect(
		       atomic_load_explicit(
			       &filter[cps_live_hash(block) >> (64 - CPS_LIVE_FILTER_BITS)],
			       memory_order_relaxed) != 0,
		       0);
}

/* [outside] Begin and end to follow blocks. 0 or -errno. */
int cps_live_begin(void);
/* [outside] */
void cps_live_end(void);

/* [signal] The block is to be sampled, and followed from here on. Returns its number; 0: there is no room, or blocks
 * are not followed. */
uint64_t cps_live_add(const void *block);

/* [signal] Follow the block no more. Returns its number; 0: it has none. To be called before it is freed, because
 * another thread may get the same address at once. */
uint64_t cps_live_take(const void *block);

/* [signal] It was not freed after all. */
void cps_live_put_back(const void *block, uint64_t number);

/* [signal] The block with this number was freed: that becomes a record, with others. errno stays as it is. */
void cps_live_freed(uint64_t number);

#endif
