/* SPDX-License-Identifier: MIT */
/*
 * elf_memory.h - reads the headers of a file where the loader has put it.
 */
#ifndef CPS_ELF_MEMORY_H
#define CPS_ELF_MEMORY_H

#include <stddef.h>
#include <stdint.h>

#include "unwind/module.h"

/* [signal] Fill in what the n program headers say; the module's bias is set. -1: nothing of use,
 * or no memory. */
int cps_elf_memory_take(struct cps_module *m, const void *headers, size_t n);

/* [signal] The build id in a note segment that can be read; NULL: there is none. */
const uint8_t *cps_elf_memory_build_id(const uint8_t *note, size_t bytes, uint32_t *id_bytes);

#endif
