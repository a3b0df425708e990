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

/* A module record of the current input. -1: memory, or another record gave that number to another
 * module; `file` is for the message. */
int modules_describe(struct modules *m, struct strings *strings, const struct event_module *record,
		     const char *file, struct error *err);

/* The index in the list of all modules of the one that the current input calls `id`: the same for
 * equal path, build id and vDSO-ness. Without a record, a module without path. PROFILE_NO_MODULE
 * when memory is out. */
uint32_t modules_resolve(struct modules *m, uint32_t id);

/* The current input is over: its modules, described ones first, each once. *list is the caller's. */
int modules_close(struct modules *m, uint32_t **list, size_t *n, struct error *err);

/* The list of all modules of `other`, whose strings have got other numbers, joins that of m, and is
 * of no use then. *map is the caller's: which index each has got. -1: memory. */
int modules_join(struct modules *m, struct modules *other, const uint32_t *strings, uint32_t **map);

/* Hand the list of all modules over. */
void modules_take(struct modules *m, struct profile_module **list, size_t *n);

#endif
