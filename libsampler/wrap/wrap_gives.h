/* SPDX-License-Identifier: MIT */
/*
 * wrap_gives.h - defines the wrappers of calls that give locks back, or tell of events.
 */
#ifndef CPS_WRAP_GIVES_H
#define CPS_WRAP_GIVES_H

#include "wrap/eintr_restart.h"
#include "wrap/real.h"

/* A wrapper of name(type *object). If others wait for the object, the caller is blamed for it. While nobody does, and
 * while locks are not counted, it is a few loads and a jump. `missing` is what it returns if there is no such call. */
#define CPS_GIVES(name, type, state, missing)                                                      \
	static __attribute__((noinline)) int name##_wanted(type *object)                           \
	{                                                                                          \
		uint64_t blame = cps_lock_blame(object, state);                                    \
		int result = cps_real.name(object);                                                \
                                                                                                   \
		cps_lock_blamed(blame, state);                                                     \
		return result;                                                                     \
	}                                                                                          \
	CPS_EXPORT int name(type *object)                                                          \
	{                                                                                          \
		CPS_REAL_FIRST(name, missing);                                                     \
		return cps_lock_has_waiters(object, state) ? name##_wanted(object)                 \
							   : cps_real.name(object);                \
	}

#endif
