/* SPDX-License-Identifier: MIT */
/*
 * sources_newest.c - finds the newest recording in the current directory.
 *
 * In: the current directory. Out: the name of a file.
 */
#include "pipeline/sources.h"

#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "libsampler/format.h"

static bool is_newer(const struct stat *a, const char *a_name, const struct stat *b,
		     const char *b_name)
{
	if (a->st_mtim.tv_sec != b->st_mtim.tv_sec)
		return a->st_mtim.tv_sec > b->st_mtim.tv_sec;
	if (a->st_mtim.tv_nsec != b->st_mtim.tv_nsec)
		return a->st_mtim.tv_nsec > b->st_mtim.tv_nsec;
	return strcmp(a_name, b_name) > 0;
}

bool sources_is_recording(const char *name, struct stat *st)
{
	size_t n = strlen(name), suffix = strlen(CPS_SUFFIX);

	return n > suffix && strcmp(name + n - suffix, CPS_SUFFIX) == 0 && stat(name, st) == 0 &&
	       S_ISREG(st->st_mode);
}

char *sources_newest(struct error *err)
{
	DIR *directory = opendir(".");
	struct dirent *entry;
	struct stat st, best_st = {0};
	char *best = NULL;

	if (!directory) {
		error_set(err, ".: %s", strerror(errno));
		return NULL;
	}
	while ((entry = readdir(directory))) {
		char *name;

		if (!sources_is_recording(entry->d_name, &st) ||
		    (best && !is_newer(&st, entry->d_name, &best_st, best)))
			continue;
		name = strdup(entry->d_name);
		if (!name)
			break;
		free(best);
		best = name;
		best_st = st;
	}
	closedir(directory);
	if (!best)
		error_set(err,
			  "no FILE given, and no *.cps file in the current directory: cpsample "
			  "PROGRAM makes one (a program that used less than a tick leaves "
			  "none)");
	return best;
}
