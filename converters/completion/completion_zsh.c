/* SPDX-License-Identifier: MIT */
/*
 * completion_zsh.c - writes a program's completion for zsh.
 *
 * In: what there is to complete. Out: a function for the directory site-functions.
 */
#include <string.h>

#include "completion/completion.h"

static const char begin[] = "#compdef %s\n"
			    "# The build has made this file from the program's options.\n"
			    "\n"
			    "local view word before\n"
			    "local -a specs\n"
			    "\n";

/* Within '...' and [...]. */
static void write_help(struct out *o, const char *help)
{
	for (; *help; help++)
		out_format(o,
			   *help == '\''	   ? "'\\''"
			   : strchr("[]\\", *help) ? "\\%c"
						   : "%c",
			   *help);
}

/* ":LABEL:(one two)" */
static void write_value(struct out *o, const struct completion_option *option)
{
	if (option->value == COMPLETION_NOTHING)
		return;
	out_format(o, ":%s:", option->label);
	if (option->value == COMPLETION_WORDS)
		out_format(o, "(%s)", option->words);
	else if (option->value == COMPLETION_ANY)
		out_text(o, " ");
	else
		out_text(o, option->value == COMPLETION_FILE ? "_files" : "_files -/");
}

/* '--output=[help]:FILE:_files'; a letter has its value behind it or in the next word. */
static void write_spec(struct out *o, const struct completion_option *option, bool is_letter)
{
	bool has_value = option->value != COMPLETION_NOTHING;

	out_text(o, " '");
	if (is_letter)
		out_format(o, "-%c%s[", option->letter, has_value ? "+" : "");
	else
		out_format(o, "--%s%s[", option->name, has_value ? "=" : "");
	write_help(o, option->help);
	out_text(o, "]");
	write_value(o, option);
	out_text(o, "'");
}

/* While no view is chosen, all options are offered: the view may follow them. */
static void write_option(struct out *o, const struct completion_option *option)
{
	const char *at;

	if (option->is_view)
		out_text(o, "[[ -n $view ]] || ");
	if (option->views[0]) {
		out_text(o, "[[ $view != (|");
		for (at = option->views; *at; at++)
			out_format(o, "%c", *at == ' ' ? '|' : *at);
		out_text(o, ") ]] || ");
	}
	out_text(o, "specs+=(");
	if (option->letter)
		write_spec(o, option, true);
	if (option->name[0])
		write_spec(o, option, false);
	out_text(o, " )\n");
}

/* A view is chosen by its option, or by --format. */
static void write_view(struct out *o, const struct completion *c)
{
	size_t i, n = 0;

	out_text(o, "for word in $words[2,CURRENT-1]; do\n\tcase $word in\n\t(");
	for (i = 0; i < c->n; i++)
		if (c->options[i].is_view)
			out_format(o, "%s--%s", n++ ? "|" : "", c->options[i].name);
	out_text(o, ") view=${word#--} ;;\n"
		    "\t(--format=*) view=${word#--format=} ;;\n"
		    "\t(*) [[ $before != --format ]] || view=$word ;;\n"
		    "\tesac\n"
		    "\tbefore=$word\n"
		    "done\n");
}

void completion_zsh(struct out *o, const struct completion *c)
{
	size_t i;

	out_format(o, begin, c->program);
	if (c->has_views)
		write_view(o, c);
	for (i = 0; i < c->n; i++)
		write_option(o, &c->options[i]);
	out_text(o, "_arguments -s -S : $specs ");
	out_text(o, c->takes_program ? "'(-):program: _command_names -e' '*::arguments: _normal'\n"
				     : "'*:file:_files -g \"*.cps(-.)\"'\n");
}
