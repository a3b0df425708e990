/* SPDX-License-Identifier: MIT */
/*
 * mini_debug.h - reads the symbols that some distributions leave in stripped programs.
 *
 * In: an ELF file. Out: the ELF file in its section .gnu_debugdata, which has the symbols of functions and
 * nothing else, compressed by xz.
 */
#ifndef MINI_DEBUG_H
#define MINI_DEBUG_H

#include "elf/elf_file.h"

/*
 * Unpack and open that file. *image is what it is read from, to be freed after it is closed. Returns
 * 1; 0 if the section is missing or damaged; -ENOMEM.
 */
int mini_debug_open(struct elf_file *mini, unsigned char **image, const struct elf_file *main);

#endif
