/* SPDX-License-Identifier: MIT */
/*
 * report.h - runs the stages between files and views, and tells the user about it.
 */
#ifndef PIPELINE_REPORT_H
#define PIPELINE_REPORT_H

#include "graph/graph.h"
#include "pipeline/analysis.h"
#include "pipeline/sources.h"
#include "symbols/symbols.h"
#include "tree/tree.h"

/* ---- shorten --------------------------------------------------------------------------------- */
/*
 * Settles how the functions of a tree or graph are shown to people.
 *
 * In: names, an option. Out: what strings_shown returns.
 */

/* Show the functions of the tree as the options of the symbols say. Returns -1 if memory is out. */
int shorten_tree(struct symbols *s, const struct tree *t, struct error *err);

/* The same for a graph that was read without stacks: its names are only text. */
int shorten_graph(struct strings *strings, const struct graph *g, struct error *err);

/* ---- assertions ------------------------------------------------------------------------------ */
/*
 * Checks what --assert claims, and says what does not hold.
 *
 * In: options, runs. Out: messages on standard error.
 */

/*
 * Check all assertions of the options. `compared` has the runs if there is a base. Else the files are read
 * again, since the view has merged them. Returns 0 if all hold with confidence, 1 after a message for each that does not, -1
 * on error.
 */
int assertions_check(const struct options *opt, const struct sources *from,
		     const struct analysis *compared, struct error *err);

/* ---- report ---------------------------------------------------------------------------------- */
/*
 * Runs the stages between files and views, and tells the user about it.
 *
 * In: files, options. Out: what the stages make; progress and warnings on standard error. The
 * stages themselves (analysis.h) write nothing.
 */

/* Read the files into one profile, and warn of what is wrong with them. -1: error; *s is to be freed
 * in any case. */
int report_read(struct analysis *s, const struct sources *from, const struct options *opt,
		struct error *err);

/* As analysis_shape(), with progress on a terminal. Warn of options that have matched nothing and,
 * once for each analysis, of modules that gave no names. */
int report_shape(struct analysis *s, unsigned needs, const struct options *opt, struct error *err);

#endif
