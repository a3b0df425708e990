/* SPDX-License-Identifier: MIT */
/*
 * symbol_scope.h - finds the function to which the loader would bind a call that it binds when it is first made.
 */
#ifndef CPS_SYMBOL_SCOPE_H
#define CPS_SYMBOL_SCOPE_H

#include <link.h>
#include <stdbool.h>
#include <stdint.h>

#include "process/find.h"

/* Find the files that are never unloaded. To be called once, at the start. False: the loader has not relocated all
 * of them yet. */
bool cps_symbol_scope_begin(void);

/* Call f for each of them, but not for the vDSO. */
void cps_symbol_scope_each(void (*f)(const struct link_map *map));

/* Call f for each of those that were opened before the start, as it is done by dlopen. They stay meanwhile. */
void cps_symbol_scope_each_opened(void (*f)(const struct link_map *map));

/* Whether the file is never unloaded. */
bool cps_symbol_scope_is_lasting(const struct link_map *map);

/* Whether the file, which is loaded, is in the program's namespace. */
bool cps_symbol_scope_is_program(const struct link_map *map);

/* The function for symbol i of the file, which may be a reference. 0: it cannot be said without the loader, or only in
 * a way that would change the program. A file that can be unloaded stays loaded meanwhile. */
uintptr_t cps_symbol_scope_resolve(const struct link_map *map, const struct cps_loaded *file,
				   uint32_t i);

/* The program opens files whose own definitions come first (RTLD_DEEPBIND). */
void cps_symbol_scope_note_deep(void);

#endif
