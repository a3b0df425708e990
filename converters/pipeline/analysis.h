/* SPDX-License-Identifier: MIT */
/*
 * analysis.h - the stages between files and views. Each is run when its result is first needed.
 *
 * In: files, options. Out: a profile, names, a tree, a graph.
 */
#ifndef ANALYSIS_H
#define ANALYSIS_H

#include "graph/graph.h"
#include "options/options.h"
#include "pipeline/sources.h"
#include "view/view.h"

/* All members are zero at first. What has not been made yet is NULL. */
struct analysis {
	struct profile *profile;
	struct symbols *symbols;
	struct tree *tree;
	struct graph *graph;
	struct symbols_options of_symbols; /* the options that `symbols` was made with */
	struct filter *filter;		   /* of the tree, which borrows it; allocated, so that a
					    * struct analysis may be moved */
	bool has_warned;		   /* the warnings of modules have been written */
};

/* Read the files into one profile, and warn of what is wrong with them. */
int analysis_read(struct analysis *s, const struct sources *from, struct options *opt,
		  struct error *err);

/* Make what is needed (enum view_needs) and not there yet. */
int analysis_shape(struct analysis *s, unsigned needs, const struct options *opt,
		   struct error *err);

/* The options have changed: free what these options would make in another way. */
void analysis_adapt(struct analysis *s, const struct options *opt);

/* Looking up names takes long. So s shares those of `from`, which is of the same profile, if it has
 * none and these options ask for the same names. */
void analysis_share_names(struct analysis *s, const struct analysis *from,
			  const struct options *opt);

/* The input of a view. It is valid as long as s and the options. */
struct view_input analysis_input(const struct analysis *s, const struct view_options *options);

void analysis_free(struct analysis *s);

#endif
