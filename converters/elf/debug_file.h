/* SPDX-License-Identifier: MIT */
/*
 * debug_file.h - opens the separate file with the symbols and debug information that were stripped
 * from a module.
 *
 * In: the stripped file. Out: the opened debug file.
 */
#ifndef DEBUG_FILE_H
#define DEBUG_FILE_H

#include "base/error.h"
#include "elf/elf_file.h"
#include "elf/file_search.h"

/*
 * Open the debug file of `main`, which is searched by build id first, then by .gnu_debuglink, then on
 * servers (download.h).
 * Files of another build are ignored. Returns 1; 0 if there is no such file; -ENOMEM. `warning` is
 * set if a file is broken.
 */
int debug_file_open(struct elf_file *debug, const struct elf_file *main,
		    const struct file_search *where, struct error *warning);

/*
 * Open the file with the debug information that `of` shares with other modules. dwz(1) moves shared
 * information to a separate file, whose path it writes to .gnu_debugaltlink. Returns the same as
 * debug_file_open. `warning` is also set if `of` names such a file and the file is missing.
 */
int debug_file_open_shared(struct elf_file *shared, const struct elf_file *of,
			   const struct file_search *where, struct error *warning);

#endif
