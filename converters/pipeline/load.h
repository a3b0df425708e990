/* SPDX-License-Identifier: MIT */
/*
 * load.h - makes profiles of files.
 *
 * In: files, options. Out: profiles. On several cores several files are read at a time. That
 * changes neither the profiles nor the errors.
 */
#ifndef LOAD_H
#define LOAD_H

#include "options/options.h"
#include "pipeline/sources.h"

enum load_as {
	LOAD_AS_ONE,	  /* inputs of different resources are an error */
	LOAD_BY_RESOURCE, /* each resource has a profile of its own */
};

/* *list becomes an array of *n profiles, of which there is at least one. The caller frees the
 * profiles and the array. -1: there is nothing to be freed. */
int load_profiles(const struct sources *from, struct options *opt, enum load_as as,
		  struct profile ***list, size_t *n, struct error *err);

#endif
