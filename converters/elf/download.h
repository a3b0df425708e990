/* SPDX-License-Identifier: MIT */
/*
 * download.h - gets files of modules from debuginfod servers.
 *
 * In: a build id. Out: a file, in the cache that libdebuginfod keeps.
 *
 * Nothing is asked unless the variable DEBUGINFOD_URLS of the environment names servers. The library is
 * loaded only then (decision 90).
 */
#ifndef DOWNLOAD_H
#define DOWNLOAD_H

#include <stddef.h>

#include "base/stop.h"

enum download_what { DOWNLOAD_DEBUG, DOWNLOAD_PROGRAM };

/*
 * Get the file with that build id: the debug information of a module, or the module itself. `name` is
 * the module's, for whoever waits. Returns 1 with the path, which the caller frees; 0 if there
 * is none; -ENOMEM. The warning is set, once for all calls, if servers cannot be asked; from
 * then on none is.
 */
int download_file(enum download_what what, const unsigned char *id, size_t bytes, const char *name,
		  char **path, struct error *warning);

/* Set a function that gets a line about each download, such as "downloading libx.so: 3.1 of 7.0 MB"; NULL:
 * none. */
void download_observe(void (*progress)(const char *text));

#endif
