/* SPDX-License-Identifier: MIT */
/*
 * registered.h - knows the unwind information that the target has registered for code of its own making.
 *
 * Just-in-time compilers write .eh_frame for what they generate, so that C++ exceptions find their way, and
 * tell libgcc by __register_frame (wrap/wrap_frame.c). The sections are looked through when they are
 * registered. The handler searches what was noted, and reads the one description by the kernel, because a
 * section that is deregistered may be freed at once (doc/decisions/0070).
 */
#ifndef CPS_REGISTERED_H
#define CPS_REGISTERED_H

#include <stdbool.h>
#include <stdint.h>

#include "unwind/module.h"

/* A module that holds one description. It points into itself. */
struct cps_registered {
	struct cps_module module;
	struct cps_segment segment;
};

/* [signal] The module by which to unwind at an address of that one: as cps_module_listed, or, where there is
 * no table, what the target has registered, which is put into *registered. NULL: there is none. */
const struct cps_module *cps_registered_module(uint32_t number, uintptr_t *pc,
					       struct cps_registered *registered);

/* [signal] How many sections were ever noted. */
uint32_t cps_registered_count(void);

/* [signal] Note the section at `begin`. `key` says what it is deregistered by. Not for the handler: it waits
 * for other threads that do the same, for a second at most. If that was in vain nothing is known any more. */
void cps_registered_add(uintptr_t key, uintptr_t begin);

/* [signal] Forget all sections of that key, before they are freed. Not for the handler. */
void cps_registered_drop(uintptr_t key);

/* [signal] For a child made by fork. */
void cps_registered_reset(void);

#endif
