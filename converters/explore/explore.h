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
#include <stdint.h>

#include "base/stop.h"
#include "graph/function_names.h"
#include "graph/graph.h"
#include "options/options.h"
#include "pipeline/report.h"
#include "pipeline/sources.h"
#include "tree/tree.h"
#include "write/row_numbers.h"
#include "write/sheet.h"

/* ---- explore line ---------------------------------------------------------------------------- */
/*
 * A command line of cpprof as words.
 *
 * In: a line. Out: words, and the file that output is to go to.
 *
 * Blanks separate words. A word that begins with ' or " extends to the next such quote and may
 * contain blanks. Between "" the word may contain a " that is written as \" and a backslash that is
 * written as \\. Elsewhere quotes and backslashes have no meaning, because names of functions
 * contain them. A word that begins with > names the output. A line whose first word begins with #
 * is a comment.
 */

struct explore_line {
	char **words; /* ends with a NULL */
	size_t n, size;
	const char *output; /* NULL: no file was named */
	char *bytes;	    /* holds the words */
	/* The rest is for completion. The user is typing the last word, or the name of the
	 * output. */
	size_t *begins, begins_size; /* where each word begins in the line */
	size_t last_begin; /* where the last word begins; the end of the line, if it is still empty */
	char last_quote;   /* the quote that the last word stands in; NUL: none, or it is closed */
	bool last_is_output; /* the last word is the name of the output */
};

/* To be freed in any case. -1: a quote is missing, there are two outputs, no name follows a >, the
 * line has a NUL byte, or memory is short. */
int explore_line_split(struct explore_line *l, const char *text, size_t n, struct error *err);

/* The same for a line that is being typed: missing quotes and names are no error. */
int explore_line_split_partial(struct explore_line *l, const char *text, size_t n,
			       struct error *err);

void explore_line_free(struct explore_line *l);

/* The words from `first` on as one text, with a blank between them. So a name with blanks may be
 * typed without quotes. The caller frees the text. NULL: out of memory. */
char *explore_line_rest(const struct explore_line *l, size_t first);

/* ---- explore names --------------------------------------------------------------------------- */
/*
 * Lists the functions of a profile by name, and finds those that the user's text means.
 *
 * In: struct tree, or struct graph if the profile has calls without stacks. Out: names.
 */

struct explore_names {
	const struct tree *tree;   /* borrowed; NULL: the functions are those of the graph */
	const struct graph *graph; /* borrowed */
	const struct strings *strings;
	uint32_t *names; /* of all functions, in bytewise order; numbers in strings */
	size_t n;
};

/* List all functions of the tree, or of the graph if the tree is NULL. Returns 0; -1 if memory is
 * out. */
int explore_names_fill(struct explore_names *l, const struct tree *t, const struct graph *g,
		       struct error *err);
void explore_names_free(struct explore_names *l);

/* The i-th name. */
const char *explore_names_get(const struct explore_names *l, size_t i);

/* Find the functions that the text means (function_names.h). *f borrows from l and from `text`.
 * Returns 0; -1 if there is no such function, or if memory is out. */
int explore_names_find(const struct explore_names *l, const char *text, struct function_names *f,
		       struct error *err);

/* ---- explore --------------------------------------------------------------------------------- */

struct explore_comparison;

/* What the settings were before a command that has changed one, or a part of the run or of a resource. */
struct explore_undo {
	char *line; /* the command */
	struct filter filter;
	struct view_options of_view;
	struct symbols_options of_symbols;
	uint64_t from_ns, to_ns;
	size_t profile;
	const char *states, *at; /* of the profile */
};

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
	struct sheet sheet;	    /* of the output that explore_open has opened */
	char **shown;		    /* the lines that have shown a view, for `back` */
	size_t n_shown, shown_size;
	struct explore_undo *undos; /* the latest command last */
	size_t n_undos, undos_size;
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
 * pager, and no line is wider. */
struct out *explore_open(struct explore *e, const char *output, struct error *err);
/* Close what explore_open has opened. -1: it could not be written. */
int explore_close(struct explore *e, struct out *o, struct error *err);

/* A copy of the text that lives as long as e. NULL: out of memory. */
const char *explore_keep(struct explore *e, const char *text);

/* ---- explore_resources.c ---- */

/* Say at the beginning what there is. */
int explore_introduce(struct explore *e, struct error *err);

/* ---- explore_commands.c ---- */

/* Run the command of one line. An empty line does nothing. */
int explore_run(struct explore *e, const char *text, size_t n, struct error *err);

#endif
