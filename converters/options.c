/* SPDX-License-Identifier: MIT */
/*
 * options.c - reads cpconv's command line.
 *
 * Main room. In: argv. Out: what was asked for.
 */
#include "options.h"

#include <getopt.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* What an option's value is, and what it is kept as. */
enum kind {
	KIND_HELP,    /* none: an action */
	KIND_VERSION, /* none: an action */
	KIND_VIEW,    /* the name of a view */
	KIND_PIDS,    /* a list, for select */
	KIND_EXE,     /* a regular expression, for select */
	KIND_FLAG,    /* none: a bool becomes true */
	KIND_NO,      /* none: a bool becomes false */
	KIND_TEXT,    /* a const char * */
	KIND_PERCENT, /* a double from 0 to 100 */
	KIND_NUMBER,  /* a positive double */
	KIND_COUNT,   /* a uint64_t from 1 up */
	KIND_CHOICE,  /* an int: the place in a list of words */
	KIND_SET,     /* none: an int becomes option.set */
};

#define CHOICES_MAX 6

struct known_option {
	const char *name, *argument, *help; /* argument NULL: it takes none */
	enum kind kind;
	size_t place; /* in struct options */
	int set;
	const char *choices[CHOICES_MAX];
};

#define AT(field) offsetof(struct options, field)

#define OPTION(text, value, says) .name = text, .argument = value, .help = says
#define FLAG(field)		  .kind = KIND_FLAG, .place = AT(field)
#define NO(field)		  .kind = KIND_NO, .place = AT(field)
#define TEXT(field)		  .kind = KIND_TEXT, .place = AT(field)
#define PERCENT(field)		  .kind = KIND_PERCENT, .place = AT(field)
#define COUNT(field)		  .kind = KIND_COUNT, .place = AT(field)
#define CHOICE(field, ...)	  .kind = KIND_CHOICE, .place = AT(field), .choices = {__VA_ARGS__}
#define SET(field, value)	  .kind = KIND_SET, .place = AT(field), .set = value

/* In the order of --help. */
static const struct known_option known[] = {
	{OPTION("format", "NAME", "the view, by name"), .kind = KIND_VIEW},
	{OPTION("output", "FILE", "write to FILE, not to standard output (also -o FILE)"),
	 TEXT(output)},
	{OPTION("tsv", NULL, "a table for programs: tab-separated values"),
	 SET(of_view.format, VIEW_TSV)},
	{OPTION("json", NULL, "the same as JSON"), SET(of_view.format, VIEW_JSON)},
	{OPTION("unit", "UNIT", "count gticks (default) or samples"),
	 CHOICE(of_view.unit, [TREE_GTICKS] = "gticks", [TREE_HITS] = "samples")},
	{OPTION("root", "NAME", "root function of callpath (default main)"), TEXT(of_view.root)},
	{OPTION("up", NULL, "callpath: paths that lead to the root function"), FLAG(of_view.up)},
	{OPTION("sort", "BY", "flat: by self (default) or total"),
	 CHOICE(of_view.by_total, "self", "total")},
	{OPTION("threshold", "PERCENT", "hide rows below (flat 0, trees 0.5, callpath 1)"),
	 PERCENT(of_view.threshold)},
	{OPTION("depth", "N", "show N levels at most (trees, callpath, dot, graph)"),
	 COUNT(of_view.depth)},
	{OPTION("top", "N", "show the N heaviest rows at most"), COUNT(of_view.top)},
	{OPTION("percent", "OF", "percentages of the total (default) or the parent"),
	 CHOICE(of_view.of_parent, "total", "parent")},
	{OPTION("totals", "HOW", "dot, graph: propagated (default) or exact"),
	 CHOICE(of_view.totals, [VIEW_PROPAGATED] = "propagated", [VIEW_EXACT] = "exact")},
	{OPTION("node-thres", "PERCENT", "dot, graph: drop functions below (default 0.5)"),
	 PERCENT(of_view.node_threshold)},
	{OPTION("edge-thres", "PERCENT", "dot, graph: drop calls below (default 0.1)"),
	 PERCENT(of_view.edge_threshold)},
	{OPTION("pid", "N,...", "take only these processes"), .kind = KIND_PIDS},
	{OPTION("exe", "REGEX", "take only processes whose executable's path matches"),
	 .kind = KIND_EXE},
	{OPTION("by", "GROUP", "tell stacks apart: by process, thread or exe"),
	 CHOICE(by, [PROFILE_BY_NOTHING] = "nothing", [PROFILE_BY_PROCESS] = "process",
		[PROFILE_BY_THREAD] = "thread", [PROFILE_BY_EXE] = "exe")},
	{OPTION("strict", NULL, "an input that was cut is an error"), FLAG(strict)},
	{OPTION("no-demangle", NULL, "leave C++ and Rust names as the linker sees them"),
	 NO(of_symbols.demangle)},
	{OPTION("sysroot", "DIR", "look for modules and debug files below DIR"),
	 TEXT(of_symbols.sysroot)},
	{OPTION("debug-dir", "DIR", "look for debug files here, not in /usr/lib/debug"),
	 TEXT(of_symbols.debug_dir)},
	{OPTION("help", NULL, "print this and exit (also -h)"), .kind = KIND_HELP},
	{OPTION("version", NULL, "print the version and exit (also -V)"), .kind = KIND_VERSION},
};

#define N_KNOWN	  (sizeof(known) / sizeof(known[0]))
#define VIEWS_MAX 64u
/* getopt_long's values: beyond those of short options, the place in `known`, then in `views`. */
#define KEY_KNOWN 256
#define KEY_VIEW  (KEY_KNOWN + (int)N_KNOWN)

/* getopt_long's table: the options above and one for each view. */
static void fill_table(struct option table[N_KNOWN + VIEWS_MAX + 1])
{
	size_t i, n = 0;

	for (i = 0; i < N_KNOWN; i++)
		table[n++] = (struct option){
			.name = known[i].name,
			.has_arg = known[i].argument ? required_argument : no_argument,
			.val = KEY_KNOWN + (int)i,
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

static int parse_view(struct options *opt, const char *text, struct error *err)
{
	const struct view *view = view_find(text);

	if (!view)
		return error_set(err, "--format: there is no view \"%s\"", text);
	return choose_view(opt, view, err);
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

static int parse_number(double *value, const char *name, const char *text, struct error *err)
{
	char *end;

	*value = strtod(text, &end);
	if (end == text || *end || !isfinite(*value) || *value <= 0)
		return error_set(err, "--%s: \"%s\" is not a number above 0", name, text);
	return 0;
}

static int parse_count(uint64_t *value, const char *name, const char *text, struct error *err)
{
	char *end;
	unsigned long n = strtoul(text, &end, 10);

	if (*text < '0' || *text > '9' || *end || n < 1 || n > UINT32_MAX)
		return error_set(err, "--%s: \"%s\" is not a number from 1 up", name, text);
	*value = n;
	return 0;
}

static int parse_choice(void *value, const struct known_option *option, const char *text,
			struct error *err)
{
	int i;

	for (i = 0; i < CHOICES_MAX && option->choices[i]; i++) {
		if (strcmp(option->choices[i], text) != 0)
			continue;
		*(int *)value = i;
		return 0;
	}
	error_set(err, "--%s: \"%s\" is not one of", option->name, text);
	for (i = 0; i < CHOICES_MAX && option->choices[i]; i++)
		error_append(err, "%s %s", i ? "," : "", option->choices[i]);
	return -1;
}

static int apply(struct options *opt, const struct known_option *option, const char *text,
		 struct error *err)
{
	void *value = (char *)opt + option->place;

	switch (option->kind) {
	case KIND_HELP:
		opt->action = OPTIONS_HELP;
		return 0;
	case KIND_VERSION:
		opt->action = OPTIONS_VERSION;
		return 0;
	case KIND_VIEW:
		return parse_view(opt, text, err);
	case KIND_PIDS:
		return select_add_pids(&opt->of_processes, text, err);
	case KIND_EXE:
		return select_set_exe(&opt->of_processes, text, err);
	case KIND_FLAG:
	case KIND_NO:
		*(bool *)value = option->kind == KIND_FLAG;
		return 0;
	case KIND_TEXT:
		*(const char **)value = text;
		return 0;
	case KIND_PERCENT:
		return parse_percent(value, option->name, text, err);
	case KIND_NUMBER:
		return parse_number(value, option->name, text, err);
	case KIND_COUNT:
		return parse_count(value, option->name, text, err);
	case KIND_CHOICE:
		return parse_choice(value, option, text, err);
	case KIND_SET:
		*(int *)value = option->set;
		return 0;
	}
	return 0;
}

/* The option that stands behind a short one. */
static const struct known_option *known_named(const char *name)
{
	size_t i;

	for (i = 0; i + 1 < N_KNOWN && strcmp(known[i].name, name) != 0;)
		i++;
	return &known[i];
}

static int apply_key(struct options *opt, int key, const char *text, struct error *err)
{
	if (key >= KEY_VIEW)
		return choose_view(opt, views[key - KEY_VIEW], err);
	if (key >= KEY_KNOWN)
		return apply(opt, &known[key - KEY_KNOWN], text, err);
	return apply(opt,
		     known_named(key == 'h'   ? "help"
				 : key == 'o' ? "output"
					      : "version"),
		     text, err);
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
		.of_view = {.threshold = -1,
			    .node_threshold = -1,
			    .edge_threshold = -1,
			    .dot = {.skew = 1}},
		.of_symbols = {.demangle = true},
	};
	fill_table(table);
	opterr = 0;
	while ((key = getopt_long(argc, argv, ":ho:V", table, NULL)) != -1) {
		if (key == ':' || key == '?')
			return complain(key, argv, err);
		if (apply_key(opt, key, optarg, err))
			return -1;
	}
	opt->view = opt->view ? opt->view : views[0];
	if (view_is_rows(&opt->of_view) && !opt->view->has_rows)
		return error_set(err, "the view %s is no table: it has no --%s", opt->view->name,
				 opt->of_view.format == VIEW_TSV ? "tsv" : "json");
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
		out_format(o, "  --%-12s %s%s\n", views[i]->name, views[i]->help,
			   i ? "" : " (default)");
	out_text(o, "\nOptions:\n");
	for (i = 0; i < N_KNOWN; i++)
		out_format(o, "  --%s%s%-*s  %s\n", known[i].name, known[i].argument ? " " : "",
			   (int)(19 - strlen(known[i].name) - (known[i].argument != NULL)),
			   known[i].argument ? known[i].argument : "", known[i].help);
	out_text(o, "\nExit status: 0 success, 1 error, 2 wrong usage. See cpconv(1).\n");
}
