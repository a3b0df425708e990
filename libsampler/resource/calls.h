/* SPDX-License-Identifier: MIT */
/*
 * calls.h - counts calls that are led through thunks.
 *
 * A thunk is a piece of code that counts and then jumps to the function, with all registers and the stack as
 * the caller has left them. The thunks are part of this library, since memory that is both written and
 * executed is not had everywhere; what each leads to stands in a table. One that was given away is never
 * taken back: wherever its address is kept, it goes on leading to its function.
 */
#ifndef CPS_CALLS_H
#define CPS_CALLS_H

#include <stdbool.h>
#include <stdint.h>

#include "resource/resource.h"

#define CPS_CALLS_TARGETS                                                                          \
	32 /* functions of one name that may be called: libraries have their own */
#define CPS_CALLS_LOOKS 8

/* [signal] The address of a thunk that counts for the function of this number, from 0 on, among those that are
 * wanted, and leads to `original`; its samples show `leaf` as what was called. 0: there is none left. Not from two
 * threads at once. */
uintptr_t cps_calls_thunk(uint32_t symbol, uintptr_t original, uintptr_t leaf);

/* [signal] The address of one that calls look(which, first, second) before it leads to `original`, with the first two
 * arguments of the call. 0: there is none left. */
uintptr_t cps_calls_look(uint32_t which, uintptr_t original);
/* [signal] Sets that function. */
void cps_calls_set_look(void (*look)(uint32_t which, uintptr_t first, uintptr_t second));

/* [signal] Whether the address is that of a thunk; of one that calls look(). */
bool cps_calls_is_thunk(uintptr_t address);
/* [signal] */
bool cps_calls_is_look(uintptr_t address);

/* [signal] Learn which registers the processor has. To be called before the first thunk is used. */
void cps_calls_prepare(void);

/* [outside] For the field of struct cps_resource. */
int cps_calls_start(uint64_t interval);

#endif
