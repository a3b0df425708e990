/* SPDX-License-Identifier: MIT */
/*
 * alloc.h - counts allocations of memory: bytes and calls.
 *
 * The wrappers of malloc and the like (door/wrap_alloc.c) call what is here after the call that they wrap,
 * since only then it is known whether there is a block.
 */
#ifndef CPS_ALLOC_H
#define CPS_ALLOC_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/single.h"
#include "resource/resource.h"
#include "stream/thread.h"

/* Which of the resources that allocations count in are counted now: a bit for each. */
extern _Atomic uint32_t cps_alloc_uses;

/* [signal] */
static inline bool cps_alloc_is_counted(void)
{
	return __builtin_expect(atomic_load_explicit(&cps_alloc_uses, memory_order_relaxed) != 0,
				0);
}

/* [signal] To be called before an allocation, for the call below. */
static inline int64_t cps_alloc_begin(void)
{
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
