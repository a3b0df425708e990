/* SPDX-License-Identifier: MIT */
/*
 * cpconv.c - the program cpconv, which reads files and writes one view of them.
 *
 * In: the command line. Out: a view, an exit status.
 */
#include <stdlib.h>
#include <unistd.h>

#include "elf/kept_file.h"
#include "options/options.h"
#include "pipeline/message.h"
#include "pipeline/pack.h"
#include "pipeline/pager.h"
#include "pipeline/report.h"
#include "pipeline/runs.h"
#include "pipeline/sources.h"
#include "view/view.h"
#include "write/looks.h"

#define HOME "\033[H\033[J" /* to the corner of the screen, which is cleared */

static int emit(const struct analysis *s, const struct options *opt, struct error *err)
{
	struct view_options how = opt->of_view;
	const struct view_input in = analysis_input(s, &how);
	const char *format = picture_format(opt->view, opt->output);
	struct error unused;
	struct out *o;
	int status;

	if (format)
		return picture_write(opt->view, &in, format, opt->output, err);
	o = out_open(opt->output, err);
	if (!o)
		return -1;
	if (opt->view->fits_screen && !view_input_is_rows(&how) && !how.top && how.threshold < 0) {
		how.top = looks_rows(o, s->profile->n_processes);
		how.top_fits = how.top > 0;
	}
	if (opt->follow)
		out_text(o, HOME);
	else if (!how.top_fits)
		out_page(o, pager_of(pager_default()));
	status = view_show(opt->view, &in, o, err);
	if (out_close(o, !status, status ? &unused : err))
		status = -1;
	return status;
}

/* Find the files and, if they are to be compared, put those of the base before them. */
static int find_sources(struct sources *from, struct runs *runs, const struct options *opt,
			struct error *err)
{
	struct sources later = {0};
	int status;

	if (!opt->n_bases) {
		status = sources_find(from, opt->files, opt->n_files, opt->list, err);
		if (!status)
			warnings_sources(from);
		return status;
	}
	status = sources_find(from, opt->bases, opt->n_bases, NULL, err);
	if (!status)
		warnings_sources(from);
	if (!status)
		status = sources_find(&later, opt->files, opt->n_files, opt->list, err);
	if (!status)
		warnings_sources(&later);
	if (!status)
		status = runs_compare(runs, from, &later, err);
	sources_free(&later);
	return status;
}

/* Whether a recording that was read is still being written. */
static bool is_running(const struct profile *p)
{
	for (size_t i = 0; i < p->n_processes; i++)
		if (!p->processes[i].ended && p->processes[i].unended == EVENT_RUNNING)
			return true;
	return false;
}

static int convert(const struct options *opt, bool *goes_on)
{
	struct analysis s = {0};
	struct sources from;
	struct runs runs = {0};
	struct error err;
	int status = find_sources(&from, &runs, opt, &err);

	if (!status)
		status = sources_check_output(&from, opt->output, &err);
	if (status || report_read(&s, &from, opt, &err) ||
	    report_shape(&s, view_needs(opt->view, filter_drops(&opt->filter)), opt, &err) ||
	    emit(&s, opt, &err))
		status = -1;
	else
		status = assertions_check(opt, &from, &s, &err);
	*goes_on = status == ASSERTIONS_HOLD && is_running(s.profile);
	message_mute(false);
	status = status < 0			  ? exit_status_report(&err)
		 : status == ASSERTIONS_BROKEN	  ? EXIT_BROKEN
		 : status == ASSERTIONS_UNCERTAIN ? EXIT_UNCERTAIN
						  : EXIT_SUCCESS;
	analysis_free(&s);
	sources_free(&from);
	runs_free(&runs);
	return status;
}

static int pack(const struct options *opt)
{
	struct sources from;
	struct error err;
	int status = sources_find(&from, opt->files, opt->n_files, opt->list, &err);

	if (!status)
		status = sources_check_output(&from, opt->output, &err);
	if (!status) {
		warnings_sources(&from);
		status = pack_write(&from, opt, &err);
	}
	sources_free(&from);
	return status ? exit_status_report(&err) : EXIT_SUCCESS;
}

/* As top(1) does. An interrupt ends it; the last picture stays. */
static int follow(const struct options *opt)
{
	bool goes_on;
	int status;

	if (!isatty(STDOUT_FILENO) || opt->output || view_input_is_rows(&opt->of_view)) {
		message("--follow shows a table on a terminal, anew each second; without it this "
			"is "
			"written once");
		return EXIT_USAGE;
	}
	while (!(status = convert(opt, &goes_on)) && goes_on) {
		message_mute(true);
		sleep(1);
	}
	return status;
}

static void write_version(struct out *o)
{
	out_text(o, "cpconv " CPS_PROJECT_VERSION "\n");
}

int main(int argc, char **argv)
{
	struct options opt;
	struct error err;
	bool goes_on;
	int status;

	startup("cpconv");
	kept_file_use();
	if (options_parse(&opt, argc, argv, &err)) {
		message("%s (see cpconv --help=all)", err.text);
		status = EXIT_USAGE;
	} else if (opt.action == OPTIONS_HELP) {
		status = exit_status_print(options_first);
	} else if (opt.action == OPTIONS_HELP_ALL) {
		status = exit_status_print(options_help);
	} else if (opt.action == OPTIONS_VERSION) {
		status = exit_status_print(write_version);
	} else if (opt.pack) {
		status = pack(&opt);
	} else {
		status = opt.follow ? follow(&opt) : convert(&opt, &goes_on);
	}
	options_free(&opt);
	return status;
}
