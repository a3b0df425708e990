/* SPDX-License-Identifier: MIT */
/*
 * cpconv.c - the program cpconv, which reads files and writes one view of them.
 *
 * In: the command line. Out: a view, an exit status.
 */
#include "options/options.h"
#include "pipeline/exit_status.h"
#include "pipeline/message.h"
#include "pipeline/report.h"
#include "pipeline/sources.h"
#include "pipeline/startup.h"
#include "pipeline/warnings.h"
#include "view/view.h"

static int emit(const struct analysis *s, const struct options *opt, struct error *err)
{
	const struct view_input in = analysis_input(s, &opt->of_view);
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

static int convert(const struct options *opt)
{
	struct analysis s = {0};
	struct sources from;
	struct error err;
	int status = sources_find(&from, opt->files, opt->n_files, opt->list, &err);

	if (opt->idle)
		message("warning: --%s has no effect on --%s", opt->idle, opt->view->name);
	if (!status)
		warnings_sources(&from);
	if (status || report_read(&s, &from, opt, &err) ||
	    report_shape(&s, opt->view->needs, opt, &err) || emit(&s, opt, &err))
		status = exit_status_report(&err);
	analysis_free(&s);
	sources_free(&from);
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
	int status;

	startup("cpconv");
	if (options_parse(&opt, argc, argv, &err)) {
		message("%s (see cpconv --help)", err.text);
		status = EXIT_USAGE;
	} else if (opt.action == OPTIONS_HELP) {
		status = exit_status_print(options_help);
	} else if (opt.action == OPTIONS_VERSION) {
		status = exit_status_print(write_version);
	} else {
		status = convert(&opt);
	}
	options_free(&opt);
	return status;
}
