/* SPDX-License-Identifier: MIT */
/*
 * modules.h - the modules of all inputs, each once, and the numbers that the current input gave
 * them.
 *
 * An input may mention a number before the record that says what it means, so numbers are resolved
 * when the input is over.
 */
#ifndef MODULES_H
#define MODULES_H

#include "model/profile.h"
#include "read/event.h"

struct modules;

struct modules *modules_new(void); /* NULL: out of memory */
void modules_free(struct modules *m);

/* A module event of the current input. -1: memory, or another event gave that number to another
 * module; `file` is for the message. */
int modules_describe(struct modules *m, struct strings *strings, const struct event_module *record,
		     const char *file, struct error *err);

/* The index, in the list of all modules, of the module that the current input calls `id`. Modules
 * are the same if path, build id and is_vdso are. A number that no event described is a module
 * without path. PROFILE_NO_MODULE: memory is out. */
uint32_t modules_resolve(struct modules *m, uint32_t id);

/* Where the current input has the module with that number: address = virtual address + *bias. False: no event
 * has described it. */
bool modules_bias(const struct modules *m, uint32_t id, uint64_t *bias);

/* The current input is over: list its modules, each once, described ones first. The caller frees
 * *list. */
int modules_close(struct modules *m, uint32_t **list, size_t *n, struct error *err);

/* Move the modules of `other`, which is of no use then, to the list of m. `strings` translates
 * the numbers of their texts. *map has the index that each module got; the caller frees it. -1:
 * memory. */
int modules_join(struct modules *m, struct modules *other, const uint32_t *strings, uint32_t **map);

/* Hand the list of all modules over to the caller. */
void modules_take(struct modules *m, struct profile_module **list, size_t *n);

#endif
