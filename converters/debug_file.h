/* SPDX-License-Identifier: MIT */
/*
 * debug_file.h - the separate file that holds what was stripped from a module.
 */
#ifndef DEBUG_FILE_H
#define DEBUG_FILE_H

#include "elf_file.h"
#include "error.h"
#include "symbols.h"

/*
 * Open the debug file of `main`, which is at `path`: by build id, then by .gnu_debuglink. Files of
 * another build are passed over. 1; 0 if there is none; -ENOMEM. `warning` is set if one is broken.
 */
int debug_file_open(struct elf_file *debug, const struct elf_file *main, const char *path,
		    const struct symbols_options *opt, struct error *warning);

#endif
