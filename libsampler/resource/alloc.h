/* SPDX-License-Identifier: MIT */
/*
 * alloc.h - what is allocated, and what of it is still there.
 */
#ifndef CPS_ALLOC_H
#define CPS_ALLOC_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arch/arch.h"
#include "resource/resource.h"
#include "resource/state.h"
#include "stream/thread.h"

/* ---- live ------------------------------------------------------------------------------------ */
/*
 * Knows which sampled blocks of memory have not been freed yet.
 *
 * Each sampled block has a number, unique in the process, which its sample has, too. A filter
 * stands before the table of blocks, so that most calls of free cost two loads and a branch.
 * Nothing here waits: any number of threads may call at once. In a child made by fork all is empty,
 * because the kernel clears the memory there.
 */

#define CPS_LIVE_FILTER_BITS 16

/* How many blocks have an address with this hash; NULL: blocks are not followed. */
extern _Atomic(_Atomic uint8_t *)
	cps_live_filter; /* Order: who frees a block got it from who has put it in before */

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
/* [outside] Another recording begins in the process: forget all blocks. */
void cps_live_reset(void);

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

/* ---- alloc ----------------------------------------------------------------------------------- */
/*
 * Counts allocations of memory: bytes and calls.
 *
 * The wrappers of malloc and the like (wrap/wrap_alloc.c) call what is here after the call that
 * they wrap, since only then it is known whether there is a block.
 */

/* Whether any of the resources that allocations count in is counted now. */
extern atomic_bool cps_alloc_is_on; /* Order: a flag by itself: who counts looks at the resource */

/* [signal] */
static inline bool cps_alloc_is_counted(void)
{
	return __builtin_expect(atomic_load_explicit(&cps_alloc_is_on, memory_order_relaxed), 0);
}

/* [signal] To be called before an allocation, for the call below. */
static inline int64_t cps_alloc_begin(void)
{
	if (!cps_thread_has_points())
		cps_thread_arrive();
	return cps_thread_points[CPS_RESOURCE_OF_alloc].left;
}

/* [signal] The slow path of cps_alloc_add: some interval has ended in this block. errno stays as it is. */
void cps_alloc_sample(const void *block);

/* [signal] The calling thread has got this block. NULL: it has not. An allocation that was counted meanwhile is the
 * same one: some allocators have a calloc that calls malloc. That is noticed without a mark of its own,
 * by what was left of the interval when this one began. */
static inline void cps_alloc_add(void *block, size_t bytes, int64_t before)
{
	struct cps_point *all = &cps_thread_points[CPS_RESOURCE_OF_alloc];
	struct cps_point *calls = &cps_thread_points[CPS_RESOURCE_OF_allocs];
	bool is_used_up;

	if (__builtin_expect(!block || all->left != before, 0))
		return;
	is_used_up = cps_single_subtract(&all->left, (int64_t)bytes);
	is_used_up |= cps_single_subtract(&calls->left, 1);
	if (__builtin_expect(is_used_up, 0))
		cps_alloc_sample(block);
}

/* [outside] What there is to be said of allocations in this process: a line for the resource, which must stay
 * valid. To be called before the resources begin. */
void cps_alloc_remark(const char *line);

#endif
