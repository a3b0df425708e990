/* SPDX-License-Identifier: MIT */
/*
 * calls_from.h - gives a sampled profile the numbers of calls of another file.
 *
 * In: a profile with stacks, a file that gprof or callgrind wrote. Out: profile.counted, and a message of names that do not meet.
 *
 * Such a file knows pairs of functions and no paths: each pair is a path whose beginning was cut. Functions meet by name.
 */
#ifndef PIPELINE_CALLS_FROM_H
#define PIPELINE_CALLS_FROM_H

#include "options/options.h"
#include "tree/tree.h"

/* Read opt->calls_from, if it is given. -1: it cannot be read, or the profile cannot have its calls. */
int calls_from_join(struct profile *p, const struct options *opt, struct error *err);

/* Say in one line which names only one of both has. `why` is what calls cannot honour, or NULL. -1: that is so, or no name
 * is in both. */
int calls_from_tell(const struct tree *samples, const struct tree *calls, const char *why,
		    const struct options *opt, struct error *err);

#endif
