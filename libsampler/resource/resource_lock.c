/* SPDX-License-Identifier: MIT */
/*
 * resource_lock.c - the time that threads wait for locks and events, of those who wait and of those who let them.
 *
 * In: nothing. Out: two lines of the table; lock.h has the rest, and door/ the calls.
 */
#include "resource/lock.h"
#include "resource/resource.h"
#include "base/poison.h"

static const char *const states[] = {"mutex", "rwlock", "condition", "semaphore",
				     "futex", "file",	NULL};
static const char *const blamed[] = {"mutex", "rwlock", "condition", "semaphore", "futex", NULL};

_Static_assert(sizeof(states) / sizeof(states[0]) == CPS_LOCK_STATES + 1, "lock.h has them");

static int start(uint64_t interval)
{
	(void)interval;
	return cps_lock_start();
}

const struct cps_resource cps_resource_lock = {
	.name = "lock",
	.unit = "ns",
	.engine = "calls",
	.about = "waiting for locks and conditions",
	.kind = CPS_RESOURCE_TIME,
	.interval = 1000000,
	.states = states,
	.with = &cps_resource_lock_blame,
	.start = start,
	.stop = cps_lock_stop,
	.disarm = cps_lock_disarm,
	.take_counted = cps_lock_take_counted,
	.credit_rest = cps_lock_credit_rest,
};

const struct cps_resource cps_resource_lock_blame = {
	.name = "lock-blame",
	.unit = "ns",
	.engine = "calls",
	.about = "with lock: who lets others wait",
	.kind = CPS_RESOURCE_TIME,
	.interval = 1000000,
	.states = blamed,
	.with = &cps_resource_lock,
};
