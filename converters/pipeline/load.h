/* SPDX-License-Identifier: MIT */
/*
 * load.h - files become profiles.
 *
 * In: files, options. Out: profiles. With several cores several files are read at a time;
 * what comes of it is the same, errors too.
 */
#ifndef LOAD_H
#define LOAD_H

#include "options/options.h"
#include "pipeline/sources.h"

enum load_as {
	LOAD_AS_ONE,	  /* inputs of different resources are an error */
	LOAD_BY_RESOURCE, /* a profile of each */
};

/* *list becomes an array of *n profiles, at least one; both are the caller's to free. -1: there is
 * nothing to be freed. */
int load_profiles(const struct sources *from, struct options *opt, enum load_as as,
		  struct profile ***list, size_t *n, struct error *err);

#endif
