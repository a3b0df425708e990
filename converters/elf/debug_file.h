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
 * Open the debug file of `main`: by build id, then by .gnu_debuglink. Files of another build are
 * passed over. 1; 0 if there is none; -ENOMEM. `warning` is set if one is broken.
 */
int debug_file_open(struct elf_file *debug, const struct elf_file *main,
		    const struct file_search *where, struct error *warning);

/*
 * Open the file with what the debug information of `of` has in common with others: dwz(1) moves it
 * there and leaves .gnu_debugaltlink. Likewise; `warning` is set, too, if it should be there.
 */
int debug_file_open_shared(struct elf_file *shared, const struct elf_file *of,
			   const struct file_search *where, struct error *warning);

#endif
