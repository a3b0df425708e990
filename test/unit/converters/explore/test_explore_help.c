/* SPDX-License-Identifier: MIT */
/* test_explore_help.c - cpprof's help, for all commands and for each. */
#include "explore/explore_command.h"
#include "out_text.h"

/* What a line prints, which is a command and its output; free() it. */
static char *printed(const char *line)
{
	struct explore e = {0};
	struct error err;

	enter_new_directory();
	options_init(&e.options);
	cr_assert_eq(explore_run(&e, line, strlen(line), &err), 0, "%s: %s", line, err.text);
	options_free(&e.options);
	return text_of_file("text");
}

/* The line with which help begins what it says of a command. */
static const char *usage(char line[128], const struct explore_command *c)
{
	char name[64];

	snprintf(name, sizeof(name), "%s %s", c->name, c->arguments ? c->arguments : "");
	snprintf(line, 128, "  %-24s %s\n", name, c->help);
	return line;
}

/* How many lines of the text begin with two blanks and the command's name. */
static int lines_of(const char *text, const struct explore_command *c)
{
	size_t length = strlen(c->name);
	int n = 0;

	for (; *text; text = strchr(text, '\n') + 1)
		n += strncmp(text, "  ", 2) == 0 && strncmp(text + 2, c->name, length) == 0 &&
		     text[2 + length] == ' ';
	return n;
}

/* What help says of one command alone, behind its usage: one line at most. */
static void check_more(const struct explore_command *c, const char *more)
{
	char want[128] = "";

	if (c->view && view_find(c->view->name))
		snprintf(want, sizeof(want),
			 "  It shows what cpconv --%s%s%s shows; see there in cpconv(1).\n",
			 c->view->name, c->option ? " --" : "", c->option ? c->option : "");
	else if (c->takes == TAKES_VALUE)
		snprintf(want, sizeof(want),
			 "  It is cpconv's --%s; off takes it back. Now: ", c->name);
	cr_assert_eq(strncmp(more, want, strlen(want)), 0, "help %s: %s", c->name, more);
	if (c->takes == TAKES_VALUE)
		cr_assert_str_eq(strchr(more, '\n'), "\n", "help %s: %s", c->name, more);
	else
		cr_assert_str_eq(more, want, "help %s", c->name);
}

Test(explore_help, of_a_command_is_about_that_command)
{
	const struct explore_command *c, *other;
	char line[128], *text;

	for (c = explore_commands(); c->name; c++) {
		snprintf(line, sizeof(line), "help %s > text", c->name);
		text = printed(line);
		for (other = explore_commands(); other->name; other++)
			cr_assert_eq(lines_of(text, other), other == c && c->help, "help %s: %s",
				     c->name, text);
		if (c->help) {
			usage(line, c);
			cr_assert_eq(strncmp(text, line, strlen(line)), 0, "%s%s", line, text);
			check_more(c, text + strlen(line));
		}
		free(text);
	}
}

/* Each once, in the order of the table. */
Test(explore_help, lists_all_commands)
{
	char line[128], *text = printed("help all > text"), *at = text;
	const struct explore_command *c;

	for (c = explore_commands(); c->name; c++) {
		if (!c->help)
			continue;
		usage(line, c);
		cr_assert_eq(strncmp(at, line, strlen(line)), 0, "%s is not at %.50s", line, at);
		at += strlen(line);
	}
	cr_assert_eq(strncmp(at, "\nA command may be shortened", 27), 0, "%s", at);
	free(text);
}

/* What people do first and the names of all other commands fit a screen. Seen to fail: bodies was not listed. */
Test(explore_help, first_steps)
{
	static const char *const first[] = {"functions", "source", "up", "tree", "quit"};
	char line[128], *text = printed("help > text"), *at;
	size_t i, lines = 0;

	for (at = text; (at = strchr(at, '\n')); at++)
		lines++;
	cr_assert_leq(lines, 23, "%s", text);
	for (i = 0; i < sizeof(first) / sizeof(*first); i++) {
		struct error err;
		const struct explore_command *c = explore_command_find(first[i], &err);

		cr_assert(strstr(text, usage(line, c)), "%s is not in %s", line, text);
	}
	cr_assert(strstr(text, "help all"), "%s", text);
	for (const struct explore_command *c = explore_commands(); c->name; c++) {
		const char *name = strstr(text, c->name);

		while (name && ((name > text && !strchr(" ,", name[-1])) ||
				!strchr(" ,\n", name[strlen(c->name)])))
			name = strstr(name + 1, c->name);
		cr_assert(name, "%s is not in %s", c->name, text);
	}
	free(text);
}

Test(explore_help, of_no_command)
{
	struct explore e = {0};
	struct error err;

	options_init(&e.options);
	cr_assert_eq(explore_run(&e, "help xyzzy", strlen("help xyzzy"), &err), -1);
	cr_assert_str_eq(err.text, "no command \"xyzzy\"; help lists them");
	options_free(&e.options);
}
