/* SPDX-License-Identifier: MIT */
/*
 * options.h - the table of options, and what --help makes of it.
 *
 * In: argv. Out: struct options, which says what the user asked for.
 */
#ifndef OPTIONS_OPTIONS_H
#define OPTIONS_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/stop.h"
#include "options/selection.h"
#include "symbols/symbols.h"
#include "tree/tree_fold.h"
#include "view/view.h"
#include "write/out.h"

enum options_action { OPTIONS_CONVERT, OPTIONS_HELP, OPTIONS_HELP_ALL, OPTIONS_VERSION };

struct options {
	enum options_action action;
	const struct view *view;
	struct view_options of_view;
	struct symbols_options of_symbols;
	struct selection chosen; /* which inputs, threads and times are read */
	struct filter filter;	 /* which stacks are counted */
	int by;			 /* enum profile_by */
	const char *output;	 /* NULL: standard output */
	const char *function;	 /* the argument of the view's option; NULL: it has none */
	bool pack;		 /* write no view, but pack the recordings */
	bool strict;
	bool follow;   /* show it again each second as long as it is being recorded */
	bool kernel;   /* stacks end in the kernel where they do */
	bool blame;    /* lock means lock-blame, also where no --resource is given */
	uint64_t jobs; /* threads that read; 0: one for each core */
	char **files;  /* the arguments that are not options */
	size_t n_files;
	char **bases; /* what the files are compared with; owned, but not the names */
	size_t n_bases, bases_size;
	char **asserts; /* owned likewise */
	size_t n_asserts, asserts_size;
	const char *calls_from; /* a file with numbers of calls; NULL: none */
	const char *list;	/* a file that lists more files; NULL: none */
};

/* Set all options to their defaults. */
void options_init(struct options *opt);

/* Read cpconv's command line. Pointers in *opt point into argv. The caller frees *opt, also after an
 * error. Returns 0, or -1 if the command line is wrong, also if the view does not read an option. */
int options_parse(struct options *opt, int argc, char **argv, struct error *err);

/* Read cpprof's command line, which has no option for a view. */
int options_parse_explorer(struct options *opt, int argc, char **argv, struct error *err);

/* Read the options of a command in cpprof. argv[0] is the command's name, and `view` is what it shows
 * (NULL: no view). *opt holds the settings already; only options that views read can be given. */
int options_parse_command(struct options *opt, const struct view *view, int argc, char **argv,
			  struct error *err);

/* The first option that selects samples and that the view does not read, though it is set; NULL: there is none. A command
 * line with such an option is wrong, but settings of cpprof are for many views. */
const char *options_find_idle(const struct options *opt, const struct view *view);

/* Returns -1 if --tsv or --json was given and the view cannot be written as a table. */
int options_check_format(const struct options *opt, const struct view *view, struct error *err);

/* What Graphviz calls the format of a picture, by the name of the file: "svg". NULL: it is none that is drawn. */
const char *options_picture(const char *output);

/* Returns -1 if --base was given and the view cannot compare. */
int options_check_base(const struct options *opt, const struct view *view, struct error *err);

/* Names stand for what the view needs, if it needs something of its own. */
void options_name_for(struct options *opt, const struct view *view);

void options_free(struct options *opt);

/* What people do first, which fits a screen. */
void options_first(struct out *o);
void options_first_explorer(struct out *o);

/* All views and options. */
void options_help(struct out *o);
void options_help_explorer(struct out *o);

#endif
