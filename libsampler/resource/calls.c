/* SPDX-License-Identifier: MIT */
/*
 * calls.c - the thunks that count calls.
 *
 * In: what each leads to. Out: calls that pass the points of their resource, and samples.
 */
#include <stddef.h>

#include "arch/arch.h"
#include "resource/calls.h"
#include "resource/point.h"
#include "base/poison.h"

#define POINT_BYTES 56
#define THUNKS	    (CPS_CALLS_SYMBOLS * CPS_CALLS_TARGETS)

_Static_assert(sizeof(struct cps_point) == POINT_BYTES, "the thunks know it");
_Static_assert(offsetof(struct cps_point, left) == 0, "the thunks know it");

#define HIDDEN __attribute__((used, visibility("hidden")))

/* The thunks refer to what follows by name, and to cps_thread_points. */
HIDDEN uintptr_t cps_calls_originals[THUNKS];
HIDDEN uintptr_t cps_calls_look_originals[CPS_CALLS_LOOKS];
extern const char cps_calls_thunks[], cps_calls_look_thunks[];
void cps_calls_sample(uint32_t thunk);
void cps_calls_look_now(uint32_t i, uintptr_t first, uintptr_t second);

static uintptr_t leaves[THUNKS];
static uint32_t looks[CPS_CALLS_LOOKS];
static void (*look_at)(uint32_t which, uintptr_t first, uintptr_t second);

CPS_ENTRY_THUNKS(CPS_CALLS_SYMBOLS, CPS_CALLS_TARGETS, CPS_CALLS_LOOKS, CPS_CALLS_FIRST,
		 POINT_BYTES);

/* [signal] */
HIDDEN void cps_calls_sample(uint32_t thunk)
{
	uint32_t number = CPS_CALLS_FIRST + thunk / CPS_CALLS_TARGETS;
	uint64_t calls = cps_point_pass(number, 0);

	if (calls)
		cps_resource_sample_in(number, 0, calls, leaves[thunk]);
}

HIDDEN void cps_calls_look_now(uint32_t i, uintptr_t first, uintptr_t second)
{
	look_at(looks[i], first, second);
}

void cps_calls_prepare(void)
{
	cps_entry_measure_vectors();
}

static uintptr_t thunk_at(const char *first, uint32_t i)
{
	return (uintptr_t)first + (uintptr_t)i * CPS_ENTRY_THUNK_BYTES;
}

uintptr_t cps_calls_thunk(uint32_t symbol, uintptr_t original, uintptr_t leaf)
{
	uint32_t i = symbol * CPS_CALLS_TARGETS, end = i + CPS_CALLS_TARGETS;

	if (symbol >= CPS_CALLS_SYMBOLS)
		return 0;
	while (i < end && cps_calls_originals[i] && cps_calls_originals[i] != original)
		i++;
	if (i == end)
		return 0;
	leaves[i] = leaf;
	cps_calls_originals[i] = original;
	return thunk_at(cps_calls_thunks, i);
}

uintptr_t cps_calls_look(uint32_t which, uintptr_t original)
{
	uint32_t i = 0;

	while (i < CPS_CALLS_LOOKS && cps_calls_look_originals[i] &&
	       (cps_calls_look_originals[i] != original || looks[i] != which))
		i++;
	if (i == CPS_CALLS_LOOKS)
		return 0;
	looks[i] = which;
	cps_calls_look_originals[i] = original;
	return thunk_at(cps_calls_look_thunks, i);
}

void cps_calls_set_look(void (*look)(uint32_t which, uintptr_t first, uintptr_t second))
{
	look_at = look;
}

static bool is_in(uintptr_t address, const char *first, uint32_t n)
{
	return address - (uintptr_t)first < (uintptr_t)n * CPS_ENTRY_THUNK_BYTES;
}

bool cps_calls_is_look(uintptr_t address)
{
	return is_in(address, cps_calls_look_thunks, CPS_CALLS_LOOKS);
}

bool cps_calls_is_thunk(uintptr_t address)
{
	return is_in(address, cps_calls_thunks, THUNKS) || cps_calls_is_look(address);
}

/* Points of a child of fork, or of a recording that goes on, may be those that say "not counted". */
static void begin_anew(struct cps_thread *t, void *context)
{
	(void)context;
	for (uint32_t i = CPS_CALLS_FIRST; i < CPS_THREAD_POINTS; i++)
		if (!cps_state_of(t)->points[i].current)
			cps_state_of(t)->points[i].left = 0;
}

int cps_calls_start(uint64_t interval)
{
	(void)interval;
	cps_thread_each(begin_anew, NULL);
	return 0;
}
