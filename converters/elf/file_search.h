/* SPDX-License-Identifier: MIT */
/*
 * file_search.h - the directories in which the files of modules are searched.
 *
 * In: the command line. Out: struct file_search.
 */
#ifndef FILE_SEARCH_H
#define FILE_SEARCH_H

/* The strings are borrowed; their owner is the code that sets them. */
struct file_search {
	const char *sysroot;   /* prefix for module paths and /usr/lib/debug, or NULL */
	const char *debug_dir; /* as it is, instead of SYSROOT/usr/lib/debug; or NULL */
};

#endif
