/* SPDX-License-Identifier: MIT */
/*
 * bytes.h - counts the bytes that wrapped calls have transferred, for the resources read and write.
 */
#ifndef CPS_BYTES_H
#define CPS_BYTES_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "resource/point.h"

/* Whether they are asked for. If not, wrappers that do nothing else are a load and a jump. */
extern atomic_bool cps_bytes_wanted;

/* To be called when resources are counted, in a child too: let the wrappers count, if read or write is asked for. */
void cps_bytes_begin(void);

/* To be called where the process ends by exit, before the recording ends. */
void cps_bytes_settle(void);

/* To be called when the recording ends: compare what was counted with the kernel's count. */
void cps_bytes_end(void);

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
