/* SPDX-License-Identifier: MIT */
/*
 * elf_memory.h - segments, build id and unwind information of a file in memory.
 */
#ifndef CPS_ELF_MEMORY_H
#define CPS_ELF_MEMORY_H

#include <stddef.h>
#include <stdint.h>

#include "unwind/module.h"

/* [signal] Fill in what the n program headers say. The module's bias must be set. -1: the headers
 * are of no use, or there is no memory. */
int cps_elf_memory_read(struct cps_module *m, const void *headers, size_t n);

/* [signal] The build id in a note segment, which must be readable. NULL: there is none. */
const uint8_t *cps_elf_memory_build_id(const uint8_t *note, size_t bytes, uint32_t *id_bytes);

#endif
