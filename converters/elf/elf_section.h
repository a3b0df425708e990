/* SPDX-License-Identifier: MIT */
/*
 * elf_section.h - reads whole sections of an ELF file, and decompresses them if needed.
 *
 * In: an ELF file. Out: the bytes of a section.
 */
#ifndef ELF_SECTION_H
#define ELF_SECTION_H

#include "elf/elf_file.h"

/* The first section of that name that has bytes in the file, compressed or not; NULL if there is
 * none. */
const Elf64_Shdr *elf_section_named(const struct elf_file *f, const char *name);

/* Whether the section is compressed in a way that elf_section_read does not know, such as zstd. */
bool elf_section_is_foreign(const struct elf_file *f, const Elf64_Shdr *s);

/* The number of bytes that elf_section_read writes; 0 if the section cannot be used. */
uint64_t elf_section_bytes(const struct elf_file *f, const Elf64_Shdr *s);

/* Read the section, decompressed. Returns 0; -ENODATA if the file does not have the bytes that its
 * headers promise; -EIO; -ENOMEM. */
int elf_section_read(const struct elf_file *f, const Elf64_Shdr *s, unsigned char *to);

#endif
