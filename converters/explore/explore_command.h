/* SPDX-License-Identifier: MIT */
/*
 * explore_command.h - what a command of cpprof is: a name, what it takes, and what it does.
 *
 * A command that shows a view is made of what the view says of itself; the others are a line each in
 * explore_commands.c.
 */
#ifndef EXPLORE_COMMAND_H
#define EXPLORE_COMMAND_H

#include "explore/explore.h"

/* What follows the command's name, beside options. */
enum explore_takes {
	TAKES_NOTHING = VIEW_ARGUMENT_NONE,
	TAKES_FUNCTION = VIEW_ARGUMENT_FUNCTION, /* a name, which may have blanks */
	TAKES_COUNT = VIEW_ARGUMENT_COUNT,	 /* how many rows */
	TAKES_FILE = VIEW_ARGUMENT_FILE,	 /* where output goes */
	TAKES_RESOURCE,
	TAKES_COMMAND,
	TAKES_SETTING, /* its name, then its value */
	TAKES_VALUE,   /* of the setting that is called as the command */
};

struct explore_command {
	int place;			     /* in help, which begins with the lowest */
	const char *name, *arguments, *help; /* arguments NULL: none */
	enum explore_takes takes;
	bool is_needed; /* what it takes cannot be left out */
	int (*run)(struct explore *e, const struct explore_command *c, const struct explore_line *l,
		   struct error *err);
	const struct view *view; /* what it shows, if that is a view */
	const char *option;	 /* that the command always sets for the view; NULL: none */
};

/* The table, in the order of help; ends with a NULL name. */
const struct explore_command *explore_commands(void);

/* The command that is meant by this word, its name or the beginning of only one. NULL: error. */
const struct explore_command *explore_command_find(const char *word, struct error *err);

/* Is the word (n bytes) the beginning of the name? */
bool explore_begins(const char *name, const char *word, size_t n);

/* explore_view.c: a command at work. */
struct explore_call {
	struct explore *e;
	const struct explore_command *command;
	struct options options; /* in effect for this command alone; root is the function that it is
				   about */
	char *text;		/* what it takes, NULL: nothing was given */
	const char *output;	/* NULL: standard output */
};

/* Read the line's options and what the command takes. End it in any case. */
int explore_call_begin(struct explore_call *c, struct explore *e,
		       const struct explore_command *command, const struct explore_line *l,
		       struct error *err);
void explore_call_end(struct explore_call *c);

int explore_view(struct explore *e, const struct explore_command *c, const struct explore_line *l,
		 struct error *err);

/* explore_source.c */
int explore_source(struct explore *e, const struct explore_command *c, const struct explore_line *l,
		   struct error *err);

/* explore_set.c */
int explore_set(struct explore *e, const struct explore_command *c, const struct explore_line *l,
		struct error *err);
int explore_set_value(struct explore *e, const struct explore_command *c,
		      const struct explore_line *l, struct error *err);

int explore_set_pager(struct explore *e, const struct explore_command *c,
		      const struct explore_line *l, struct error *err);

/* explore_resources.c */
int explore_resources(struct explore *e, const struct explore_command *c,
		      const struct explore_line *l, struct error *err);

/* explore_arcs.c */
extern const struct view explore_callers, explore_callees;

#endif
