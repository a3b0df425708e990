/* SPDX-License-Identifier: MIT */
/*
 * explorer.c - cpprof: files in, then views of them by command (Hall & Goldberg, section 5.2).
 *
 * Explore room. In: the command line, then commands. Out: what they show, an exit status.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "explore.h"
#include "explore_edit.h"
#include "explore_pager.h"
#include "options.h"
#include "say.h"
#include "warnings.h"

#define EXIT_USAGE 2

static int die(const struct error *err)
{
	say("%s", err->text);
	return EXIT_FAILURE;
}

static bool reads_standard_input(const struct explore *e)
{
	size_t i;

	for (i = 0; i < e->options.n_files; i++)
		if (strcmp(e->options.files[i], "-") == 0)
			return true;
	return false;
}

/* Commands out of a file or a pipe: nothing is said but what they show, and what went wrong. All of
 * them are run; the exit status tells whether all went well. */
static int run_script(struct explore *e, FILE *in)
{
	char *text = NULL, speaker[40];
	size_t size = 0, line = 0;
	int status = EXIT_SUCCESS;
	struct error err;
	ssize_t n;

	while (!e->is_over && (n = getline(&text, &size, in)) >= 0) {
		snprintf(speaker, sizeof(speaker), "cpprof: line %zu", ++line);
		say_program(speaker);
		if (explore_run(e, text, (size_t)n, &err))
			status = die(&err);
	}
	say_program("cpprof");
	free(text);
	return status;
}

/* Somebody types. What goes wrong is said, and seen. */
static int run_terminal(struct explore *e, FILE *in, FILE *out)
{
	struct explore_edit *d;
	const char *text;
	struct error err;
	size_t n;

	e->is_terminal = isatty(STDOUT_FILENO);
	e->pager = explore_pager_default();
	if (explore_run(e, "resources", strlen("resources"), &err) ||
	    !explore_shape(e, EXPLORE_FUNCTIONS, &e->options, &err))
		return die(&err);
	d = explore_edit_open(e, in, out);
	if (!d)
		return run_script(e, in);
	while (!e->is_over && (text = explore_edit_line(d, &n)))
		if (explore_run(e, text, n, &err))
			die(&err);
	explore_edit_close(d);
	return EXIT_SUCCESS;
}

/* Commands come from standard input; where that is the profile, from the terminal. */
static int run(struct explore *e)
{
	FILE *out = isatty(STDOUT_FILENO) ? stdout : isatty(STDERR_FILENO) ? stderr : NULL;
	FILE *in = stdin, *terminal = NULL;
	int status;

	if (reads_standard_input(e)) {
		terminal = fopen("/dev/tty", "re");
		if (!terminal) {
			say("standard input is a profile, and there is no terminal for commands");
			return EXIT_FAILURE;
		}
		in = terminal;
	}
	status = out && isatty(fileno(in)) ? run_terminal(e, in, out) : run_script(e, in);
	if (terminal)
		fclose(terminal);
	return status;
}

static int explore(struct options *opt)
{
	struct explore e = {.options = *opt};
	struct sources from;
	struct error err;
	int status = sources_find(&from, opt->files, opt->n_files, &err);

	if (!status)
		warnings_sources(&from);
	if (status || explore_load(&e, &from, &err))
		status = die(&err);
	sources_free(&from);
	if (!status)
		status = run(&e);
	explore_free(&e);
	*opt = e.options; /* settings may hold memory */
	return status;
}

static int print(void (*write)(struct out *o))
{
	struct error err;
	struct out *o = out_open(NULL, &err);

	if (!o)
		return die(&err);
	write(o);
	return out_close(o, true, &err) ? die(&err) : EXIT_SUCCESS;
}

static void write_version(struct out *o)
{
	out_text(o, "cpprof " CPS_PROJECT_VERSION "\n");
}

int main(int argc, char **argv)
{
	struct options opt;
	struct error err;
	int status;

	say_program("cpprof");
	signal(SIGPIPE, SIG_IGN);
	if (options_parse_explorer(&opt, argc, argv, &err)) {
		say("%s (see cpprof --help)", err.text);
		status = EXIT_USAGE;
	} else if (opt.action == OPTIONS_HELP) {
		status = print(options_help_explorer);
	} else if (opt.action == OPTIONS_VERSION) {
		status = print(write_version);
	} else {
		status = explore(&opt);
	}
	options_free(&opt);
	return status;
}
