/* SPDX-License-Identifier: MIT */
/*
 * left_over.c - credits what threads were due and could not be credited with before their end.
 *
 * In: threads that end, or the end of the recording. Out: credits without a place.
 */
#include <stdatomic.h>
#include <stddef.h>

#include "base/sys.h"
#include "resource/left_over.h"
#include "resource/resource.h"
#include "resource/sleeper.h"
#include "stream/denied.h"
#include "base/poison.h"

static _Atomic uint64_t kept[CPS_THREAD_POINTS]; /* gticks of each resource */

void cps_left_over_keep(uint32_t number, uint64_t gticks)
{
	atomic_fetch_add(&kept[number], gticks);
}

uint64_t cps_left_over_kept(uint32_t number)
{
	return atomic_load(&kept[number]);
}

void cps_left_over_reset(void)
{
	for (uint32_t i = 0; i < CPS_THREAD_POINTS; i++)
		atomic_store(&kept[i], 0);
}

void cps_left_over_credit(struct cps_thread *t, uint32_t number, uint32_t state, uint64_t gticks)
{
	struct cps_credit credit;

	gticks += atomic_exchange(&kept[number], 0);
	credit = cps_resource_credit(number, state, gticks);
	credit.is_tail = true;
	if (credit.weight && !cps_sleeper_take_nowhere(t, &credit))
		cps_left_over_keep(number, gticks);
}

/* Less than a grain is no sample's weight. */
static void credit_point(struct cps_thread *t, uint32_t number)
{
	uint64_t grain = cps_resource_grain(number), rest = t->points[number].rest;

	rest = rest < grain ? 0 : rest;
	t->points[number].rest -= rest;
	if (rest || cps_left_over_kept(number))
		cps_left_over_credit(t, number, 0, rest);
}

void cps_left_over_hand_on(struct cps_thread *t)
{
	uint64_t mask = cps_sys_block_signals();

	for (uint32_t i = 0; i < CPS_THREAD_POINTS; i++)
		if (cps_resource_is_counted(i) && !cps_resource_of(i)->part)
			credit_point(t, i);
	cps_sys_set_mask(mask);
}

void cps_resource_credit_rest_of(struct cps_thread *t, void *context)
{
	(void)context;
	for (uint32_t i = 0; i < CPS_THREAD_POINTS; i++)
		if (cps_resource_is_counted(i) && cps_resource_of(i)->credit_rest)
			cps_resource_of(i)->credit_rest(t);
}

static void hand_on(struct cps_thread *t, void *context)
{
	(void)context;
	cps_left_over_hand_on(t);
}

void cps_resource_credit_rest(void)
{
	cps_thread_each(cps_resource_credit_rest_of, NULL);
	cps_thread_each(hand_on, NULL);
}

static bool is_worth(uint32_t i, uint64_t counted, uint64_t cpu_ns)
{
	const struct cps_resource *r = cps_resource_of(i);

	if (r->is_worth)
		return r->is_worth(counted, cpu_ns);
	if (r->any_is_worth)
		return counted > 0;
	switch (r->kind) {
	case CPS_RESOURCE_TIME:
		return counted >= CPS_RECORDING_WORTH_NS;
	case CPS_RESOURCE_BYTES:
		return counted >= CPS_RESOURCE_WORTH_BYTES;
	default:
		return counted >= CPS_RESOURCE_WORTH * cps_resource_interval(i);
	}
}

bool cps_resource_is_worth(uint64_t cpu_ns)
{
	uint32_t error;

	if (cps_recording_is_kept() || cpu_ns >= CPS_RECORDING_WORTH_NS || cps_denied_count(&error))
		return true;
	for (uint32_t i = 0; i < CPS_THREAD_POINTS; i++) {
		const struct cps_resource *r = cps_resource_of(i);

		if (cps_resource_was_started(i) && !r->part && !r->counted_by &&
		    is_worth(i, cps_atoms_counted(cps_resource_id(i)), cpu_ns))
			return true;
	}
	return false;
}
