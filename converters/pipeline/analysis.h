/* SPDX-License-Identifier: MIT */
/*
 * analysis.h - what the stages between files and views make, each when it is first needed.
 *
 * In: files, options. Out: a profile, names, a tree, a graph.
 */
#ifndef ANALYSIS_H
#define ANALYSIS_H

#include "graph/graph.h"
#include "options/options.h"
#include "pipeline/sources.h"
#include "view/view.h"

/* Begins as all zero; what is not made yet is NULL. */
struct analysis {
	struct profile *profile;
	struct symbols *symbols;
	struct tree *tree;
	struct graph *graph;
	struct symbols_options of_symbols; /* those of symbols */
	struct filter
		*filter; /* that of the tree, which borrows it: struct analysis may be moved */
	bool has_warned; /* of modules */
};

/* Read the files into one profile, and warn of what is wrong with them. */
int analysis_read(struct analysis *s, const struct sources *from, struct options *opt,
		  struct error *err);

/* Make what is needed (enum view_needs) and not there yet. */
int analysis_shape(struct analysis *s, unsigned needs, const struct options *opt,
		   struct error *err);

/* The options have changed: unmake what they would make otherwise. */
void analysis_adapt(struct analysis *s, const struct options *opt);

/* If both are of one profile and ask for the same names, s has those of `from` from now on. */
void analysis_share_names(struct analysis *s, const struct analysis *from,
			  const struct options *opt);

/* The input of a view. It is valid as long as the stages and the options. */
struct view_input analysis_input(const struct analysis *s, const struct view_options *options);

void analysis_free(struct analysis *s);

#endif
