/* SPDX-License-Identifier: MIT */
/*
 * off_switch.c - looks for the file that turns recording off.
 *
 * In: the time. Out: whether recording is to end.
 */
#include <stdatomic.h>
#include <stddef.h>
#include <unistd.h>

#include "base/sys.h"
#include "signal/off_switch.h"
#include "base/poison.h"

#define DISTANCE_NS UINT64_C(1000000000)

static const char *path;
static _Atomic uint64_t next_look; /* 0: look at once */
static atomic_bool is_off;

void cps_off_switch_set(const char *p)
{
	path = p;
}

bool cps_off_switch_is_on(void)
{
	return path && CPS_SYS(faccessat, AT_FDCWD, path, F_OK, 0) == 0;
}

bool cps_off_switch_was_seen(uint64_t now)
{
	uint64_t next = atomic_load_explicit(&next_look, memory_order_relaxed);

	if (now >= next && atomic_compare_exchange_strong(&next_look, &next, now + DISTANCE_NS) &&
	    cps_off_switch_is_on())
		atomic_store(&is_off, true);
	return atomic_load_explicit(&is_off, memory_order_relaxed);
}
