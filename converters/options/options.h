/* SPDX-License-Identifier: MIT */
/*
 * options.h - cpconv's command line.
 *
 * In: argv. Out: what was asked for.
 */
#ifndef OPTIONS_H
#define OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "options/selection.h"
#include "symbols/symbols.h"
#include "tree/filter.h"
#include "view/view.h"
#include "write/out.h"

enum options_action { OPTIONS_CONVERT, OPTIONS_HELP, OPTIONS_VERSION };

struct options {
	enum options_action action;
	const struct view *view;
	struct view_options of_view;
	struct symbols_options of_symbols;
	struct selection chosen; /* of the inputs */
	struct filter filter;	 /* of stacks */
	int by;			 /* enum profile_by */
	const char *output;	 /* NULL: standard output */
	bool strict;
	uint64_t jobs; /* threads that read; 0: one for each core */
	char **files;  /* what is no option */
	size_t n_files;
	const char *list; /* a file that names more; NULL: none */
	const char *idle; /* the first option without an effect on the view; NULL: none */
};

/* What is in effect without any option. */
void options_init(struct options *opt);

/* Read cpconv's command line. Pointers in *opt are into argv. To be freed in any case. Returns 0, or
 * -1 for a usage error, its text without a file name. */
int options_parse(struct options *opt, int argc, char **argv, struct error *err);

/* The same for cpprof's, which names no view. */
int options_parse_explorer(struct options *opt, int argc, char **argv, struct error *err);

/* The same for a command within cpprof that shows the view (NULL: none): argv[0] is its name, *opt
 * holds what is in effect, and only what views read can be changed. */
int options_parse_command(struct options *opt, const struct view *view, int argc, char **argv,
			  struct error *err);

/* -1 if a table for programs is asked for and the view is none. */
int options_check_format(const struct options *opt, const struct view *view, struct error *err);

void options_free(struct options *opt);

void options_help(struct out *o);
void options_help_explorer(struct out *o);

#endif
