/* SPDX-License-Identifier: MIT */
/*
 * explore.h - what cpprof knows between two commands.
 *
 * In: files, then commands. Out: what the commands print.
 */
#ifndef EXPLORE_H
#define EXPLORE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "explore/explore_line.h"
#include "explore/explore_names.h"
#include "options/options.h"
#include "pipeline/analysis.h"

/* Inputs of different resources are profiles of their own. */
struct explore_profile {
	struct analysis stages;	    /* shaped as the settings say */
	struct explore_names names; /* of the functions in stages.tree, or stages.graph */
	/* The same as the options of a command said, the last time that they said something else;
	 * the profile is that of `stages`. */
	struct analysis once;
	struct explore_names once_names;
};

struct explore {
	struct options options; /* in effect; their texts are in `kept` or in argv */
	char **kept;
	size_t n_kept, kept_size;
	struct explore_profile *profiles;
	size_t n, size;
	size_t current;	   /* the one that commands are about */
	bool is_terminal;  /* somebody types, and sees what is printed */
	const char *pager; /* NULL: none */
	bool is_over;	   /* quit was said */
};

/* ---- explore_load.c ---- */

/* Read the files, each into the profile of its resource, and warn of what is wrong with them. There
 * is at least one profile then. */
int explore_load(struct explore *e, const struct sources *from, struct error *err);
void explore_free(struct explore *e);

/* ---- explore_state.c ---- */

/* What it takes to know the functions' names, of calls without stacks too. */
#define EXPLORE_FUNCTIONS (VIEW_NEEDS_TREE | VIEW_TAKES_CALLS)

/* The current profile with what is needed (enum view_needs), shaped as these options say; valid until
 * the next call. NULL: error. */
struct analysis *explore_shape(struct explore *e, unsigned needs, const struct options *opt,
			       struct error *err);

/* Shape the current profile as the settings will say from now on: `wanted`, which the caller puts into
 * effect then. What was there stays, for whoever goes back. -1: it cannot be. */
int explore_reshape(struct explore *e, const struct options *wanted, struct error *err);

/* The names of the functions in the current profile, shaped as these options say; NULL: error. */
const struct explore_names *explore_functions(struct explore *e, const struct options *opt,
					      struct error *err);

/* Write a view of the current profile to the file, or to standard output if that is NULL. */
int explore_emit(struct explore *e, const struct view *view, const struct options *opt,
		 const char *output, struct error *err);

/* Open standard output, through the pager if that is wanted, or a file. */
struct out *explore_open(const struct explore *e, const char *output, struct error *err);

/* A copy of a text that lives as long as e. NULL: memory. */
const char *explore_keep(struct explore *e, const char *text);

/* ---- explore_commands.c ---- */

/* Run one line; an empty one does nothing. */
int explore_run(struct explore *e, const char *text, size_t n, struct error *err);

#endif
