/* SPDX-License-Identifier: MIT */
/*
 * file_name.h - the name of a recording that replaces no other.
 */
#ifndef CPS_FILE_NAME_H
#define CPS_FILE_NAME_H

#include <stdbool.h>
#include <stddef.h>

/* [signal] Compose `stem` + `suffix`, or for n > 0 `stem` + ".n" + `suffix`. False: it does not fit. */
bool cps_file_name(char *path, size_t room, const char *stem, unsigned n, const char *suffix);

/* [signal] Make the directories of the path that are missing. An error shows when the file is created. */
void cps_file_name_make_directories(char *path);

#endif
