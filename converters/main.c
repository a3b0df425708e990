/* SPDX-License-Identifier: MIT */
/*
 * main.c - cpconv: files in, one view out.
 *
 * Main room. In: the command line. Out: a view, an exit status.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "options.h"
#include "say.h"
#include "sources.h"
#include "stages.h"
#include "view.h"
#include "warnings.h"

#define EXIT_USAGE 2

static int die(const struct error *err)
{
	say("%s", err->text);
	return err->is_usage ? EXIT_USAGE : EXIT_FAILURE;
}

/* A file opened in the place of a closed standard descriptor would be written to by mistake. */
static void hold_descriptors(void)
{
	int fd;

	do
		fd = open("/dev/null", O_RDONLY);
	while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd >= 0)
		close(fd);
}

static int emit(const struct stages *s, const struct options *opt, struct error *err)
{
	const struct view_input in = stages_input(s, &opt->of_view);
	struct error unused;
	struct out *o = out_open(opt->output, err);
	int status;

	if (!o)
		return -1;
	status = opt->view->emit(&in, o, err);
	if (out_close(o, !status, status ? &unused : err))
		status = -1;
	return status;
}

static int convert(struct options *opt)
{
	struct stages s = {0};
	struct sources from;
	struct error err;
	int status = sources_find(&from, opt->files, opt->n_files, &err);

	if (opt->idle)
		say("warning: --%s has no effect on --%s", opt->idle, opt->view->name);
	if (!status)
		warnings_sources(&from);
	if (status || stages_read(&s, &from, opt, &err) ||
	    stages_shape(&s, opt->view->needs, opt, &err) || emit(&s, opt, &err))
		status = die(&err);
	stages_free(&s);
	sources_free(&from);
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
	out_text(o, "cpconv " CPS_PROJECT_VERSION "\n");
}

int main(int argc, char **argv)
{
	struct options opt;
	struct error err;
	int status;

	hold_descriptors();
	signal(SIGPIPE, SIG_IGN); /* write then fails with EPIPE, which out takes as the end */
	if (options_parse(&opt, argc, argv, &err)) {
		say("%s (see cpconv --help)", err.text);
		status = EXIT_USAGE;
	} else if (opt.action == OPTIONS_HELP) {
		status = print(options_help);
	} else if (opt.action == OPTIONS_VERSION) {
		status = print(write_version);
	} else {
		status = convert(&opt);
	}
	options_free(&opt);
	return status;
}
