/* SPDX-License-Identifier: MIT */
/*
 * options_help.c - writes what --help=all says.
 *
 * In: the tables of views and options. Out: text, for people and for the completions of shells, which
 * read it: see scripts/completion.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "options/options_table.h"

#define WIDTH	     80
#define INDENT	     25 /* of what an option says */
#define VIEWS_INDENT 12 /* the least that a completion takes for the rest of the line before */

/* Write text into a line that has `column` columns already; what does not fit goes into further lines,
 * from `indent` on. */
static void write_wrapped(struct out *o, const char *text, int column, int indent)
{
	const char *gap = "";

	while (*text) {
		int n = (int)strcspn(text, " ");

		if (column + (*gap != 0) + n > WIDTH) {
			out_format(o, "\n%*s", indent, "");
			gap = "";
			column = indent;
		}
		out_format(o, "%s%.*s", gap, n, text);
		column += (*gap != 0) + n;
		text += n + (text[n] == ' ');
		gap = " ";
	}
	out_text(o, "\n");
}

static void write_view(struct out *o, const struct view *view)
{
	const char *argument = view_takes_function(view) ? " FUNCTION" : "";
	int room = 12 - (int)strlen(view->name);

	out_format(o, "  --%s%-*s %s%s\n", view->name, room > 0 ? room : 0, argument, view->help,
		   view == views[0] ? " (default)" : "");
}

static void write_option(struct out *o, const struct known_option *option)
{
	char name[64];
	int n;

	n = snprintf(name, sizeof(name), "  --%s%s%s  ", option->name, option->argument ? " " : "",
		     option->argument ? option->argument : "");
	out_format(o, "%-*s", INDENT, name);
	write_wrapped(o, option->help, n > INDENT ? n : INDENT, INDENT);
}

/* ---- which views obey an option ------------------------------------------------------------- */
#define ONE_MORE(...) +1
_Static_assert(VIEWS(ONE_MORE) <= 64, "the views are the bits of a set");

/* Only tables can be written for programs (--tsv, --json), and only some views are tables. */
static bool is_obeyed(const struct known_option *option, const struct view *view)
{
	struct options opt;
	struct error err;

	options_init(&opt);
	if (option->kind == KIND_SET)
		options_apply(&opt, option, NULL, &err);
	return options_is_of_view(option, view) && !options_check_format(&opt, view, &err);
}

/* The views that obey the option, a bit for each; 0: all do. */
static uint64_t views_of(const struct known_option *option)
{
	uint64_t set = 0;
	size_t i;

	for (i = 0; views[i]; i++)
		set |= (uint64_t)is_obeyed(option, views[i]) << i;
	return set == UINT64_MAX >> (64 - i) ? 0 : set;
}

/* Write a line for the option and all that are obeyed by the same views, unless it is in the line of
 * an earlier one. */
static void write_obeyed(struct out *o, const uint64_t *sets, size_t option)
{
	char text[2048];
	size_t i, n = 0;

	for (i = 0; i < option; i++)
		if (sets[i] == sets[option])
			return;
	for (i = option; i < options_table_count && n < sizeof(text); i++)
		if (sets[i] == sets[option])
			n += (size_t)snprintf(text + n, sizeof(text) - n, "%s--%s", n ? ", " : "",
					      options_table[i].name);
	for (i = 0; views[i] && n < sizeof(text); i++)
		if (sets[option] & 1ULL << i)
			n += (size_t)snprintf(text + n, sizeof(text) - n, "%s%s",
					      sets[option] & ((1ULL << i) - 1) ? ", " : ": ",
					      views[i]->name);
	out_text(o, "  ");
	write_wrapped(o, text, 2, VIEWS_INDENT);
}

static void write_views_of_options(struct out *o)
{
	uint64_t *sets = calloc(options_table_count, sizeof(*sets));
	size_t i;

	out_text(o, "\nObeyed by some views only:\n");
	for (i = 0; sets && i < options_table_count; i++)
		sets[i] = views_of(&options_table[i]);
	for (i = 0; sets && i < options_table_count; i++)
		if (sets[i])
			write_obeyed(o, sets, i);
	free(sets);
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
	write_views_of_options(o);
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
	write_views_of_options(o);
	out_text(o,
		 "\nExit status: 0 success, 1 a command failed, 2 wrong usage. See cpprof(1).\n");
}
