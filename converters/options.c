/* SPDX-License-Identifier: MIT */
/*
 * options.c - reads cpconv's command line.
 *
 * Main room. In: argv. Out: what was asked for.
 */
#include "options.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>

enum option_key {
	KEY_HELP = 'h',
	KEY_OUTPUT = 'o',
	KEY_VERSION = 'V',
	KEY_FORMAT = 256,
	KEY_TSV,
	KEY_UNIT,
	KEY_ROOT,
	KEY_THRESHOLD,
	KEY_NODE_THRESHOLD,
	KEY_EDGE_THRESHOLD,
	KEY_DEPTH,
	KEY_STRICT,
	KEY_NO_DEMANGLE,
	KEY_SYSROOT,
	KEY_DEBUG_DIR,
	KEY_PID,
	KEY_EXE,
	KEY_BY,
	KEY_VIEW, /* plus the view's place in the table */
};

/* An option, its argument's name (NULL: it takes none), and what --help says. */
struct known_option {
	const char *name, *argument, *help;
	int key;
};

static const struct known_option known[] = {
	{"format", "NAME", "the view, by name", KEY_FORMAT},
	{"output", "FILE", "write to FILE, not to standard output (also -o FILE)", KEY_OUTPUT},
	{"tsv", NULL, "tab-separated values (flat, tree, callpath, info)", KEY_TSV},
	{"unit", "UNIT", "count gticks (default) or samples", KEY_UNIT},
	{"root", "NAME", "root function of callpath (default main)", KEY_ROOT},
	{"threshold", "PERCENT", "hide what is below (flat 0, tree 0.5, callpath 1)",
	 KEY_THRESHOLD},
	{"depth", "N", "show N levels at most (tree, callpath, dot)", KEY_DEPTH},
	{"node-thres", "PERCENT", "dot: drop functions below (default 0.5)", KEY_NODE_THRESHOLD},
	{"edge-thres", "PERCENT", "dot: drop calls below (default 0.1)", KEY_EDGE_THRESHOLD},
	{"pid", "N,...", "take only these processes", KEY_PID},
	{"exe", "REGEX", "take only processes whose executable's path matches", KEY_EXE},
	{"by", "GROUP", "tell stacks apart: by process, thread or exe", KEY_BY},
	{"strict", NULL, "an input that was cut is an error", KEY_STRICT},
	{"no-demangle", NULL, "leave C++ and Rust names as the linker sees them", KEY_NO_DEMANGLE},
	{"sysroot", "DIR", "look for modules and debug files below DIR", KEY_SYSROOT},
	{"debug-dir", "DIR", "look for debug files here, not in /usr/lib/debug", KEY_DEBUG_DIR},
	{"help", NULL, "print this and exit (also -h)", KEY_HELP},
	{"version", NULL, "print the version and exit (also -V)", KEY_VERSION},
};

#define N_KNOWN	  (sizeof(known) / sizeof(known[0]))
#define VIEWS_MAX 64u

/* getopt_long's table: the options above and one for each view. */
static void fill_table(struct option table[N_KNOWN + VIEWS_MAX + 1])
{
	size_t i, n = 0;

	for (i = 0; i < N_KNOWN; i++)
		table[n++] = (struct option){
			.name = known[i].name,
			.has_arg = known[i].argument ? required_argument : no_argument,
			.val = known[i].key,
		};
	for (i = 0; i < VIEWS_MAX && views[i]; i++)
		table[n++] = (struct option){.name = views[i]->name, .val = KEY_VIEW + (int)i};
	table[n] = (struct option){0};
}

static int choose_view(struct options *opt, const struct view *view, struct error *err)
{
	if (opt->view && opt->view != view)
		return error_set(err, "one view at a time: %s or %s", opt->view->name, view->name);
	opt->view = view;
	return 0;
}

static int parse_percent(double *value, const char *name, const char *text, struct error *err)
{
	char *end;

	*value = strtod(text, &end);
	if (end > text && *end == '%')
		end++;
	if (end == text || *end || !(*value >= 0 && *value <= 100))
		return error_set(err, "--%s: \"%s\" is not a percentage from 0 to 100", name, text);
	return 0;
}

static int parse_depth(uint32_t *value, const char *text, struct error *err)
{
	char *end;
	unsigned long n = strtoul(text, &end, 10);

	if (*text < '0' || *text > '9' || *end || n < 1 || n > UINT32_MAX)
		return error_set(err, "--depth: \"%s\" is not a number from 1 up", text);
	*value = (uint32_t)n;
	return 0;
}

static int parse_unit(enum tree_unit *unit, const char *text, struct error *err)
{
	if (strcmp(text, "gticks") != 0 && strcmp(text, "samples") != 0)
		return error_set(err, "--unit: \"%s\" is neither gticks nor samples", text);
	*unit = strcmp(text, "samples") == 0 ? TREE_HITS : TREE_GTICKS;
	return 0;
}

static int parse_by(enum profile_by *by, const char *text, struct error *err)
{
	static const char *const names[] = {
		[PROFILE_BY_PROCESS] = "process",
		[PROFILE_BY_THREAD] = "thread",
		[PROFILE_BY_EXE] = "exe",
	};

	for (size_t i = PROFILE_BY_PROCESS; i < sizeof(names) / sizeof(names[0]); i++) {
		if (strcmp(text, names[i]) != 0)
			continue;
		*by = (enum profile_by)i;
		return 0;
	}
	return error_set(err, "--by: \"%s\" is neither process nor thread nor exe", text);
}

static int parse_format(struct options *opt, const char *text, struct error *err)
{
	const struct view *view = view_find(text);

	if (!view)
		return error_set(err, "--format: there is no view \"%s\"", text);
	return choose_view(opt, view, err);
}

/* Options with a value that can be wrong. */
static int apply_value(struct options *opt, int key, const char *text, struct error *err)
{
	struct view_options *v = &opt->of_view;

	switch (key) {
	case KEY_FORMAT:
		return parse_format(opt, text, err);
	case KEY_PID:
		return select_add_pids(&opt->of_processes, text, err);
	case KEY_EXE:
		return select_set_exe(&opt->of_processes, text, err);
	case KEY_BY:
		return parse_by(&opt->by, text, err);
	case KEY_UNIT:
		return parse_unit(&v->unit, text, err);
	case KEY_THRESHOLD:
		return parse_percent(&v->threshold, "threshold", text, err);
	case KEY_NODE_THRESHOLD:
		return parse_percent(&v->node_threshold, "node-thres", text, err);
	case KEY_EDGE_THRESHOLD:
		return parse_percent(&v->edge_threshold, "edge-thres", text, err);
	case KEY_DEPTH:
		return parse_depth(&v->depth, text, err);
	default:
		return choose_view(opt, views[key - KEY_VIEW], err);
	}
}

static int apply(struct options *opt, int key, char *text, struct error *err)
{
	switch (key) {
	case KEY_HELP:
		opt->action = OPTIONS_HELP;
		return 0;
	case KEY_VERSION:
		opt->action = OPTIONS_VERSION;
		return 0;
	case KEY_OUTPUT:
		opt->output = text;
		return 0;
	case KEY_TSV:
		opt->of_view.tsv = true;
		return 0;
	case KEY_ROOT:
		opt->of_view.root = text;
		return 0;
	case KEY_STRICT:
		opt->strict = true;
		return 0;
	case KEY_NO_DEMANGLE:
		opt->of_symbols.demangle = false;
		return 0;
	case KEY_SYSROOT:
		opt->of_symbols.sysroot = text;
		return 0;
	case KEY_DEBUG_DIR:
		opt->of_symbols.debug_dir = text;
		return 0;
	default:
		return apply_value(opt, key, text, err);
	}
}

/* getopt_long has stepped over the argument in question, unless it is one of several short ones. */
static int complain(int what, char **argv, struct error *err)
{
	const char *argument = optind > 0 ? argv[optind - 1] : "";

	if (what == ':')
		return error_set(err, "option %s needs a value", argument);
	if (optopt > 0 && optopt < 256 && strncmp(argument, "--", 2) != 0)
		return error_set(err, "unknown option -%c", optopt);
	if (optopt)
		return error_set(err, "option %s takes no value", argument);
	return error_set(err, "unknown or ambiguous option %s", argument);
}

int options_parse(struct options *opt, int argc, char **argv, struct error *err)
{
	struct option table[N_KNOWN + VIEWS_MAX + 1];
	int key;

	*opt = (struct options){
		.of_view = {.threshold = -1, .node_threshold = -1, .edge_threshold = -1},
		.of_symbols = {.demangle = true},
	};
	fill_table(table);
	opterr = 0;
	while ((key = getopt_long(argc, argv, ":ho:V", table, NULL)) != -1) {
		if (key == ':' || key == '?')
			return complain(key, argv, err);
		if (apply(opt, key, optarg, err))
			return -1;
	}
	opt->view = opt->view ? opt->view : views[0];
	if (opt->of_view.tsv && !opt->view->has_tsv)
		return error_set(err, "the view %s has no --tsv", opt->view->name);
	opt->files = argv + optind;
	opt->n_files = (size_t)(argc - optind);
	return 0;
}

void options_free(struct options *opt)
{
	select_free(&opt->of_processes);
}

void options_help(struct out *o)
{
	size_t i;

	out_text(o,
		 "Usage: cpconv [--VIEW | --format NAME] [OPTION]... [FILE]...\n"
		 "Show what libcpsample recorded: the newest *.cps file here with all of its\n"
		 "process tree, or FILEs, merged; folded stacks (\"a;b;c COUNT\") are read too.\n"
		 "FILE - is standard input.\n"
		 "\nViews:\n");
	for (i = 0; views[i]; i++)
		out_format(o, "  --%-9s %s%s\n", views[i]->name, views[i]->help,
			   i ? "" : " (default)");
	out_text(o, "\nOptions:\n");
	for (i = 0; i < N_KNOWN; i++)
		out_format(o, "  --%s%s%-*s  %s\n", known[i].name, known[i].argument ? " " : "",
			   (int)(19 - strlen(known[i].name) - (known[i].argument != NULL)),
			   known[i].argument ? known[i].argument : "", known[i].help);
	out_text(o, "\nExit status: 0 success, 1 error, 2 wrong usage. See cpconv(1).\n");
}
