/* SPDX-License-Identifier: MIT */
/*
 * module_table.h - the table of loaded files, for those who put files into it.
 *
 * There is one writer at a time, by a flag that is tried and never waited for. Who reads it needs
 * module.h only.
 */
#ifndef CPS_MODULE_TABLE_H
#define CPS_MODULE_TABLE_H

#include <link.h>

#include "unwind/module.h"

/* [signal] Called once, before the first file is entered. */
void cps_module_table_begin(const struct cps_module_start *start);

/* [signal] The files that were entered until now are never unloaded; those to come may be. */
void cps_module_table_start(void);

/* [signal] Become the writer. False: there is one. */
bool cps_module_table_try(void);
/* [signal] */
void cps_module_table_release(void);

/* [signal] Whether the file is there and pc lies in the pages of one of its segments. */
bool cps_module_table_holds(uint32_t number, uintptr_t pc);

/* [signal] The number of the file that is never unloaded and holds pc, or CPS_MODULE_NONE. */
uint32_t cps_module_table_find_lasting(uintptr_t pc);

/* [signal] Whether the entry of the loader's list that lies at `map`, and has been copied to `l`, is still
 * the module's. It may have been freed and used again for another file. */
bool cps_module_table_is(const struct cps_module *m, const void *map, const struct link_map *l);

/* [signal] The number of the module whose entry that is, or CPS_MODULE_NONE. */
uint32_t cps_module_table_known(const void *map, const struct link_map *l);

/* [signal] Put its file into the table, if it is not known. For the writer. The number, or
 * CPS_MODULE_NONE: it cannot be read, or there is no room. */
uint32_t cps_module_table_enter(const void *map, const struct link_map *l, bool is_main);

/* [signal] Put a second mapping of the module's file into the table, which begins with that virtual address
 * of the file. For the writer. False: there is no room. */
bool cps_module_table_enter_twin(uint32_t of, uintptr_t start, uintptr_t end, uintptr_t vaddr);

/* [signal] Take out all files that are gone. For the writer. */
void cps_module_table_drop(bool (*is_gone)(const struct cps_module *m));

/* [signal] All that was learned about addresses is void. */
void cps_module_table_renew(void);

#endif
