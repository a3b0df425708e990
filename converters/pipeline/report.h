/* SPDX-License-Identifier: MIT */
/*
 * report.h - runs the stages between files and views, and tells the user about it.
 */
#ifndef PIPELINE_REPORT_H
#define PIPELINE_REPORT_H

#include "graph/graph.h"
#include "options/options.h"
#include "pipeline/sources.h"
#include "symbols/symbols.h"
#include "tree/tree.h"
#include "view/view.h"

/* ---- analysis -------------------------------------------------------------------------------- */
/*
 * The stages between a profile and views. Each is run when its result is first needed.
 *
 * In: a profile, options. Out: names, a tree, a graph. Nothing is printed; a report does that.
 */

/* All members are zero at first. What has not been made yet is NULL. */
struct analysis {
	struct profile *profile;
	struct symbols *symbols;
	struct tree *tree;
	struct graph *graph;
	struct tree *calls; /* that were counted, see call_counts.h; its filter is calls_filter */
	const char *calls_why; /* they were and cannot be shown: because of what */
	struct filter *calls_filter;
	struct symbols_options of_symbols; /* the options that `symbols` was made with */
	struct filter *filter;		   /* of the tree, which borrows it; allocated, so that a
					    * struct analysis may be moved */
	struct analysis *by_line; /* the same profile with names by line, for VIEW_WANTS_SOURCES */
	bool has_warned;	  /* the report has warned of the modules */
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

/* ---- assertions ------------------------------------------------------------------------------ */
/*
 * Checks what --assert claims, and says what does not hold.
 *
 * In: options, runs. Out: messages on standard error.
 */

/*
 * Check all assertions of the options. `compared` has the runs if there is a base. Else the files are read
 * again, since the view has merged them. There is a message for each that does not hold with confidence. -1: error.
 */
enum {
	ASSERTIONS_HOLD,      /* all, with confidence */
	ASSERTIONS_UNCERTAIN, /* some may hold or not, the others hold */
	ASSERTIONS_BROKEN     /* some do not hold, with confidence */
};
int assertions_check(const struct options *opt, const struct sources *from,
		     const struct analysis *compared, struct error *err);

/* ---- report ---------------------------------------------------------------------------------- */
/*
 * Runs the stages between files and views, and tells the user about it.
 *
 * In: files, options. Out: what the stages make; progress and warnings on standard error. The
 * stages themselves (above) write nothing.
 */

/* Read the files into one profile, and warn of what is wrong with them. -1: error; *s is to be freed
 * in any case. */
int report_read(struct analysis *s, const struct sources *from, const struct options *opt,
		struct error *err);

/* As analysis_shape(), with progress on a terminal. Warn of options that have matched nothing and,
 * once for each analysis, of modules that gave no names. */
int report_shape(struct analysis *s, unsigned needs, const struct options *opt, struct error *err);

#endif
