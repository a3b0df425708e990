/* SPDX-License-Identifier: MIT */
/*
 * cpprof.c - the program cpprof, which reads files and shows views of them by command (Hall &
 * Goldberg, section 5.2).
 *
 * In: the command line, then commands. Out: what they show, an exit status.
 */
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "elf/kept_file.h"
#include "explore/explore.h"
#include "explore/explore_edit.h"
#include "options/options.h"
#include "pipeline/message.h"
#include "pipeline/pager.h"

static bool reads_standard_input(const struct explore *e)
{
	size_t i;

	for (i = 0; i < e->options.n_files; i++)
		if (strcmp(e->options.files[i], "-") == 0)
			return true;
	return e->options.list && strcmp(e->options.list, "-") == 0;
}

/* Returns false if the reader of standard output has gone. */
static bool has_reader(void)
{
	struct pollfd output = {.fd = STDOUT_FILENO};

	return poll(&output, 1, 0) <= 0 || !(output.revents & POLLERR);
}

/* Run commands from a file or a pipe. Only their output and their errors are printed. After an
 * error the next command is run all the same, but the exit status is EXIT_FAILURE. */
static int run_script(struct explore *e, FILE *in)
{
	char *text = NULL, speaker[40];
	size_t size = 0, line = 0;
	int status = EXIT_SUCCESS;
	struct error err;
	ssize_t n;

	while (!e->is_over && has_reader() && (n = getline(&text, &size, in)) >= 0) {
		snprintf(speaker, sizeof(speaker), "cpprof: line %zu", ++line);
		message_program(speaker);
		if (explore_run(e, text, (size_t)n, &err)) {
			exit_status_report(&err);
			status = EXIT_FAILURE;
		}
	}
	message_program("cpprof");
	free(text);
	return status;
}

/* Run commands that a user types at a terminal. Their errors do not change the exit status, because
 * the user has seen them. */
static int run_terminal(struct explore *e, FILE *in, FILE *out)
{
	struct explore_edit *d;
	const char *text;
	struct error err;
	size_t n;

	e->is_terminal = isatty(STDOUT_FILENO);
	e->pager = pager_default();
	if (explore_introduce(e, &err) || !explore_shape(e, EXPLORE_FUNCTIONS, &e->options, &err))
		return exit_status_report(&err);
	d = explore_edit_open(e, in, out);
	if (!d)
		return run_script(e, in);
	while (!e->is_over && (text = explore_edit_line(d, &n)))
		if (explore_run(e, text, n, &err))
			exit_status_report(&err);
	explore_edit_close(d);
	return EXIT_SUCCESS;
}

/* Commands come from standard input. If a profile is read from there, they come from the
 * terminal. */
static int run(struct explore *e)
{
	FILE *out = isatty(STDOUT_FILENO) ? stdout : isatty(STDERR_FILENO) ? stderr : NULL;
	FILE *in = stdin, *terminal = NULL;
	int status;

	if (reads_standard_input(e)) {
		terminal = fopen("/dev/tty", "re");
		if (!terminal) {
			message("standard input was read, and there is no terminal for commands");
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
	int status = sources_find(&from, opt->files, opt->n_files, opt->list, &err);

	if (!status)
		warnings_sources(&from);
	if (status || explore_load(&e, &from, &err))
		status = exit_status_report(&err);
	if (!status)
		status = run(&e);
	explore_free(&e);
	sources_free(&from);
	*opt = e.options; /* the caller frees them, and settings may have allocated memory */
	return status;
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

	startup("cpprof");
	kept_file_use();
	if (options_parse_explorer(&opt, argc, argv, &err)) {
		message("%s (see cpprof --help=all)", err.text);
		status = EXIT_USAGE;
	} else if (opt.action == OPTIONS_HELP) {
		status = exit_status_print(options_first_explorer);
	} else if (opt.action == OPTIONS_HELP_ALL) {
		status = exit_status_print(options_help_explorer);
	} else if (opt.action == OPTIONS_VERSION) {
		status = exit_status_print(write_version);
	} else {
		status = explore(&opt);
	}
	options_free(&opt);
	return status;
}
