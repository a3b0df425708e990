/* SPDX-License-Identifier: MIT */
/*
 * entry.h - refusals: on a machine of which only registers are known no code is entered from outside.
 */
#ifndef CPS_GENERIC_ENTRY_H
#define CPS_GENERIC_ENTRY_H

#include <stdint.h>

/* For signal handlers. */
#define CPS_REGS_HANDLER

/* What handlers return to is the kernel's. */
#define CPS_REGS_RESTORER _Static_assert(!CPS_SA_RESTORER, "there is one")

/* [signal] Nothing is timed by cycles. */
static inline uint64_t cps_entry_cycles(void)
{
	return 0;
}

/* syscall(2) is the C library's. */
#define CPS_REGS_SYSCALL(table, limited, chosen, real, early)                                      \
	_Static_assert(sizeof(table), "nobody looks there")
#define CPS_REGS_SYSCALL_MORE , long last
#define CPS_REGS_SYSCALL_LAST last

/* Frames are not moved to the target's stack for signals, so that this is the kernel's to use. */
#define CPS_REGS_HAS_RELAYS  0
#define CPS_REGS_RELAY_BYTES 1
#define CPS_REGS_RELAYS(relays, count, choose)                                                     \
	void relays(void)                                                                          \
	{                                                                                          \
	}                                                                                          \
	_Static_assert(count, "none of them is used")

/* Calls are not counted, neither those of all functions nor those of one. */
#define CPS_ENTRY_COUNTS_CALLS 0
#define CPS_ENTRY_CALL_HOOKS   _Static_assert(!CPS_ENTRY_COUNTS_CALLS, "there are none")
#define CPS_ENTRY_KEEPS

#define CPS_ENTRY_HAS_THUNKS  0
#define CPS_ENTRY_THUNK_BYTES 0
#define CPS_ENTRY_THUNKS(names, targets, looks, first, point_bytes)                                \
	__attribute__((visibility("hidden"))) const char cps_calls_thunks[1],                      \
		cps_calls_look_thunks[1]

/* [signal] */
static inline void cps_entry_measure_vectors(void)
{
}

/* [signal] */
static inline void cps_entry_keep_vectors(void (*f)(void *), void *argument)
{
	f(argument);
}

#endif
