/* SPDX-License-Identifier: MIT */
/*
 * debug_file.h - the separate file that holds what was stripped from a module.
 */
#ifndef DEBUG_FILE_H
#define DEBUG_FILE_H

#include "base/error.h"
#include "elf/elf_file.h"
#include "elf/file_search.h"

/*
 * Opens the debug file of `main`, which is looked for by build id first and then by .gnu_debuglink.
 * Files of another build are passed over. Returns 1; 0 if there is no such file; -ENOMEM. `warning`
 * is set if a file is broken.
 */
int debug_file_open(struct elf_file *debug, const struct elf_file *main,
		    const struct file_search *where, struct error *warning);

/*
 * Opens the file with the debug information that `of` shares with other modules: dwz(1) moves it
 * to a file of its own and leaves its path in .gnu_debugaltlink. Returns what debug_file_open does.
 * `warning` is also set if `of` names such a file and it is not there.
 */
int debug_file_open_shared(struct elf_file *shared, const struct elf_file *of,
			   const struct file_search *where, struct error *warning);

#endif
