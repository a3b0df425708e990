/* SPDX-License-Identifier: MIT */
/*
 * unlisted.h - knows code that the loader does not list.
 *
 * This is code that the target has generated; and code of a loaded file that was mapped a second time, as V8
 * does with its builtins. The kernel is asked (mapping.h) when an address is met that is nowhere. What it
 * says is remembered, also that there is no code. Asking takes no more than a hundredth of the time
 * (doc/decisions/0063).
 */
#ifndef CPS_UNLISTED_H
#define CPS_UNLISTED_H

#include <stdbool.h>
#include <stdint.h>

/* [signal] The number of the module whose code lies at the address by a mapping of the target's own; or
 * CPS_MODULE_NONE. The loader has said that it lists none there. */
uint32_t cps_unlisted_find(uintptr_t pc);

/* [signal] Whether the address lies in executable memory that the loader does not list. */
bool cps_unlisted_is_code(uintptr_t pc);

/* [signal] Look whether what was found before is still there: a part of it with each call. To be called now
 * and then. */
void cps_unlisted_check(void);

#endif
