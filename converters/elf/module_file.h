/* SPDX-License-Identifier: MIT */
/*
 * module_file.h - opens the files of a recorded module: its own, its debug file, those of servers.
 */
#ifndef ELF_MODULE_FILE_H
#define ELF_MODULE_FILE_H

#include <stddef.h>

#include "base/stop.h"
#include "elf/elf_file.h"
#include "model/profile.h"

/* ---- download -------------------------------------------------------------------------------- */
/*
 * Gets files of modules from debuginfod servers.
 *
 * In: a build id. Out: a file, in the cache that libdebuginfod keeps.
 *
 * Nothing is asked unless the variable DEBUGINFOD_URLS of the environment names servers. The
 * library is loaded only then (decision 90).
 */

/* Set a function that gets a line about each download, such as "downloading libx.so: 3.1 of 7.0 MB"; NULL:
 * none. */
void download_observe(void (*progress)(const char *text));

/* ---- file search ----------------------------------------------------------------------------- */
/*
 * The directories in which the files of modules are searched.
 *
 * In: the command line. Out: struct file_search.
 */

/* The strings are borrowed; their owner is the code that sets them. */
struct file_search {
	const char *sysroot;   /* prefix for module paths and /usr/lib/debug, or NULL */
	const char *debug_dir; /* as it is, instead of SYSROOT/usr/lib/debug; or NULL */
};

/* ---- module file ----------------------------------------------------------------------------- */
/*
 * Opens the files on disk that belong to a recorded module.
 *
 * In: a module of the profile. Out: its opened files.
 */

struct module_file {
	struct elf_file main; /* the program or library itself, or the vDSO */
	struct elf_file
		debug; /* the separate debug file; closed if there is none or none is needed */
	bool has_debug;
	/* The file that has the debug information, and the file with the part of it that several
	 * modules share. Each is NULL if there is none, or if no debug information is wanted. */
	const struct elf_file *debug_info, *debug_shared;
	struct elf_file shared;
	/* The symbols that a stripped file has inside (elf_file.h), if there is no debug file. */
	struct elf_file mini;
	bool has_mini;
	unsigned char *mini_image;
};

/*
 * Open the files of a module, with those of its debug information only if `wants_debug` is set, and
 * make sure that they are the files that ran. Returns 1; 0 if there is no such file, and the
 * warning says why; -1 if memory is out. The warning may also be set if 1 is returned, which
 * warning->is_set shows.
 */
int module_file_open(struct module_file *m, const struct profile *p, uint32_t module,
		     const struct file_search *where, bool wants_debug, struct error *warning);
void module_file_close(struct module_file *m);

#endif
