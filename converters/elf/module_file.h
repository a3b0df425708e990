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
	/* If debug information is wanted: the file that has it, or NULL; and what that shares with
	 * others, likewise. */
	const struct elf_file *debug_info, *debug_shared;
	struct elf_file shared;
};

/*
 * Find the files of a module, for debug information too if that is wanted, and make sure that they
 * are the ones that ran. 1; 0 if there is none
 * (then the warning says so); -1 out of memory. The warning may be set in any case, its text is
 * empty if not.
 */
int module_file_open(struct module_file *m, const struct profile *p, uint32_t module,
		     const struct file_search *where, bool wants_debug, struct error *warning);
void module_file_close(struct module_file *m);

#endif
