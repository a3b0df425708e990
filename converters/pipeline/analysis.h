/* SPDX-License-Identifier: MIT */
/*
 * analysis.h - the stages between a profile and views. Each is run when its result is first needed.
 *
 * In: a profile, options. Out: names, a tree, a graph. Nothing is printed; report.h does that.
 */
#ifndef ANALYSIS_H
#define ANALYSIS_H

#include "graph/graph.h"
#include "options/options.h"
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
	struct analysis *by_line; /* the same profile with names by line, for VIEW_WANTS_SOURCES */
	bool has_warned;	  /* report.h has warned of the modules */
};

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
