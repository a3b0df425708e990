/* SPDX-License-Identifier: MIT */
/*
 * options_table.h - what an option is.
 *
 * Shared by options.c (the table), options_parse.c and options_value.c.
 */
#ifndef OPTIONS_TABLE_H
#define OPTIONS_TABLE_H

#include "options/options.h"

/* What an option's value is, and what it is kept as. */
enum option_kind {
	KIND_HELP,    /* none: an action */
	KIND_VERSION, /* none: an action */
	KIND_VIEW,    /* the name of a view */
	KIND_PIDS,    /* a list, for select */
	KIND_EXE,     /* a regular expression, for select */
	KIND_THREADS, /* ids, names and expressions, for select */
	KIND_SECONDS, /* a uint64_t: nanoseconds; option.set 1: not 0 */
	KIND_FILTER,  /* functions, for the filter of stacks: enum filter_kind is option.set */
	KIND_FLAG,    /* none: a bool becomes true */
	KIND_NO,      /* none: a bool becomes false */
	KIND_TEXT,    /* a const char * */
	KIND_PERCENT, /* a double from 0 to 100 */
	KIND_NUMBER,  /* a positive double */
	KIND_COUNT,   /* a uint64_t from 1 up */
	KIND_CHOICE,  /* an int: the place in a list of words */
	KIND_SET,     /* none: an int becomes option.set */
};

#define OPTION_CHOICES_MAX 6

struct known_option {
	const char *name, *argument, *help; /* argument NULL: it takes none */
	char letter;			    /* of the short option that means the same; 0: none */
	enum option_kind kind;
	size_t place; /* in struct options */
	int set;
	const char *choices[OPTION_CHOICES_MAX];
};

/* In the order of --help. */
extern const struct known_option options_table[];
extern const size_t options_table_count;

/* The option of that name, NULL if there is none. */
const struct known_option *options_known(const char *name);

/* Whether the option changes what the view shows: the view names it, or no view does. */
bool options_is_of_view(const struct known_option *option, const struct view *view);

/* Can it be changed while the profile stays: a setting of views? */
bool options_is_setting(const struct known_option *option);

/* One that decides how the tree is made, not only what of it is shown? */
bool options_is_shape(const struct known_option *option);

/* Is it about the one view that cpconv writes? */
bool options_is_of_cpconv(const struct known_option *option);

/* Is it about what only cpprof shows? */
bool options_is_of_cpprof(const struct known_option *option);

/* -1: there is another one already. */
int options_choose_view(struct options *opt, const struct view *view, struct error *err);

/* Give the option this value; NULL for an option that takes none. -1: it is no value of it. */
int options_apply(struct options *opt, const struct known_option *option, const char *text,
		  struct error *err);

/* Back to what it is without the option; is it that; what it is, as a word or a few. Only of
 * settings. */
void options_reset(struct options *opt, const struct known_option *option);
bool options_is_default(const struct options *opt, const struct known_option *option);
void options_show(struct out *o, const struct options *opt, const struct known_option *option);

#endif
