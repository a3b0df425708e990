/* SPDX-License-Identifier: MIT */
/*
 * options_table.h - what an option is.
 *
 * Shared by options.c (the table), options_parse.c and options_parse.c.
 */
#ifndef OPTIONS_TABLE_H
#define OPTIONS_TABLE_H

#include "options/options.h"

/* What kind of value an option takes, and what it is stored as. */
enum option_kind {
	KIND_HELP,    /* none: an action */
	KIND_VERSION, /* none: an action */
	KIND_VIEW,    /* the name of a view */
	KIND_PIDS,    /* a list of process ids, for the selection */
	KIND_EXE,     /* a regular expression, for the selection */
	KIND_THREADS, /* ids, names and expressions, for the selection */
	KIND_SECONDS, /* a uint64_t, in nanoseconds; if option.set is 1, not 0 */
	KIND_FILTER,  /* functions, for the filter of stacks; option.set is the enum filter_kind */
	KIND_FLAG,    /* none: a bool becomes true */
	KIND_NO,      /* none: a bool becomes false */
	KIND_TEXT,    /* a const char * */
	KIND_PATHS,   /* a text; each is added to a char[VIEW_PATHS_BYTES] */
	KIND_PERCENT, /* a double from 0 to 100 */
	KIND_NUMBER,  /* a positive double */
	KIND_COUNT,   /* a uint64_t from 1 up */
	KIND_CHOICE,  /* an int: option.set plus the index of the word in option.choices */
	KIND_ORDER, /* an unsigned: words of option.choices in the order given, four bits each: the index + 1 */
	KIND_SET,  /* none: an int becomes option.set */
	KIND_LIST, /* a text, one of several; option.set is the enum option_list */
};

enum option_list { OPTION_BASES, OPTION_ASSERTS };

#define OPTION_CHOICES_MAX 7

struct known_option {
	const char *name, *argument, *help; /* argument NULL: the option takes no value */
	char letter;			    /* of the short option that means the same; 0: none */
	enum option_kind kind;
	size_t place; /* the offset of its field in struct options */
	int set;
	const char *choices[OPTION_CHOICES_MAX];
};

/* The options in the order of --help. */
extern const struct known_option options_table[];
extern const size_t options_table_count;

/* Returns the option of that name, or NULL if there is none. */
const struct known_option *options_known(const char *name);

/* Whether the option changes what the view shows: the view names it, or no view does and the view does not
 * ignore it. Of all options and views this is the one table of what has a meaning where. */
bool options_is_of_view(const struct known_option *option, const struct view *view);

/* Whether the option only says what functions stacks are made of, not which samples are selected. For a view that ignores
 * it, it has a meaning beside an option that looks for functions. */
bool options_is_of_stacks(const struct known_option *option);

/* Whether the option is a setting: cpprof can change it without reading the files again. */
bool options_is_setting(const struct known_option *option);

/* Whether the option decides how the tree is built, and not only which part of it is shown. */
bool options_is_shape(const struct known_option *option);

/* Whether only cpconv takes the option, because it is about the one view that cpconv writes. */
bool options_is_of_cpconv(const struct known_option *option);

/* Whether the option can be given together with --pack, which packs whole recordings. */
bool options_is_of_pack(const struct known_option *option);

/* Set the option to the value in `text`, which is NULL if the option takes none. Returns -1 if the
 * text is not a valid value. */
int options_apply(struct options *opt, const struct known_option *option, const char *text,
		  struct error *err);

/* Of an option, by its name, that a comparison refuses. */
#define OPTIONS_LOOKS "--%s: a comparison has figures and colours of its own"

/* Returns -1 if --time-format is given and no label has times, or --list-functions and a table. */
int options_check_list(const struct options *opt, struct error *err);

/* These three take settings only. The first sets the option back to its default, the second says
 * whether it has its default, the third writes its value for people. */
void options_reset(struct options *opt, const struct known_option *option);
void options_show(struct out *o, const struct options *opt, const struct known_option *option);

#endif
