/* SPDX-License-Identifier: MIT */
/*
 * elf_section.h - whole sections of an ELF file, as they were before they were compressed.
 */
#ifndef ELF_SECTION_H
#define ELF_SECTION_H

#include "elf/elf_file.h"

/* The first section of that name with bytes in the file, compressed or not; or NULL. */
const Elf64_Shdr *elf_section_named(const struct elf_file *f, const char *name);

/* How many bytes elf_section_read writes; 0 if the section cannot be used. */
uint64_t elf_section_bytes(const struct elf_file *f, const Elf64_Shdr *s);

/* Read the section, decompressed. 0; -ENODATA if the file does not have what it promised; -EIO;
 * -ENOMEM. */
int elf_section_read(const struct elf_file *f, const Elf64_Shdr *s, unsigned char *to);

#endif
