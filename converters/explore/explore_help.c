/* SPDX-License-Identifier: MIT */
/*
 * explore_help.c - the first steps, the list of commands, and what there is to say of one.
 *
 * In: the table of commands. Out: text.
 */
#include <string.h>

#include "explore/explore_command.h"
#include "options/options_table.h"

static void write_help(struct out *o, const struct explore_command *c)
{
	const char *arguments = c->arguments ? c->arguments : "";

	if (c->help)
		out_format(o, "  %s %-*s %s\n", c->name, (int)(23 - strlen(c->name)), arguments,
			   c->help);
}

static const char more[] =
	"\nA command may be shortened, takes cpconv's options for its view (flat --tsv),\n"
	"and writes to a file with > FILE. A function is named in full, by a part that no\n"
	"other name has, or by its row in the last table. See cpprof(1).\n";

/* What people do first. */
static const char *const first_steps[] = {"functions", "flat",	"callers", "callees", "down",
					  "source",    "focus", "base",	   "web",     "quit"};

static void write_first_steps(struct out *o)
{
	struct error unused;

	for (size_t i = 0; i < sizeof(first_steps) / sizeof(first_steps[0]); i++)
		write_help(o, explore_command_find(first_steps[i], &unused));
	out_text(o, "\n  help all                 all commands\n"
		    "  help COMMAND             more of one command\n"
		    "  Ctrl-C                   stop what is being done\n");
}

/* Say where the manual has more about the command, and what its setting is. */
static void write_more(struct out *o, const struct explore *e, const struct explore_command *c)
{
	const struct known_option *option = options_known(c->name);

	if (c->view && view_find(c->view->name))
		out_format(o, "  It shows what cpconv --%s%s%s shows; see there in cpconv(1).\n",
			   c->view->name, c->option ? " --" : "", c->option ? c->option : "");
	if (c->takes != TAKES_VALUE)
		return;
	out_format(o, "  It is cpconv's --%s; off takes it back. Now: ", c->name);
	options_show(o, &e->options, option);
	out_text(o, "\n");
}

int explore_help(struct explore *e, const struct explore_command *c, const struct explore_line *l,
		 struct error *err)
{
	bool is_all = l->n == 2 && strcmp(l->words[1], "all") == 0;
	const struct explore_command *one = NULL;
	struct out *o;

	if (l->n > 1 && !is_all) {
		one = explore_command_find(l->words[1], err);
		if (!one)
			return -1;
	}
	o = explore_open(e, l->output, err);
	if (!o)
		return -1;
	if (one) {
		write_help(o, one);
		write_more(o, e, one);
	}
	for (c = explore_commands(); is_all && c->name; c++)
		write_help(o, c);
	if (!one && !is_all)
		write_first_steps(o);
	out_text(o, one ? "" : more);
	return out_close(o, true, err);
}
