/* SPDX-License-Identifier: MIT */
/*
 * explore_commands.c - the table of commands; those that show no view, and their help.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <wchar.h>

#include "base/array.h"
#include "explore/explore_command.h"
#include "explore/explore_edit.h"
#include "graph/function_names.h"
#include "options/options_table.h"
#include "pipeline/message.h"

/* ---- explore list ---------------------------------------------------------------------------- */
/*
 * Writes a list of names in columns.
 *
 * In: names. Out: lines as wide as the terminal.
 */

#define SHOWN 100u
#define GAP   2u

static size_t terminal_width(FILE *out)
{
	struct winsize size;

	if (ioctl(fileno(out), TIOCGWINSZ, &size) || size.ws_col == 0)
		return 80;
	return size.ws_col;
}

/* How many columns of the terminal a name takes. If it is no text in the user's encoding, its bytes
 * are counted. */
static size_t columns_of(const char *name)
{
	wchar_t *wide = calloc(strlen(name) + 1, sizeof(*wide));
	int columns = -1;

	if (wide && mbstowcs(wide, name, strlen(name) + 1) != (size_t)-1)
		columns = wcswidth(wide, strlen(name));
	free(wide);
	return columns < 0 ? strlen(name) : (size_t)columns;
}

void explore_list(FILE *out, char *const *names, size_t n)
{
	size_t shown = n < SHOWN ? n : SHOWN, widest = 0, columns, lines, i, k;

	for (i = 0; i < shown; i++)
		if (columns_of(names[i]) > widest)
			widest = columns_of(names[i]);
	columns = (terminal_width(out) + GAP - 1) / (widest + GAP);
	if (columns == 0)
		columns = 1;
	lines = (shown + columns - 1) / columns;
	fputc('\n', out);
	for (i = 0; i < lines; i++) {
		for (k = i; k < shown; k += lines)
			fprintf(out, "%s%*s", names[k],
				k + lines < shown ? (int)(widest + GAP - columns_of(names[k])) : 0,
				"");
		fputc('\n', out);
	}
	if (shown < n)
		fprintf(out, "and %zu more\n", n - shown);
	fflush(out);
}

/* ---- explore help ---------------------------------------------------------------------------- */
/*
 * The first steps, the list of commands, and what there is to say of one.
 *
 * In: the table of commands. Out: text.
 */

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
static const char *const first_steps[] = {"functions", "flat", "callers", "callees", "up",
					  "down",      "tree", "source",  "focus",   "quit"};

#define N_FIRST (sizeof(first_steps) / sizeof(first_steps[0]))

static bool is_first_step(const struct explore_command *c)
{
	for (size_t i = 0; i < N_FIRST; i++)
		if (strcmp(first_steps[i], c->name) == 0)
			return true;
	return false;
}

/* The names of all other commands, in lines of 80 columns. */
static void write_others(struct out *o)
{
	size_t column = 0;

	for (const struct explore_command *c = explore_commands(); c->name; c++) {
		size_t n = strlen(c->name);

		if (is_first_step(c))
			continue;
		if (!column || column + 2 + n > 79) {
			out_text(o, column ? ",\n  " : "\n  ");
			column = 2;
		} else {
			out_text(o, ", ");
			column += 2;
		}
		out_text(o, c->name);
		column += n;
	}
	out_text(o, "\n");
}

static void write_first_steps(struct out *o)
{
	struct error unused;

	for (size_t i = 0; i < N_FIRST; i++)
		write_help(o, explore_command_find(first_steps[i], &unused));
	write_others(o);
	out_text(o,
		 "\n  help all, help COMMAND   what all do, more of one; Ctrl-C stops an answer\n");
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

static int explore_help(struct explore *e, const struct explore_command *c,
			const struct explore_line *l, struct error *err)
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
	return explore_close(e, o, err);
}

/* ---- explore commands ------------------------------------------------------------------------ */
/*
 * Has the table of commands, finds the command of a line and runs it.
 *
 * In: a line. Out: what the command prints.
 */

static int quit(struct explore *e, const struct explore_command *c, const struct explore_line *l,
		struct error *err);
static int back(struct explore *e, const struct explore_command *c, const struct explore_line *l,
		struct error *err);
static int peek(struct explore *e, const struct explore_command *c, const struct explore_line *l,
		struct error *err);
static int web(struct explore *e, const struct explore_command *c, const struct explore_line *l,
	       struct error *err);

#define COMMAND(where, text, value, says)                                                          \
	.place = (where), .name = (text), .arguments = (value), .help = (says)
#define VIEW(which) .run = explore_view, .view = &(which)
#define NEEDS(what) .takes = TAKES_##what, .is_needed = true
#define TAKES(what) .takes = TAKES_##what
#define WEB_BYTES   32 /* of the name of a picture */
#define WEB_MOST    999
#define SETTING	    .takes = TAKES_VALUE, .is_undone = true, .run = explore_set_value
#define TIMES	    .takes = TAKES_SECONDS, .is_undone = true, .run = explore_choose_times

/* Commands with these places stand before all commands that show a view, and behind them. */
#define FIRST 0
#define LAST  1000

/* The commands that do not show a view of cpconv. */
static const struct explore_command others[] = {
	{COMMAND(FIRST, "resources", "[NAME]", "what was counted; NAME chooses one of several"),
	 TAKES(RESOURCE), .run = explore_resources},
	{COMMAND(FIRST, "columns", "NAME NAME...", "several resources side by side"),
	 NEEDS(RESOURCE), .run = explore_columns},
	{COMMAND(FIRST, "state", "[NAME,...]", "only samples in these states; off: in all"),
	 TAKES(STATE), .is_undone = true, .run = explore_choose_state},
	{COMMAND(FIRST, "at", "[WHEN]", "alloc-live: at the end, the peak, or SECONDS"),
	 TAKES(MOMENT), .is_undone = true, .run = explore_choose_moment},
	{COMMAND(FIRST, "from", "[SECONDS]", "only samples from that time of the run on"), TIMES},
	{COMMAND(FIRST, "to", "[SECONDS]", "only samples before that time; off: to the end"),
	 TIMES},
	{COMMAND(FIRST, "base", "[FILE...]", "compare with FILE from now on; off: no more"),
	 TAKES(FILE), .run = explore_base},
	{COMMAND(FIRST, "blame", "[off]", "what holders of locks cost those who wait"),
	 TAKES(SWITCH), .run = explore_choose_blame},
	{COMMAND(60, "callers", "FUNCTION", "who calls a function, with shares of its total"),
	 NEEDS(FUNCTION), VIEW(explore_callers)},
	{COMMAND(60, "callees", "FUNCTION", "whom a function calls, with shares of its total"),
	 NEEDS(FUNCTION), VIEW(explore_callees)},
	{COMMAND(LAST, "threshold", "[PERCENT]", "hide rows below this share"), SETTING},
	{COMMAND(LAST, "depth", "[N]", "show N levels at most"), SETTING},
	{COMMAND(LAST, "top", "[N]", "show the N heaviest rows at most"), SETTING},
	{COMMAND(LAST, "unit", "[UNIT]", "count gticks or samples"), SETTING},
	{COMMAND(LAST, "percent", "[OF]", "percentages of the total or the parent"), SETTING},
	{COMMAND(LAST, "granularity", "[WHAT]",
		 "names stand for a module, function, line, address"),
	 SETTING},
	{COMMAND(LAST, "focus", "[NAME,...]", "only stacks that contain one (a name, file, regex)"),
	 SETTING},
	{COMMAND(LAST, "ignore", "[NAME,...]", "only stacks that contain none of these"), SETTING},
	{COMMAND(LAST, "hide", "[NAME,...]", "take these functions out of all stacks"), SETTING},
	{COMMAND(LAST, "collapse", "[NAME,...]", "show calls among these as the first of them"),
	 SETTING},
	{COMMAND(LAST, "set", "[NAME [VALUE]]", "all settings, one, or a new value for it"),
	 TAKES(SETTING), .is_undone = true, .run = explore_set},
	{COMMAND(LAST, "undo", NULL,
		 "take back the last change of a setting, or of what is chosen"),
	 .run = explore_undo},
	{COMMAND(LAST, "pager", "[COMMAND]", "what shows output longer than the screen, or off"),
	 TAKES(NOTHING), .run = explore_set_pager},
	{COMMAND(LAST, "help", "[COMMAND]", "the first steps; all: this list; more of one"),
	 TAKES(COMMAND), .run = explore_help},
	{COMMAND(LAST, "back", NULL, "the answer before the last one, once more"), .run = back},
	{COMMAND(175, "web", "[FILE]", "the call graph, drawn by Graphviz and shown"), TAKES(FILE),
	 .run = web},
	/* pprof's and gdb's words */
	{COMMAND(LAST, "list", "FUNCTION", NULL), NEEDS(FUNCTION), VIEW(view_source)},
	{COMMAND(LAST, "disasm", "FUNCTION", NULL), NEEDS(FUNCTION), VIEW(view_asm)},
	{COMMAND(LAST, "peek", "FUNCTION", NULL), NEEDS(FUNCTION), .run = peek},
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
	const struct known_option *option = options_known(word);
	const struct explore_command *c;
	const char *nearest = NULL;
	uint32_t least = SUGGEST_FAR;

	if (option && !options_is_of_cpconv(option) && option->kind != KIND_HELP &&
	    option->kind != KIND_VERSION) {
		error_set(err, "no command \"%s\"; it is %s%s%s%s", word,
			  options_is_setting(option) ? "a setting: set "
						     : "chosen at the start: cpprof --",
			  word, option->argument ? " " : "",
			  option->argument ? option->argument : "");
		return NULL;
	}
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

/* pprof's "top10" is "flat 10". *other is the text to be run, of *n bytes, which is to be freed; NULL: it is
 * the given one. */
static int translate(const char *text, size_t *n, char **other, struct error *err)
{
	size_t blanks = 0, digits, rest;

	*other = NULL;

	while (blanks < *n && (text[blanks] == ' ' || text[blanks] == '\t'))
		blanks++;
	if (*n - blanks < 4 || memcmp(text + blanks, "top", 3) != 0)
		return 0;
	for (digits = blanks + 3; digits < *n && text[digits] >= '0' && text[digits] <= '9';)
		digits++;
	for (rest = digits; rest < *n && strchr(" \t\r\n", text[rest]);)
		rest++;
	if (digits == blanks + 3 || (digits < *n && rest == digits))
		return 0;
	if (rest < *n && !strchr("->", text[rest]))
		return error_set(err,
				 "%.*s takes no argument; focus NAME makes all tables of stacks "
				 "with NAME alone",
				 (int)(digits - blanks), text + blanks);
	if (asprintf(other, "flat %.*s", (int)(*n - blanks - 3), text + blanks + 3) < 0)
		return error_memory(err);
	*n += 5 - blanks - 3;
	return 0;
}

/* Keep the line for `back`. */
static void keep_shown(struct explore *e, const char *text, size_t n)
{
	char *copy = strndup(text, n);

	if (copy && array_reserve(&e->shown, &e->shown_size, e->n_shown + 1, sizeof(*e->shown)))
		e->shown[e->n_shown++] = copy;
	else
		free(copy);
}

/* What a command changes without an argument, or `set` with a name alone, is nothing. */
static int run_command(struct explore *e, const struct explore_command *c,
		       const struct explore_line *l, const char *text, size_t n, struct error *err)
{
	bool is_undone = c->is_undone && l->n > (c->run == explore_set ? 2u : 1u);
	struct explore_undo before;
	int status;

	if (is_undone && explore_undo_begin(e, &before, text, n, err))
		return -1;
	status = c->run(e, c, l, err);
	if (is_undone)
		explore_undo_end(e, &before, !status);
	return status;
}

static int run_line(struct explore *e, const char *text, size_t n, struct error *err)
{
	const struct explore_command *c;
	struct explore_line l;
	int status = explore_line_split(&l, text, n, err);

	if (!status && l.n == 0 && l.output)
		status = error_set(err, "there is no command before >");
	if (!status && l.n > 0) {
		c = explore_command_find(l.words[0], err);
		status = c ? run_command(e, c, &l, text, n, err) : -1;
		if (!status && !l.output && (c->view || c->run == peek))
			keep_shown(e, text, n);
	}
	explore_line_free(&l);
	return status;
}

int explore_run(struct explore *e, const char *text, size_t n, struct error *err)
{
	char *other;
	int status = translate(text, &n, &other, err);

	if (!status)
		status = run_line(e, other ? other : text, n, err);

	free(other);
	return status;
}

/* ---- words of other profilers ---------------------------------------------------------------- */

/* A row's number means a function of the table before both answers, and afterwards one of the second answer. */
static int peek(struct explore *e, const struct explore_command *c, const struct explore_line *l,
		struct error *err)
{
	struct explore_command callers = *c, callees = *c;
	int status;

	callers.view = &explore_callers;
	callees.view = &explore_callees;
	e->numbers.is_kept = true;
	status = explore_view(e, &callers, l, err);
	e->numbers.is_kept = false;
	return status ? status : explore_view(e, &callees, l, err);
}

/* Show the file in the user's browser, if there is a screen. */
static void browse(const char *file)
{
	bool has_screen = getenv("BROWSER") || getenv("DISPLAY") || getenv("WAYLAND_DISPLAY");
	pid_t child = has_screen ? fork() : -1;

	if (child == 0) {
		execl("/bin/sh", "sh", "-c", "${BROWSER:-xdg-open} \"$0\" >/dev/null 2>&1 &", file,
		      (char *)NULL);
		_exit(127);
	}
	while (child > 0 && waitpid(child, NULL, 0) < 0 && errno == EINTR)
		;
}

/* cpprof.svg, or if that is there already, cpprof-2.svg and so on. -1: all are there. */
static int unused_file(char file[WEB_BYTES], struct error *err)
{
	struct stat st;

	strcpy(file, "cpprof.svg");
	for (int i = 2; !lstat(file, &st); i++) {
		if (i > WEB_MOST)
			return error_set(err, "%s is there already; name the file: web FILE", file);
		snprintf(file, WEB_BYTES, "cpprof-%d.svg", i);
	}
	return 0;
}

static int web(struct explore *e, const struct explore_command *c, const struct explore_line *l,
	       struct error *err)
{
	const char *file = l->n > 1 ? l->words[1] : l->output;
	char unused[WEB_BYTES];

	(void)c;
	if (l->n > 2 || (l->n > 1 && l->output))
		return error_set(err, "web takes one file");
	if (!file && unused_file(unused, err))
		return -1;
	if (explore_emit(e, &view_dot, &e->options, file ? file : unused, err))
		return -1;
	if (e->is_terminal || !file)
		message("the call graph is in %s", file ? file : unused);
	file = file ? file : unused;
	if (e->is_terminal)
		browse(file);
	return 0;
}

static int back(struct explore *e, const struct explore_command *c, const struct explore_line *l,
		struct error *err)
{
	char *line;
	int status;

	(void)c;
	if (l->n > 1 || e->n_shown < 2)
		return error_set(err, l->n > 1 ? "back takes no argument"
					       : "there is no answer before this one");
	free(e->shown[--e->n_shown]);
	line = e->shown[--e->n_shown];
	status = run_line(e, line, strlen(line), err);
	free(line);
	return status;
}

/* ---- quit ------------------------------------------------------------------------------------- */

static int quit(struct explore *e, const struct explore_command *c, const struct explore_line *l,
		struct error *err)
{
	(void)c;
	(void)l;
	(void)err;
	e->is_over = true;
	return 0;
}
