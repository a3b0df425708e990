/* SPDX-License-Identifier: MIT */
/*
 * load.h - reads files into one profile, or into a profile for each resource.
 *
 * In: files, options. Out: profiles. On several cores several files are read at a time. That
 * changes neither the profiles nor the errors.
 */
#ifndef PIPELINE_LOAD_H
#define PIPELINE_LOAD_H

#include <stddef.h>
#include <stdint.h>

#include "model/builder_join.h"
#include "options/options.h"
#include "options/selection.h"
#include "pipeline/sources.h"

enum load_as {
	LOAD_AS_ONE,	  /* inputs of different resources are an error */
	LOAD_BY_RESOURCE, /* each resource has a profile of its own */
	LOAD_AS_COLUMNS,  /* each resource that was asked for is a column of one profile */
	LOAD_AS_RUNS,	  /* each run (sources.runs) is a column of one profile */
};

struct load_result {
	struct profile **list; /* n, at least one; the caller frees them and the array */
	size_t n;
	struct selection_match match; /* with opt->chosen; the caller frees it */
};

/* Read the files. The options have to live as long as the result. -1: there is nothing to be
 * freed. */
int load_profiles(const struct sources *from, const struct options *opt, enum load_as as,
		  struct load_result *result, struct error *err);

#endif
