/* SPDX-License-Identifier: MIT */
/*
 * explore_commands.c - has the table of commands, finds the command of a line and runs it.
 *
 * In: a line. Out: what the command prints.
 */
#include "explore/explore_command.h"

#include <string.h>

#include "graph/suggest.h"
#include "options/options_table.h"

static int help(struct explore *e, const struct explore_command *c, const struct explore_line *l,
		struct error *err);
static int quit(struct explore *e, const struct explore_command *c, const struct explore_line *l,
		struct error *err);

#define COMMAND(where, text, value, says)                                                          \
	.place = (where), .name = (text), .arguments = (value), .help = (says)
#define VIEW(which) .run = explore_view, .view = &(which)
#define NEEDS(what) .takes = TAKES_##what, .is_needed = true
#define TAKES(what) .takes = TAKES_##what
#define SETTING	    .takes = TAKES_VALUE, .run = explore_set_value

/* Commands with these places stand before all commands that show a view, and behind them. */
#define FIRST 0
#define LAST  1000

/* The commands that do not show a view of cpconv. */
static const struct explore_command others[] = {
	{COMMAND(FIRST, "resources", "[NAME]", "what was counted; NAME chooses one of several"),
	 TAKES(RESOURCE), .run = explore_resources},
	{COMMAND(60, "callers", "FUNCTION", "who calls a function, with shares of its total"),
	 NEEDS(FUNCTION), VIEW(explore_callers)},
	{COMMAND(60, "callees", "FUNCTION", "whom a function calls, with shares of its total"),
	 NEEDS(FUNCTION), VIEW(explore_callees)},
	{COMMAND(80, "source", "FUNCTION", "a function's source lines, with what they used"),
	 NEEDS(FUNCTION), .run = explore_source},
	{COMMAND(LAST, "threshold", "[PERCENT]", "hide rows below this share"), SETTING},
	{COMMAND(LAST, "depth", "[N]", "show N levels at most"), SETTING},
	{COMMAND(LAST, "top", "[N]", "show the N heaviest rows at most"), SETTING},
	{COMMAND(LAST, "unit", "[UNIT]", "count gticks or samples"), SETTING},
	{COMMAND(LAST, "percent", "[OF]", "percentages of the total or the parent"), SETTING},
	{COMMAND(LAST, "granularity", "[WHAT]",
		 "names stand for a module, function, line, address"),
	 SETTING},
	{COMMAND(LAST, "focus", "[NAME,...]", "only stacks that contain one (a name or regex)"),
	 SETTING},
	{COMMAND(LAST, "ignore", "[NAME,...]", "only stacks that contain none of these"), SETTING},
	{COMMAND(LAST, "hide", "[NAME,...]", "take these functions out of all stacks"), SETTING},
	{COMMAND(LAST, "set", "[NAME [VALUE]]", "all settings, one, or a new value for it"),
	 TAKES(SETTING), .run = explore_set},
	{COMMAND(LAST, "pager", "[COMMAND]", "what shows output longer than the screen, or off"),
	 TAKES(NOTHING), .run = explore_set_pager},
	{COMMAND(LAST, "help", "[COMMAND]", "this list, or more of one command"), TAKES(COMMAND),
	 .run = help},
	{COMMAND(LAST, "quit", NULL, "leave; so do exit and Ctrl-D"), .run = quit},
	{COMMAND(LAST, "exit", NULL, NULL), .run = quit},
};

#define N_OTHERS (sizeof(others) / sizeof(others[0]))

#define ROW(name, where) {&view_##name, where},

static const struct {
	const struct view *view;
	int place;
} shown[] = {VIEWS(ROW)};

#define N_SHOWN (sizeof(shown) / sizeof(shown[0]))

/* All commands. The table is filled when it is first used. */
static struct explore_command table[N_OTHERS + VIEW_COMMANDS_MAX * N_SHOWN + 1];

/* Insert the command behind all those whose place is not greater. */
static void insert(size_t *n, struct explore_command c)
{
	size_t i = (*n)++;

	for (; i > 0 && table[i - 1].place > c.place; i--)
		table[i] = table[i - 1];
	table[i] = c;
}

static void insert_view(size_t *n, const struct view *view, int place)
{
	static const char *const arguments[][2] = {
		[VIEW_ARGUMENT_NONE] = {NULL, NULL},
		[VIEW_ARGUMENT_FUNCTION] = {"[FUNCTION]", "FUNCTION"},
		[VIEW_ARGUMENT_COUNT] = {"[N]", "N"},
		[VIEW_ARGUMENT_FILE] = {"[FILE]", "FILE"},
	};
	size_t i;

	for (i = 0; i < VIEW_COMMANDS_MAX && (i == 0 || view->commands[i].name); i++) {
		const struct view_command *c = &view->commands[i];

		insert(n, (struct explore_command){
				  .place = place,
				  .name = c->name ? c->name : view->name,
				  .arguments = arguments[c->argument][c->is_needed],
				  .help = c->help ? c->help : view->help,
				  .takes = (enum explore_takes)c->argument,
				  .is_needed = c->is_needed,
				  .run = explore_view,
				  .view = view,
				  .option = c->option,
			  });
	}
}

const struct explore_command *explore_commands(void)
{
	size_t i, n = 0;

	if (table[0].name)
		return table;
	for (i = 0; i < N_OTHERS; i++)
		insert(&n, others[i]);
	for (i = 0; i < N_SHOWN; i++)
		insert_view(&n, shown[i].view, shown[i].place);
	return table;
}

bool explore_begins(const char *name, const char *word, size_t n)
{
	return strncmp(name, word, n) == 0;
}

/* The error for a word that no command begins with. */
static const struct explore_command *unknown(const char *word, struct error *err)
{
	const struct explore_command *c;
	const char *nearest = NULL;
	uint32_t least = SUGGEST_FAR;

	for (c = explore_commands(); c->name; c++) {
		uint32_t distance = suggest_distance(word, c->name);

		if (distance >= least)
			continue;
		least = distance;
		nearest = c->name;
	}
	error_set(err, "no command \"%s\"%s%s%s", word, nearest ? "; did you mean " : "",
		  nearest ? nearest : "", nearest ? "?" : "; help lists them");
	return NULL;
}

static const struct explore_command *ambiguous(const char *word, struct error *err)
{
	const struct explore_command *c;
	size_t n = 0;

	error_set(err, "\"%s\" is the beginning of", word);
	for (c = explore_commands(); c->name; c++)
		if (explore_begins(c->name, word, strlen(word)))
			error_append(err, "%s %s", n++ ? "," : "", c->name);
	return NULL;
}

const struct explore_command *explore_command_find(const char *word, struct error *err)
{
	const struct explore_command *c, *found = NULL;
	size_t n = 0;

	for (c = explore_commands(); c->name; c++) {
		if (strcmp(c->name, word) == 0)
			return c;
		if (!explore_begins(c->name, word, strlen(word)))
			continue;
		found = c;
		n++;
	}
	if (n == 1)
		return found;
	return n ? ambiguous(word, err) : unknown(word, err);
}

int explore_run(struct explore *e, const char *text, size_t n, struct error *err)
{
	const struct explore_command *c;
	struct explore_line l;
	int status = explore_line_split(&l, text, n, err);

	if (!status && l.n == 0 && l.output)
		status = error_set(err, "there is no command before >");
	if (!status && l.n > 0) {
		c = explore_command_find(l.words[0], err);
		status = c ? c->run(e, c, &l, err) : -1;
	}
	explore_line_free(&l);
	return status;
}

/* ---- help and quit --------------------------------------------------------------------------- */

static void write_help(struct out *o, const struct explore_command *c)
{
	const char *arguments = c->arguments ? c->arguments : "";

	if (c->help)
		out_format(o, "  %s %-*s %s\n", c->name, (int)(23 - strlen(c->name)), arguments,
			   c->help);
}

static const char more[] =
	"\nA command may be shortened, takes cpconv's options for its view (flat --tsv),\n"
	"and writes to a file with > FILE. A function is named in full, or by a part that\n"
	"no other name has. See cpprof(1).\n";

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

static int help(struct explore *e, const struct explore_command *c, const struct explore_line *l,
		struct error *err)
{
	const struct explore_command *one = NULL;
	struct out *o;

	if (l->n > 1) {
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
	for (c = explore_commands(); !one && c->name; c++)
		write_help(o, c);
	out_text(o, one ? "" : more);
	return out_close(o, true, err);
}

static int quit(struct explore *e, const struct explore_command *c, const struct explore_line *l,
		struct error *err)
{
	(void)c;
	(void)l;
	(void)err;
	e->is_over = true;
	return 0;
}
