/* SPDX-License-Identifier: MIT */
/*
 * displaced.c - notes when our handler is not in its place.
 *
 * In: the beginning and the end of such a moment. Out: whether there was one during a call.
 *
 * Order: the moment's beginning is stored before it is counted, and its end counted before that is stored; both are looked
 * at the other way round. So if neither says that there was a moment, there was none.
 */
#include "base/moment.h"
#include "signal/displaced.h"
#include "base/poison.h"

#define LONGEST UINT64_C(1000000000) /* ns */

_Atomic uint32_t cps_displaced_changes;
static _Atomic uint64_t begun_at; /* 0: our handler is in its place */

void cps_displaced_begin(void)
{
	atomic_store(&begun_at, cps_moment_ns());
	atomic_fetch_add(&cps_displaced_changes, 1);
}

void cps_displaced_end(void)
{
	atomic_fetch_add(&cps_displaced_changes, 1);
	atomic_store(&begun_at, 0);
}

bool cps_displaced_since(uint32_t then)
{
	uint64_t begun = atomic_load(&begun_at);

	return cps_displaced_now() != then || (begun && cps_moment_ns() - begun < LONGEST);
}
