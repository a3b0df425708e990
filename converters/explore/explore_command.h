/* SPDX-License-Identifier: MIT */
/*
 * explore_command.h - what a command of cpprof is: its name, its argument, and the function that
 * runs it.
 *
 * In: a word. Out: the command that it names.
 *
 * A command that shows a view is made from the view's own description. The others are a line each in
 * explore_commands.c.
 */
#ifndef EXPLORE_COMMAND_H
#define EXPLORE_COMMAND_H

#include "explore/explore.h"

/* The argument of a command, which follows its name beside options. */
enum explore_takes {
	TAKES_NOTHING = VIEW_ARGUMENT_NONE,
	TAKES_FUNCTION = VIEW_ARGUMENT_FUNCTION, /* a name, which may have blanks */
	TAKES_COUNT = VIEW_ARGUMENT_COUNT,	 /* the number of rows */
	TAKES_FILE = VIEW_ARGUMENT_FILE,	 /* the file that output goes to */
	TAKES_RESOURCE,
	TAKES_STATE,  /* of threads */
	TAKES_MOMENT, /* of memory that is live */
	TAKES_SECONDS,
	TAKES_SWITCH, /* on or off */
	TAKES_COMMAND,
	TAKES_SETTING, /* the name of a setting, then its value */
	TAKES_VALUE,   /* the value of the setting that has the same name as the command */
};

struct explore_command {
	int place;			     /* help lists the commands with the lowest first */
	const char *name, *arguments, *help; /* arguments NULL: there is none */
	enum explore_takes takes;
	bool is_needed; /* the argument cannot be left out */
	bool is_undone; /* undo takes back what it has done with an argument */
	int (*run)(struct explore *e, const struct explore_command *c, const struct explore_line *l,
		   struct error *err);
	const struct view *view; /* the view that it shows; NULL: it shows none */
	const char *option; /* an option of the view that the command always sets; NULL: none */
};

/* The table of commands in the order of help. It ends with a NULL name. */
const struct explore_command *explore_commands(void);

/* The command with this name, or the only command whose name begins with this word. NULL: error. */
const struct explore_command *explore_command_find(const char *word, struct error *err);

/* Is the word (n bytes) the beginning of the name? */
bool explore_begins(const char *name, const char *word, size_t n);

int explore_view(struct explore *e, const struct explore_command *c, const struct explore_line *l,
		 struct error *err);

/* explore_set.c */
int explore_set(struct explore *e, const struct explore_command *c, const struct explore_line *l,
		struct error *err);
int explore_set_value(struct explore *e, const struct explore_command *c,
		      const struct explore_line *l, struct error *err);

int explore_set_pager(struct explore *e, const struct explore_command *c,
		      const struct explore_line *l, struct error *err);

/* Write "LABEL        WORD": what a setting has now. */
int explore_show_word(struct explore *e, const char *label, const char *word, const char *output,
		      struct error *err);

/* explore_resources.c */
int explore_resources(struct explore *e, const struct explore_command *c,
		      const struct explore_line *l, struct error *err);
int explore_columns(struct explore *e, const struct explore_command *c,
		    const struct explore_line *l, struct error *err);

/* The words behind the command with commas between them, kept as long as e. NULL: memory. */
const char *explore_join(struct explore *e, const struct explore_line *l);
/* List the resources, as the command of that name does. */
int explore_list_resources(struct explore *e, const char *output, struct error *err);

/* explore_choose.c */
int explore_choose_state(struct explore *e, const struct explore_command *c,
			 const struct explore_line *l, struct error *err);
int explore_choose_moment(struct explore *e, const struct explore_command *c,
			  const struct explore_line *l, struct error *err);
int explore_choose_blame(struct explore *e, const struct explore_command *c,
			 const struct explore_line *l, struct error *err);

int explore_choose_times(struct explore *e, const struct explore_command *c,
			 const struct explore_line *l, struct error *err);

/* Before and after a command: keep what it changes. _end is to be called after _begin has returned 0. -1: memory. */
int explore_undo_begin(const struct explore *e, struct explore_undo *u, const char *line, size_t n,
		       struct error *err);
void explore_undo_end(struct explore *e, struct explore_undo *u, bool is_done);
void explore_undo_free(struct explore *e);
int explore_undo(struct explore *e, const struct explore_command *c, const struct explore_line *l,
		 struct error *err);

/* The resources of the profile, with commas. NULL: memory. */
const char *explore_name_resources(struct explore *e, const struct profile *p);

/* explore_state.c */
int explore_base(struct explore *e, const struct explore_command *c, const struct explore_line *l,
		 struct error *err);

/* explore_arcs.c */
extern const struct view explore_callers, explore_callees;

#endif
