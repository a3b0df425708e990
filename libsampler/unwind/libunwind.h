/* SPDX-License-Identifier: MIT */
/*
 * libunwind.h - another unwinder: libunwind, a second opinion (doc/decisions/0066).
 *
 * libunwind reads the target as it would read another process: registers, memory and unwind tables
 * come from functions of ours. So it never asks the loader, reads nothing directly that the native unwinder would not, and keeps
 * nothing that a libunwind of the target's could see. What it does by itself are locks of its own, which
 * one thread at a time comes to, and mmap when its pools grow.
 */
#ifndef CPS_LIBUNWIND_H
#define CPS_LIBUNWIND_H

#include <stdbool.h>

#include "unwind/libunwind_api.h"
#include "unwind/unwinder.h"

#define CPS_UNWINDER_LIBUNWIND "libunwind"

/* [signal] */
extern const struct cps_unwinder cps_unwinder_libunwind;

/* [signal] The functions that libunwind is to call. */
extern struct cps_libunwind_accessors cps_libunwind_accessors;

/* [signal] To be called before the unwinder is used: libunwind's functions, and the address space that
 * they have made of the accessors. */
void cps_libunwind_begin(const struct cps_libunwind_calls *calls, void *space);

/* [signal] For the function sigprocmask, which is to do nothing if its return address belongs to
 * libunwind at work for us in this thread. libunwind blocks signals around its locks, and would allow
 * signal 32 in the handler when it sets the mask again. Nobody contends for the locks. */
bool cps_libunwind_calls_for(uintptr_t caller);

/* [signal] Whether that function has ever been called by libunwind. */
bool cps_libunwind_has_asked(void);

/* [signal] For a child made by fork. False: another thread of the parent was just using libunwind, whose
 * locks stay locked in the child for ever. */
bool cps_libunwind_reset(void);

#endif
