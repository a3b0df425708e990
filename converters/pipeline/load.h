/* SPDX-License-Identifier: MIT */
/*
 * load.h - reads files into one profile, or into a profile for each resource.
 */
#ifndef PIPELINE_LOAD_H
#define PIPELINE_LOAD_H

#include <stddef.h>
#include <stdint.h>

#include "model/builder_join.h"
#include "options/options.h"
#include "options/selection.h"
#include "pipeline/sources.h"

/* ---- load columns ---------------------------------------------------------------------------- */
/*
 * Finds what was read of each resource that is to be a column.
 *
 * In: a builder for each resource that was read. Out: those that were asked for. For load.c only.
 */

/* The builder of the inputs that count this resource in this unit. */
struct route {
	struct profile_builder *builder;
	char *resource, *unit;
};

/* The builders in the order in which --resource names their resources; the caller frees the array.
 * NULL: error. It is one if no input counts a resource, or if some count it in another unit. */
struct profile_builder **load_columns(const struct route *routes, size_t n,
				      const struct selection_match *match, struct error *err);

/* ---- load threads ---------------------------------------------------------------------------- */
/*
 * How many threads read the files, and how many files each takes at a time.
 *
 * In: files. Out: numbers. For load.c only.
 */

/* The number of threads; `jobs` is how many the user wants, 0: one for each core if that is worth it. */
size_t load_threads(const struct sources *from, uint64_t jobs);

/* How many files one of several threads reads at a time. */
size_t load_threads_files(const struct sources *from, size_t n_threads);

/* ---- load ------------------------------------------------------------------------------------ */
/*
 * Makes profiles of files.
 *
 * In: files, options. Out: profiles. On several cores several files are read at a time. That
 * changes neither the profiles nor the errors.
 */

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
