/* SPDX-License-Identifier: MIT */
/*
 * bytes.h - counts the bytes of transfers, and of the C library's streams.
 */
#ifndef CPS_BYTES_H
#define CPS_BYTES_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "resource/point.h"

/* ---- bytes ----------------------------------------------------------------------------------- */
/*
 * Counts the bytes that wrapped calls have transferred, for the resources read and write.
 */

/* Whether they are asked for. If not, wrappers that do nothing else are a load and a jump. */
extern atomic_bool cps_bytes_wanted;

static inline bool cps_bytes_are_wanted(void)
{
	return __builtin_expect(atomic_load_explicit(&cps_bytes_wanted, memory_order_relaxed), 0);
}

/* The calling function's call has transferred so many bytes; a negative number is that of a call that has
 * failed. errno stays as it is. */
static inline void cps_bytes_pass(uint32_t resource, int64_t bytes)
{
	uint64_t weight = bytes > 0 ? cps_point_pass(resource, (uint64_t)bytes) : 0;

	if (__builtin_expect(weight != 0, 0))
		cps_resource_sample(resource, 0, weight);
}

static inline void cps_bytes_read(int64_t bytes)
{
	cps_bytes_pass(CPS_RESOURCE_OF_bytes_read, bytes);
}

static inline void cps_bytes_write(int64_t bytes)
{
	cps_bytes_pass(CPS_RESOURCE_OF_bytes_write, bytes);
}

static inline void cps_bytes_copy(int64_t bytes)
{
	cps_bytes_read(bytes);
	cps_bytes_write(bytes);
}

#endif
