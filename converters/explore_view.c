/* SPDX-License-Identifier: MIT */
/*
 * explore_view.c - runs a command that shows a view.
 *
 * Explore room. In: a line's words and options. Out: what cpconv would show with these options.
 */
#include <stdlib.h>
#include <string.h>

#include "explore_command.h"
#include "options_table.h"

/* A command at work. */
struct call {
	struct explore *e;
	const struct explore_command *command;
	struct options options; /* in effect for this command alone */
	char *text;		/* what it takes, NULL: nothing was given */
	const char *output;
};

/* The words behind the command that are no options, as one text. */
static int take_text(struct call *c, struct error *err)
{
	const struct explore_line given = {.words = c->options.files, .n = c->options.n_files};

	if (given.n == 0)
		return 0;
	if (c->command->takes != TAKES_FUNCTION && given.n > 1)
		return error_set(err, "%s takes one argument at most", c->command->name);
	c->text = explore_line_rest(&given, 0);
	return c->text ? 0 : error_memory(err);
}

static int use_function(struct call *c, struct error *err)
{
	const struct explore_names *names = explore_functions(c->e, &c->options, err);

	if (!names)
		return -1;
	c->options.of_view.root = explore_names_find(names, c->text, err);
	return c->options.of_view.root ? 0 : -1;
}

static int use_file(struct call *c, struct error *err)
{
	if (c->output)
		return error_set(err, "there are two outputs");
	c->output = c->text;
	return 0;
}

static int use_text(struct call *c, struct error *err)
{
	const char *name = c->command->name;

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

static int show(struct call *c, struct error *err)
{
	const struct explore_command *command = c->command;

	if (command->is_up)
		c->options.of_view.up = true;
	if (take_text(c, err) || use_text(c, err))
		return -1;
	return explore_emit(c->e, command->view, &c->options, c->output, err);
}

int explore_view(struct explore *e, const struct explore_command *command,
		 const struct explore_line *l, struct error *err)
{
	struct call c = {.e = e, .command = command, .options = e->options, .output = l->output};
	int status;

	c.options.filter = (struct filter){0};
	status = filter_copy(&c.options.filter, &e->options.filter, err);
	if (!status)
		status = options_parse_command(&c.options, (int)l->n, l->words, err);
	if (!status)
		status = show(&c, err);
	filter_clear(&c.options.filter);
	free(c.text);
	return status;
}
