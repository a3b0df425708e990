/* SPDX-License-Identifier: MIT */
/*
 * main.c - runs the stages that a view needs.
 *
 * Main room. In: the command line. Out: an exit status. Only this file prints to stderr or exits.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "decode.h"
#include "entry.h"
#include "options.h"
#include "sources.h"
#include "stop_text.h"
#include "view.h"

#define EXIT_USAGE     2
#define WARNINGS_SHOWN 5u

/* What the stages made, to be freed together. */
struct stages {
	struct profile *profile;
	struct symbols *symbols;
	struct tree *tree;
	struct graph *graph;
};

static int die(const struct error *err)
{
	fprintf(stderr, "cpconv: %s\n", err->text);
	return EXIT_FAILURE;
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

static struct profile *read_files(const struct sources *from, struct options *opt,
				  struct error *err)
{
	struct profile_builder *builder = profile_builder_new(err);
	int status = 0;
	size_t i;

	if (!builder)
		return NULL;
	profile_builder_group(builder, (enum profile_by)opt->by);
	if (select_is_set(&opt->of_processes))
		profile_builder_filter(builder, select_process, &opt->of_processes);
	for (i = 0; !status && i < from->n; i++)
		status = decode_file(from->files[i], profile_builder_sink(builder), err);
	if (status || select_check(&opt->of_processes, err)) {
		profile_builder_free(builder);
		return NULL;
	}
	return profile_builder_finish(builder, err);
}

static void warn(const struct profile *p, const struct profile_process *process, const char *what,
		 const char *why)
{
	fprintf(stderr, "cpconv: %s: warning: %s%s\n", strings_get(p->strings, process->file, NULL),
		what, why);
}

/* Recording stopped, though nobody has asked for it; or the journal is of no use. */
static void warn_of_stop(const struct profile *p, const struct profile_process *process)
{
	char text[STOP_TEXT_BYTES];

	if (stop_is_trouble(process))
		warn(p, process, "recording stopped: ", stop_text(text, process));
	if (process->note != STRINGS_NONE)
		warn(p, process, "", strings_get(p->strings, process->note, NULL));
}

/* A target may have been killed: what it left is shown, with a warning. */
static int check_cuts(const struct profile *p, bool strict, struct error *err)
{
	size_t i;

	for (i = 0; i < p->n_processes; i++) {
		const struct profile_process *process = &p->processes[i];
		const char *file = strings_get(p->strings, process->file, NULL), *why;

		warn_of_stop(p, process);
		if (process->ended)
			continue;
		why = process->cut_why == STRINGS_NONE
			      ? "it has no end"
			      : strings_get(p->strings, process->cut_why, NULL);
		error_set(err, "%s: %scut at byte %llu: %s", file,
			  strict ? "" : "warning: ", (unsigned long long)process->cut_offset, why);
		if (strict)
			return -1;
		die(err);
	}
	return 0;
}

static void warn_of_modules(const struct stages *s)
{
	size_t i, n = 0;

	for (i = 0; i < s->profile->n_modules; i++) {
		const char *text = symbols_module_warning(s->symbols, (uint32_t)i);

		if (text && n++ < WARNINGS_SHOWN)
			fprintf(stderr, "cpconv: warning: %s\n", text);
	}
	if (n > WARNINGS_SHOWN)
		fprintf(stderr, "cpconv: warning: and %zu more modules\n", n - WARNINGS_SHOWN);
}

static int run_stages(struct stages *s, const struct sources *from, struct options *opt,
		      struct error *err)
{
	unsigned needs = opt->view->needs;

	s->profile = read_files(from, opt, err);
	if (!s->profile || check_cuts(s->profile, opt->strict, err))
		return -1;
	if (needs) {
		s->symbols = symbols_new(s->profile, &opt->of_symbols, err);
		if (!s->symbols || entry_name(s->symbols, s->profile, err))
			return -1;
	}
	if (needs & (VIEW_NEEDS_TREE | VIEW_NEEDS_GRAPH)) {
		s->tree = tree_build(s->profile, s->symbols, (enum tree_unit)opt->of_view.unit, err);
		if (!s->tree)
			return -1;
		warn_of_modules(s);
	}
	if (needs & VIEW_NEEDS_GRAPH)
		s->graph = graph_build(s->tree, err);
	return needs & VIEW_NEEDS_GRAPH && !s->graph ? -1 : 0;
}

static void free_stages(struct stages *s)
{
	graph_free(s->graph);
	tree_free(s->tree);
	if (s->symbols)
		symbols_free(s->symbols);
	if (s->profile)
		profile_free(s->profile);
}

static int emit(const struct stages *s, const struct options *opt, struct error *err)
{
	const struct view_input in = {
		.profile = s->profile,
		.symbols = s->symbols,
		.tree = s->tree,
		.graph = s->graph,
		.options = &opt->of_view,
	};
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

/* What nobody has named, and what has been named too often. */
static void say_sources(const struct sources *s)
{
	size_t i;

	for (i = 0; i < s->n_again; i++)
		fprintf(stderr, "cpconv: %s: warning: given twice, read once\n", s->again[i]);
	if (s->newest && s->n == 1)
		fprintf(stderr, "cpconv: reading %s\n", s->newest);
	else if (s->newest)
		fprintf(stderr, "cpconv: reading %s and %zu more of its process tree\n", s->newest,
			s->n - 1);
}

static int convert(struct options *opt)
{
	struct stages s = {0};
	struct sources from;
	struct error err;
	int status = sources_find(&from, opt->files, opt->n_files, &err);

	if (!status)
		say_sources(&from);
	if (status || run_stages(&s, &from, opt, &err) || emit(&s, opt, &err))
		status = die(&err);
	free_stages(&s);
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
		fprintf(stderr, "cpconv: %s (see cpconv --help)\n", err.text);
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
