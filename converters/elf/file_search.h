/* SPDX-License-Identifier: MIT */
/*
 * file_search.h - where the files of modules are looked for.
 */
#ifndef FILE_SEARCH_H
#define FILE_SEARCH_H

/* The strings belong to whoever sets them. */
struct file_search {
	const char *sysroot;   /* prefix for module paths and /usr/lib/debug, or NULL */
	const char *debug_dir; /* as it is, instead of SYSROOT/usr/lib/debug; or NULL */
};

#endif
