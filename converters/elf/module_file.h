/* SPDX-License-Identifier: MIT */
/*
 * module_file.h - the files on disk that belong to a recorded module.
 */
#ifndef MODULE_FILE_H
#define MODULE_FILE_H

#include "base/error.h"
#include "elf/elf_file.h"
#include "elf/file_search.h"
#include "model/profile.h"

struct module_file {
	struct elf_file main;  /* the program or library itself, or the vDSO */
	struct elf_file debug; /* the separate debug file; closed if there is none, or no need */
	bool has_debug;
	/* If debug information is wanted: the file that has it, or NULL; and the file with the part
	 * that it shares with other modules, or NULL. */
	const struct elf_file *debug_info, *debug_shared;
	struct elf_file shared;
};

/*
 * Finds the files of a module, and those with its debug information if that is wanted, and makes
 * sure that they are the files that ran. Returns 1; 0 if there is no such file, and then the warning
 * says why; -1 if memory is out. The warning may also be set with 1; warning->is_set tells.
 */
int module_file_open(struct module_file *m, const struct profile *p, uint32_t module,
		     const struct file_search *where, bool wants_debug, struct error *warning);
void module_file_close(struct module_file *m);

#endif
