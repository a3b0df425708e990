/* SPDX-License-Identifier: MIT */
/*
 * explore.h - the state of cpprof between two commands, and what commands do with it.
 *
 * In: files, then commands. Out: what the commands print.
 */
#ifndef EXPLORE_H
#define EXPLORE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/stop.h"
#include "explore/explore_line.h"
#include "explore/explore_names.h"
#include "options/options.h"
#include "pipeline/report.h"
#include "pipeline/sources.h"
#include "write/row_numbers.h"

struct explore_comparison;

/* All inputs of one resource are one profile. Several resources side by side are another one. */
struct explore_profile {
	struct analysis analysis;   /* shaped as the settings say */
	struct explore_names names; /* of the functions in analysis.tree, or analysis.graph */
	/* The same, shaped as the last command wanted it whose options differed from the settings.
	 * It borrows the profile of `analysis`. */
	struct analysis once;
	struct explore_names once_names;
	/* What --state and --at of the profile are, which commands may have changed since the start. */
	const char *states, *at;
	bool is_introduced; /* what headings say of it in all views has been written */
	struct explore_comparison *comparison; /* with the base; NULL: it has not been read */
};

struct explore {
	struct options options; /* the settings; their texts are in `kept` or in argv */
	char **kept;
	size_t n_kept, kept_size;
	struct explore_profile *profiles;
	size_t n, size;
	const struct sources *from; /* where the profiles were read from */
	size_t current;		    /* the number of the profile that commands are about */
	bool is_terminal;	    /* a user types the commands, and output goes to the terminal */
	const char *pager;	    /* a shell command; NULL: no pager */
	bool is_over;		    /* the command quit was given */
	char **bases; /* what views that can compare compare with; the names are in `kept` */
	size_t n_bases;
	bool compares; /* the current profile is its comparison, while such a view is written */
	struct row_numbers numbers; /* of the latest table of functions */
	char **shown;		    /* the lines that have shown a view, for `back` */
	size_t n_shown, shown_size;
};

/* ---- explore_state.c ---- */

/* Read each file into the profile of its resource, and write the warnings about the files. There is
 * at least one profile afterwards. The sources have to live as long as e. */
int explore_load(struct explore *e, const struct sources *from, struct error *err);
/* Free what the profile has. */
void explore_profile_clear(struct explore_profile *p);
void explore_free(struct explore *e);

/* ---- explore_state.c ---- */

/* What has to be made before the names of the functions are known, also for calls without
 * stacks. */
#define EXPLORE_FUNCTIONS (VIEW_NEEDS_TREE | VIEW_TAKES_CALLS)

/* The current profile with what is needed (enum view_needs), shaped as these options say. It is
 * valid until the next call. NULL: error. */
struct analysis *explore_shape(struct explore *e, unsigned needs, const struct options *opt,
			       struct error *err);

/* Shape the current profile as the options `wanted` say, which the caller makes the settings
 * afterwards. The former shape is kept, in case the user goes back to it. -1: the profile cannot be
 * shaped so. */
int explore_reshape(struct explore *e, const struct options *wanted, struct error *err);

/* The names of the functions in the current profile when it is shaped as these options say. NULL:
 * error. */
const struct explore_names *explore_functions(struct explore *e, const struct options *opt,
					      struct error *err);

/* Write a view of the current profile to the file, or to standard output if that is NULL. */
int explore_emit(struct explore *e, const struct view *view, const struct options *opt,
		 const char *output, struct error *err);

/* Open the file, or if `output` is NULL, standard output; on a terminal it goes through the
 * pager. */
struct out *explore_open(const struct explore *e, const char *output, struct error *err);

/* A copy of the text that lives as long as e. NULL: out of memory. */
const char *explore_keep(struct explore *e, const char *text);

/* ---- explore_resources.c ---- */

/* Say at the beginning what there is. */
int explore_introduce(struct explore *e, struct error *err);

/* ---- explore_commands.c ---- */

/* Run the command of one line. An empty line does nothing. */
int explore_run(struct explore *e, const char *text, size_t n, struct error *err);

#endif
