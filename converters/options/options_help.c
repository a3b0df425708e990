/* SPDX-License-Identifier: MIT */
/*
 * options_help.c - writes what --help=all says.
 *
 * In: the tables of views and options. Out: text.
 */
#include <string.h>

#include "options/options_table.h"

static void write_view(struct out *o, const struct view *view)
{
	const char *argument = view_takes_function(view) ? " FUNCTION" : "";
	int room = 12 - (int)strlen(view->name);

	out_format(o, "  --%s%-*s %s%s\n", view->name, room > 0 ? room : 0, argument, view->help,
		   view == views[0] ? " (default)" : "");
}

static void write_option(struct out *o, const struct known_option *option)
{
	const char *argument = option->argument ? option->argument : "";
	int room = 19 - (int)strlen(option->name) - (*argument != 0);

	out_format(o, "  --%s%s%-*s  %s\n", option->name, *argument ? " " : "", room > 0 ? room : 0,
		   argument, option->help);
}

void options_help(struct out *o)
{
	size_t i;

	out_text(o,
		 "Usage: cpconv [--VIEW | --format NAME] [OPTION]... [FILE]...\n"
		 "Show what libcpsample recorded: the newest *.cps file here with all of its\n"
		 "process tree, or FILEs, merged; folded stacks (\"a;b;c COUNT\") are read too.\n"
		 "FILE - is standard input; of a directory, all *.cps in it are read.\n"
		 "\nViews:\n");
	for (i = 0; views[i]; i++)
		write_view(o, views[i]);
	out_text(o, "\nOptions:\n");
	for (i = 0; i < options_table_count; i++)
		write_option(o, &options_table[i]);
	out_text(o,
		 "\nExit status: 0 success, 1 error, 2 wrong usage, 3 --assert. See cpconv(1).\n");
}

void options_help_explorer(struct out *o)
{
	size_t i;

	out_text(o,
		 "Usage: cpprof [OPTION]... [FILE]...\n"
		 "Explore what libcpsample recorded: the newest *.cps file here with all of its\n"
		 "process tree, or FILEs; of a directory, all *.cps in it. Commands are read from\n"
		 "the terminal, or from a pipe; the command help lists them.\n"
		 "\nOptions that choose what is read:\n");
	for (i = 0; i < options_table_count; i++)
		if (!options_is_setting(&options_table[i]) &&
		    !options_is_of_cpconv(&options_table[i]))
			write_option(o, &options_table[i]);
	out_text(o, "\nSettings, which commands can change:\n");
	for (i = 0; i < options_table_count; i++)
		if (options_is_setting(&options_table[i]))
			write_option(o, &options_table[i]);
	out_text(o,
		 "\nExit status: 0 success, 1 a command failed, 2 wrong usage. See cpprof(1).\n");
}
