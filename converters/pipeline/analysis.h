/* SPDX-License-Identifier: MIT */
/*
 * stages.h - what the stages between files and views make, each when it is first needed.
 *
 * Main room. In: files, options. Out: a profile, names, a tree, a graph.
 */
#ifndef STAGES_H
#define STAGES_H

#include "graph/graph.h"
#include "options/options.h"
#include "pipeline/sources.h"
#include "view/view.h"

/* Begins as all zero; what is not made yet is NULL. */
struct stages {
	struct profile *profile;
	struct symbols *symbols;
	struct tree *tree;
	struct graph *graph;
	struct symbols_options of_symbols; /* those of symbols */
	struct filter *filter; /* that of the tree, which borrows it: struct stages may be moved */
	bool has_warned;       /* of modules */
};

/* Read the files into one profile, and warn of what is wrong with them. */
int stages_read(struct stages *s, const struct sources *from, struct options *opt,
		struct error *err);

/* Make what is needed (enum view_needs) and not there yet. */
int stages_shape(struct stages *s, unsigned needs, const struct options *opt, struct error *err);

/* The options have changed: unmake what they would make otherwise. */
void stages_adapt(struct stages *s, const struct options *opt);

/* If both are of one profile and ask for the same names, s has those of `from` from now on. */
void stages_share_names(struct stages *s, const struct stages *from, const struct options *opt);

/* The input of a view. It is valid as long as the stages and the options. */
struct view_input stages_input(const struct stages *s, const struct view_options *options);

void stages_free(struct stages *s);

#endif
