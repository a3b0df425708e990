/* SPDX-License-Identifier: MIT */
/*
 * module_list.h - walks the loader's list of files.
 *
 * That is done once at the start. Later it is done only where the C library is too old to say in which
 * file an address lies: before glibc 2.35 (doc/decisions/0046). These have one list; those of other
 * namespaces cannot be found.
 */
#ifndef CPS_MODULE_LIST_H
#define CPS_MODULE_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* [signal] Put those files of the list into the table that are never unloaded (lasting.h). The headers are the main
 * program's. */
void cps_module_list_begin(const void *headers, size_t n);

/* [signal] As cps_module_find_now does. */
uint32_t cps_module_list_find(uintptr_t pc, bool *is_sure);

#endif
