/* SPDX-License-Identifier: MIT */
/*
 * wrap_count.c - what the program counts itself.
 *
 * In: calls of cpsample_count (cpsample.h). Out: points of the counter's resource, and samples.
 */
#include <errno.h>

#include "cpsample.h"
#include "door/door.h"
#include "resource/point.h"
#include "stream/atoms.h"

#define EXPORT __attribute__((visibility("default")))
#define OFF    UINT32_MAX /* a counter that is not recorded */

EXPORT unsigned cpsample_counter(const char *name)
{
	int saved = errno;
	uint32_t number;

	cps_door_open();
	number = name ? cps_resource_counter(name) : CPS_ATOMS_NONE;
	errno = saved;
	return number == CPS_ATOMS_NONE ? OFF : number + 1;
}

EXPORT void cpsample_add(unsigned counter, unsigned long long n)
{
	uint32_t number = counter - 1;
	uint64_t gticks;

	if (counter == OFF || number >= CPS_THREAD_POINTS || n > INT64_MAX / 4)
		return;
	gticks = cps_point_pass(number, n);
	if (gticks)
		cps_resource_sample(number, 0, gticks);
}
