/* SPDX-License-Identifier: MIT */
/*
 * scratch.h - a directory for the files of a harness, which is removed when the harness ends.
 */
#ifndef FUZZ_SCRATCH_H
#define FUZZ_SCRATCH_H

#include <ftw.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

static char scratch[] = "/tmp/cps-fuzz-XXXXXX";

static inline int scratch_remove_entry(const char *name, const struct stat *st, int flag,
				       struct FTW *ftw)
{
	(void)st, (void)flag, (void)ftw;
	return remove(name);
}

static inline void scratch_remove(void)
{
	nftw(scratch, scratch_remove_entry, 4, FTW_DEPTH | FTW_PHYS);
}

/* Make the directory. `scratch` is its path from then on. */
static inline bool scratch_make(void)
{
	return mkdtemp(scratch) && atexit(scratch_remove) == 0;
}

/* Write a file of these bytes, one after the other. */
static inline bool scratch_write(const char *path, const void *head, size_t n_head,
				 const void *rest, size_t n_rest)
{
	bool ok;
	FILE *f;

	remove(path); /* ext4 writes a file that is overwritten to disk at once */
	f = fopen(path, "wb");
	if (!f)
		return false;
	ok = fwrite(head, 1, n_head, f) == n_head && fwrite(rest, 1, n_rest, f) == n_rest;
	return fclose(f) == 0 && ok;
}

#endif
