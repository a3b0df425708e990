/* SPDX-License-Identifier: MIT */
/*
 * explore_view.c - runs a command that shows a view.
 *
 * In: a line's words and options. Out: what cpconv would show with these options.
 */
#include <stdlib.h>
#include <string.h>

#include "explore/explore_command.h"
#include "options/options_table.h"
#include "pipeline/message.h"

/* A command that is being run. */
struct explore_call {
	struct explore *e;
	const struct explore_command *command;
	struct options options; /* the settings and the options of this command; their root is the
				 * function that the command is about */
	char *text;		/* the argument; NULL: none was given */
	const char *output;	/* the file that output goes to; NULL: standard output */
};

/* Join the words behind the command that are no options into one text. */
static int take_text(struct explore_call *c, struct error *err)
{
	const struct explore_line given = {.words = c->options.files, .n = c->options.n_files};

	if (given.n == 0)
		return 0;
	if (c->command->takes != TAKES_FUNCTION && given.n > 1)
		return error_set(err, "%s takes one argument at most", c->command->name);
	c->text = explore_line_rest(&given, 0);
	return c->text ? 0 : error_memory(err);
}

static bool is_function(const struct explore_names *names, const char *text)
{
	for (size_t i = 0; i < names->n; i++)
		if (strcmp(explore_names_get(names, i), text) == 0)
			return true;
	return false;
}

/* A number means the function in that row of the latest table of several rows, which may be one of another resource. */
static int use_number(struct explore_call *c, const struct explore_names *names, struct error *err)
{
	const struct row_numbers *rows = &c->e->numbers;
	size_t n = strspn(c->text, "0123456789"), row;
	char *name;

	if (!n || c->text[n])
		return 0;
	if (!rows->n)
		return is_function(names, c->text)
			       ? 0
			       : error_set(err,
					   "there is no row %s: no table of functions has been "
					   "shown yet (functions shows one)",
					   c->text);
	row = strtoul(c->text, NULL, 10);
	if (!row || row > rows->n)
		return error_set(err, "there is no row %s: the last table of several has %zu",
				 c->text, rows->n);
	name = strdup(rows->names[row - 1]);
	if (!name)
		return error_memory(err);
	free(c->text);
	c->text = name;
	return 0;
}

/* The view looks for the functions again, but in the same profile, so it finds the same. */
static int use_function(struct explore_call *c, struct error *err)
{
	const struct explore_names *names = explore_functions(c->e, &c->options, err);
	struct function_names functions;

	if (!names || use_number(c, names, err) ||
	    explore_names_find(names, c->text, &functions, err))
		return -1;
	c->options.of_view.root = functions.title;
	if (c->e->is_terminal && functions.title != c->text)
		message("%s: %s", c->text, functions.title);
	function_names_free(&functions);
	return 0;
}

static int use_file(struct explore_call *c, struct error *err)
{
	if (c->output)
		return error_set(err, "there are two outputs");
	c->output = c->text;
	return 0;
}

static int use_text(struct explore_call *c, struct error *err)
{
	const char *name = c->command->name;

	if (!c->text && c->command->takes == TAKES_FILE && c->output)
		return 0;
	if (!c->text)
		return c->command->is_needed ? error_set(err, "%s: of what? %s %s", name, name,
							 c->command->arguments)
					     : 0;
	switch (c->command->takes) {
	case TAKES_FUNCTION:
		return use_function(c, err);
	case TAKES_COUNT:
		return options_apply(&c->options, options_known("top"), c->text, err);
	case TAKES_FILE:
		return use_file(c, err);
	default:
		return error_set(err, "%s takes no argument", name);
	}
}

/* Read the options and the argument of the line. explore_call_end() is to be called also after an
 * error. */
static int explore_call_begin(struct explore_call *c, struct explore *e,
			      const struct explore_command *command, const struct explore_line *l,
			      struct error *err)
{
	const char *idle;

	*c = (struct explore_call){
		.e = e, .command = command, .options = e->options, .output = l->output};
	c->options.filter = (struct filter){0};
	if (filter_copy(&c->options.filter, &e->options.filter, err) ||
	    options_parse_command(&c->options, command->view, (int)l->n, l->words, err))
		return -1;
	idle = options_find_idle(&c->options, command->view);
	if (idle)
		message("warning: --%s is set, and has no effect on %s", idle, command->name);
	return take_text(c, err) || use_text(c, err) ? -1 : 0;
}

static void explore_call_end(struct explore_call *c)
{
	filter_clear(&c->options.filter);
	free(c->text);
}

int explore_view(struct explore *e, const struct explore_command *command,
		 const struct explore_line *l, struct error *err)
{
	struct explore_call c;
	int status = explore_call_begin(&c, e, command, l, err);

	if (!status && command->option)
		status = options_apply(&c.options, options_known(command->option), NULL, err);
	options_name_for(&c.options, command->view);
	if (!status)
		status = explore_emit(e, command->view, &c.options, c.output, err);
	explore_call_end(&c);
	return status;
}
