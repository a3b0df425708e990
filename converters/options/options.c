/* SPDX-License-Identifier: MIT */
/*
 * options.c - the table of options, and what --help makes of it.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "options/options.h"
#include "options/options_table.h"
#include "write/colour.h"

/* ---- options --------------------------------------------------------------------------------- */

#define AT(field) offsetof(struct options, field)

#define OPTION(text, value, says) .name = text, .argument = value, .help = says
#define FLAG(field)		  .kind = KIND_FLAG, .place = AT(field)
#define NO(field)		  .kind = KIND_NO, .place = AT(field)
#define TEXT(field)		  .kind = KIND_TEXT, .place = AT(field)
#define PERCENT(field)		  .kind = KIND_PERCENT, .place = AT(field)
#define NUMBER(field)		  .kind = KIND_NUMBER, .place = AT(field)
#define COUNT(field)		  .kind = KIND_COUNT, .place = AT(field)
#define CHOICE(field, ...)	  .kind = KIND_CHOICE, .place = AT(field), .choices = {__VA_ARGS__}
/* The same, but its default is none of the words. */
#define CHOICE_OR_NONE(field, ...)                                                                 \
	.kind = KIND_CHOICE, .place = AT(field), .set = 1, .choices = {__VA_ARGS__}
#define SECONDS(field, is_end) .kind = KIND_SECONDS, .place = AT(field), .set = is_end
#define FILTER(which)	       .kind = KIND_FILTER, .set = which
#define LIST(which)	       .kind = KIND_LIST, .set = which
#define SET(field, value)      .kind = KIND_SET, .place = AT(field), .set = value

const struct known_option options_table[] = {
	{OPTION("format", "NAME", "the view, by name"), .kind = KIND_VIEW},
	{OPTION("output", "FILE", "write to FILE, not to standard output (also -o FILE)"),
	 TEXT(output), .letter = 'o'},
	{OPTION("tsv", NULL, "a table for programs: tab-separated values"),
	 SET(of_view.format, VIEW_TSV)},
	{OPTION("json", NULL, "the same as JSON"), SET(of_view.format, VIEW_JSON)},
	{OPTION("unit", "UNIT", "what is counted: gticks (default, but in folded), samples"),
	 CHOICE_OR_NONE(of_view.unit, "samples", "gticks")},
	{OPTION("root", "NAME", "root function: a name, or * (callpath: main; also -z)"),
	 TEXT(of_view.root), .letter = 'z'},
	{OPTION("leaf", "NAME", "only what calls this (also -l)"), TEXT(of_view.leaf),
	 .letter = 'l'},
	{OPTION("up", NULL, "paths that lead to the root function"), FLAG(of_view.up)},
	{OPTION("sort", "BY", "rows in the order of: self (default), total"),
	 CHOICE(of_view.by_total, "self", "total")},
	{OPTION("self", "WHOSE",
		"self is of: leaf (the innermost), program (its nearest; default of alloc, lock "
		"and others)"),
	 CHOICE_OR_NONE(of_view.self, "leaf", "program")},
	{OPTION("threshold", "PERCENT", "hide rows below (flat 0, trees 0.5, callpath 1)"),
	 PERCENT(of_view.threshold)},
	{OPTION("depth", "N", "show N levels at most"), COUNT(of_view.depth)},
	{OPTION("top", "N", "show the N heaviest rows at most"), COUNT(of_view.top)},
	{OPTION("percent", "OF", "percentages of: total (default), parent"),
	 CHOICE(of_view.of_parent, "total", "parent")},
	{OPTION("totals", "HOW", "with descendants: exact (default if known), propagated"),
	 CHOICE_OR_NONE(of_view.totals, "exact", "propagated")},
	{OPTION("node-thres", "PERCENT", "drop functions below (0.5; also -n)"),
	 PERCENT(of_view.node_threshold), .letter = 'n'},
	{OPTION("edge-thres", "PERCENT", "drop calls below (0.1; also -e)"),
	 PERCENT(of_view.edge_threshold), .letter = 'e'},
	{OPTION("colormap", "MAP",
		"colours: soft (default), temperature, color, pink, gray, bw, print (also -c)"),
	 .letter = 'c',
	 CHOICE(of_view.dot.colormap, [COLOUR_SOFT] = "soft", [COLOUR_TEMPERATURE] = "temperature",
		[COLOUR_PINK] = "pink", [COLOUR_GRAY] = "gray", [COLOUR_BW] = "bw",
		[COLOUR_PRINT] = "print", [COLOUR_COLOR] = "color")},
	{OPTION("skew", "N", "below 1, colours tell small shares apart"), NUMBER(of_view.dot.skew)},
	{OPTION("color-nodes-by-selftime", NULL, "by self, not by total"),
	 FLAG(of_view.dot.by_self)},
	{OPTION("show-samples", NULL, "the numbers of samples, too"),
	 FLAG(of_view.dot.show_samples)},
	{OPTION("path", "PATH", "only functions whose source file begins so (also -p)"),
	 .kind = KIND_PATHS, .place = AT(of_view.paths), .letter = 'p'},
	{OPTION("list-functions", "SELECT",
		"no graph, but names that the pattern matches (+: all, %: with figures)"),
	 TEXT(of_view.list_functions)},
	{OPTION("node-label", "MEASURE",
		"functions have, in that order: total-time-percentage, "
		"self-time-percentage, total-time, self-time"),
	 .kind = KIND_ORDER, .place = AT(of_view.dot.labels),
	 .choices = {"total-time-percentage", "self-time-percentage", "total-time", "self-time"}},
	{OPTION("time-format", "FORMAT", "of times in labels: seconds, such as %.7g"),
	 TEXT(of_view.dot.time_format)},
	{OPTION("wrap", NULL, "long names on several lines (also -w)"), FLAG(of_view.dot.wrap),
	 .letter = 'w'},
	{OPTION("focus", "NAME,...", "only stacks that contain one (a name, file or regex)"),
	 FILTER(FILTER_FOCUS)},
	{OPTION("ignore", "NAME,...", "only stacks that contain none of these"),
	 FILTER(FILTER_IGNORE)},
	{OPTION("hide", "NAME,...", "take these functions out of all stacks"), FILTER(FILTER_HIDE)},
	{OPTION("collapse", "NAME,...", "show calls among these as the first of them"),
	 FILTER(FILTER_COLLAPSE)},
	{OPTION("pid", "N,...", "take only these processes"), .kind = KIND_PIDS},
	{OPTION("exe", "REGEX", "take only processes whose executable's path matches"),
	 .kind = KIND_EXE},
	{OPTION("thread", "ID,...", "take only these threads (an id, a name or a regex)"),
	 .kind = KIND_THREADS},
	{OPTION("from", "SECONDS", "take only samples from that time of the run on"),
	 SECONDS(chosen.from_ns, 0)},
	{OPTION("to", "SECONDS", "take only samples before that time of the run"),
	 SECONDS(chosen.to_ns, 1)},
	{OPTION("resource", "NAME,...",
		"which resource; several stand side by side: cpu, real, alloc, alloc-live, faults, "
		"read, write, lock (and others)"),
	 TEXT(chosen.resource)},
	{OPTION("state", "NAME,...", "take only samples of threads in these states"),
	 TEXT(chosen.states)},
	{OPTION("at", "WHEN", "SECONDS, or of alloc-live: end (default), peak"), TEXT(chosen.at)},
	{OPTION("blame", NULL, "of resource lock: what holders of locks cost the others"),
	 FLAG(blame)},
	{OPTION("kernel", NULL, "show time in the kernel: [kernel], or its functions"),
	 FLAG(kernel)},
	{OPTION("by", "GROUP",
		"tell stacks apart by: nothing (default), process, thread, exe, command, rank"),
	 CHOICE(by, [PROFILE_BY_NOTHING] = "nothing", [PROFILE_BY_PROCESS] = "process",
		[PROFILE_BY_THREAD] = "thread", [PROFILE_BY_EXE] = "exe",
		[PROFILE_BY_COMMAND] = "command", [PROFILE_BY_RANK] = "rank")},
	{OPTION("base", "FILE", "compare with FILE, as it was before (or a directory)"),
	 LIST(OPTION_BASES)},
	{OPTION("normalize", NULL, "of a comparison: shares, not amounts"),
	 FLAG(of_view.normalize)},
	{OPTION("assert", "CLAIM",
		"exit with 3 (or 4: not certain) unless it holds: \"total(F)<=1.05*base\""),
	 LIST(OPTION_ASSERTS)},
	{OPTION("files-from", "LIST", "read the files that LIST names, too (- standard input)"),
	 TEXT(list)},
	{OPTION("calls-from", "FILE", "with the numbers of calls of gprof's or callgrind's FILE"),
	 TEXT(calls_from)},
	{OPTION("pack", NULL, "no view: recordings and names in one file (-o FILE)"), FLAG(pack)},
	{OPTION("with-source", NULL, "pack, html: the text of the lines that are used, too"),
	 FLAG(of_view.with_source)},
	{OPTION("jobs", "N", "read N files at a time (default: one per core)"), COUNT(jobs)},
	{OPTION("follow", NULL, "on a terminal: a running program, anew each second"),
	 FLAG(follow)},
	{OPTION("strict", NULL, "an input that was cut is an error"), FLAG(strict)},
	{OPTION("granularity", "WHAT",
		"names stand for: module, function (default), line, address"),
	 CHOICE(of_symbols.granularity, [SYMBOLS_BY_FUNCTION] = "function",
		[SYMBOLS_BY_MODULE] = "module", [SYMBOLS_BY_LINE] = "line",
		[SYMBOLS_BY_ADDRESS] = "address")},
	{OPTION("no-inlines", NULL, "do not list functions that were inlined"),
	 NO(of_symbols.inlines)},
	{OPTION("names", "HOW", "C++ and Rust: short (default), full, linker"),
	 CHOICE_OR_NONE(of_symbols.names, "short", "full", "linker")},
	{OPTION("strip", NULL, "the same as --names short (also -s)"),
	 SET(of_symbols.names, SYMBOLS_SHORT), .letter = 's'},
	{OPTION("sysroot", "DIR", "look for modules and debug files below DIR"),
	 TEXT(of_symbols.search.sysroot)},
	{OPTION("debug-dir", "DIR", "look for debug files here, not in /usr/lib/debug"),
	 TEXT(of_symbols.search.debug_dir)},
	{OPTION("source-path", "DIR:...", "look for source files below DIR first"),
	 TEXT(of_view.source_path)},
	{OPTION("help", NULL, "what is done first (also -h); --help=all: this list"),
	 .kind = KIND_HELP, .letter = 'h'},
	{OPTION("version", NULL, "print the version and exit (also -V)"), .kind = KIND_VERSION,
	 .letter = 'V'},
};

#define N_KNOWN (sizeof(options_table) / sizeof(options_table[0]))

const size_t options_table_count = N_KNOWN;

const struct known_option *options_known(const char *name)
{
	size_t i;

	for (i = 0; i < N_KNOWN; i++)
		if (strcmp(options_table[i].name, name) == 0)
			return &options_table[i];
	return NULL;
}

bool options_is_of_view(const struct known_option *option, const struct view *view)
{
	size_t i;

	if (view_names_option(view, option->name))
		return true;
	if (view_ignores_option(view, option->name) ||
	    (view->granularity && option->place == AT(of_symbols.granularity)) ||
	    (view->needs & VIEW_NEEDS_LINES && option->kind == KIND_FILTER))
		return false;
	for (i = 0; views[i]; i++)
		if (view_names_option(views[i], option->name))
			return false;
	return true;
}

bool options_is_of_stacks(const struct known_option *option)
{
	return (option->kind == KIND_FILTER &&
		(option->set == FILTER_HIDE || option->set == FILTER_COLLAPSE)) ||
	       option->place == AT(of_symbols.granularity) ||
	       option->place == AT(of_symbols.inlines) || option->place == AT(of_symbols.names) ||
	       option->place == AT(kernel) || option->place == AT(by);
}

bool options_is_shape(const struct known_option *option)
{
	return option->kind == KIND_FILTER || option->place == AT(of_symbols.granularity) ||
	       option->place == AT(of_symbols.inlines) || option->place == AT(of_symbols.names) ||
	       option->place == AT(of_view.unit);
}

bool options_is_setting(const struct known_option *option)
{
	if (options_is_of_cpconv(option))
		return false;
	return options_is_shape(option) ||
	       (option->place >= AT(of_view) &&
		option->place < AT(of_view) + sizeof(((struct options *)0)->of_view));
}

bool options_is_of_cpconv(const struct known_option *option)
{
	return option->kind == KIND_VIEW || option->kind == KIND_LIST ||
	       option->place == AT(output) || option->place == AT(follow) ||
	       option->place == AT(pack) || option->place == AT(calls_from);
}

bool options_is_of_pack(const struct known_option *option)
{
	return option->place == AT(pack) || option->place == AT(of_view.with_source) ||
	       option->place == AT(of_view.source_path) || option->place == AT(output) ||
	       option->place == AT(list) || option->place == AT(jobs) ||
	       option->place == AT(strict) || option->place == AT(of_symbols.search.sysroot) ||
	       option->place == AT(of_symbols.search.debug_dir);
}

static int check_looks(const struct view_dot_options *dot, struct error *err)
{
	const char *option = dot->labels	 ? "node-label"
			     : dot->show_samples ? "show-samples"
			     : dot->by_self	 ? "color-nodes-by-selftime"
			     : dot->colormap	 ? "colormap"
						 : "skew";
	bool is_plain = !strcmp(option, "skew") && dot->skew >= 1 && dot->skew <= 1;

	return is_plain ? 0 : error_set(err, OPTIONS_LOOKS, option);
}

/* Names of addresses would be compared by address, which a change of the program moves. */
int options_check_base(const struct options *opt, const struct view *view, struct error *err)
{
	size_t i, n = 0;

	if (!opt->n_bases)
		return opt->of_view.normalize ? error_set(err, "--normalize: only with --base") : 0;
	if (selection_count_resources(&opt->chosen) > 1 && !view->has_rows)
		return error_set(
			err, "--%s compares one resource, not \"%.60s\"; tables compare several",
			view->name, opt->chosen.resource);
	if (check_looks(&opt->of_view.dot, err))
		return -1;
	if (opt->of_view.list_functions)
		return error_set(err, "--list-functions: of one program, and not of a comparison");
	if (opt->of_symbols.granularity == SYMBOLS_BY_ADDRESS)
		return error_set(err, "--base compares by name, and --granularity address has none "
				      "that a change of the program leaves alone");
	if (view == &view_html && opt->of_view.with_source)
		return error_set(err, "--with-source: a comparison shows no sources, for two "
				      "programs have two");
	if (opt->of_view.of_parent)
		return error_set(
			err, "--percent parent: a comparison has percentages of what was before");
	if (view->has_base)
		return 0;
	error_set(err, "--%s cannot be compared with a --base; these can:", view->name);
	for (i = 0; views[i]; i++)
		if (views[i]->has_base)
			error_append(err, "%s --%s", n++ ? "," : "", views[i]->name);
	return -1;
}

int options_check_list(const struct options *opt, struct error *err)
{
	bool has_time = false;

	for (unsigned order = opt->of_view.dot.labels; order; order >>= VIEW_LABEL_BITS)
		has_time |= (order & VIEW_LABEL_MASK) >= VIEW_LABEL_TOTAL;
	if (opt->of_view.dot.time_format && !has_time)
		return error_set(err, "--time-format: is of --node-label total-time and self-time");
	if (opt->of_view.list_functions &&
	    (opt->of_view.format != VIEW_TEXT || selection_count_resources(&opt->chosen) > 1))
		return error_set(err, "--list-functions: is text, of one resource");
	return 0;
}

void options_name_for(struct options *opt, const struct view *view)
{
	if (view->granularity)
		opt->of_symbols.granularity = view->granularity;
}

void options_init(struct options *opt)
{
	*opt = (struct options){
		.of_view = {.threshold = -1,
			    .node_threshold = -1,
			    .edge_threshold = -1,
			    .dot = {.skew = 1}},
		.of_symbols = {.inlines = true},
	};
}

void options_free(struct options *opt)
{
	selection_free(&opt->chosen);
	filter_clear(&opt->filter);
	free(opt->bases);
	free(opt->asserts);
}

/* ---- options first --------------------------------------------------------------------------- */
/*
 * Writes what --help says: what people do first, on one screen.
 *
 * In: nothing. Out: text of at most 24 lines of 80 columns.
 */

void options_first(struct out *o)
{
	out_text(
		o,
		"Usage: cpconv [--VIEW] [OPTION]... [FILE]...\n"
		"Show what libcpsample recorded. Without FILE, that is the newest *.cps file here\n"
		"with all of its process tree. FILE may be a directory, or stacks (a;b;c COUNT).\n"
		"\n"
		"  cpconv                              which functions used the time\n"
		"  cpconv --callpath                   which calls, from main inwards, used it\n"
		"  cpconv --callpath --up --root FUNC  who makes FUNC expensive\n"
		"  cpconv --callpath --root '*'        calls that recur in many places\n"
		"  cpconv --tree --by process          call paths as a tree, of each process\n"
		"  cpconv --dot -o graph.svg           the call graph as a picture\n"
		"  cpconv --folded | flamegraph.pl     a flame graph; for pprof: --pprof -o FILE\n"
		"  cpconv --base OLD NEW               did my change help, beyond chance?\n"
		"  cpconv --timeline                   who ran when; also --processes, --threads\n"
		"  cpconv --resource real --state io   where it waits (cpsample -r cpu,real PROG)\n"
		"\n"
		"All take --focus FUNC (only stacks with it), --thread NAME, --from and --to\n"
		"SECONDS, --threshold PERCENT, --top N; tables take --tsv and --json.\n"
		"\n"
		"cpconv --help=all lists all views and options, cpconv(1) describes them.\n"
		"cpprof reads the files once and then answers one question after the other.\n");
}

void options_first_explorer(struct out *o)
{
	out_text(o,
		 "Usage: cpprof [OPTION]... [FILE]...\n"
		 "Explore what libcpsample recorded. Without FILE, that is the newest *.cps file\n"
		 "here with all of its process tree. Commands come from the terminal or a pipe:\n"
		 "\n"
		 "  functions       which functions are heavy, with all that they call\n"
		 "  bodies          which are, by themselves\n"
		 "  callers FUNC    who calls FUNC, with shares; callees FUNC: whom it calls\n"
		 "  up FUNC         on which call paths FUNC is expensive\n"
		 "  down FUNC       which calls below FUNC used its time; down alone: below main\n"
		 "  tree            call paths as a tree\n"
		 "  source FUNC     which of its lines it is\n"
		 "  focus FUNC      from now on only stacks with FUNC; focus off: all again\n"
		 "  timeline        when which process or thread used how much\n"
		 "  help            all commands; help COMMAND: more of one\n"
		 "\n"
		 "The Tab key completes commands and names; a part of a name is enough. From a\n"
		 "script: echo 'up malloc' | cpprof rec.cps. Behind a command, > FILE saves.\n"
		 "\n"
		 "cpprof --help=all lists all options, cpprof(1) describes them.\n");
}

/* ---- options help ---------------------------------------------------------------------------- */
/*
 * Writes what --help=all says.
 *
 * In: the tables of views and options. Out: text, for people and for the completions of shells,
 * which read it: see scripts/completion.
 */

#define WIDTH	     80
#define INDENT	     25 /* of what an option says */
#define VIEWS_INDENT 12 /* the least that a completion takes for the rest of the line before */

/* Write text into a line that has `column` columns already; what does not fit goes into further lines,
 * from `indent` on. */
static void write_wrapped(struct out *o, const char *text, int column, int indent)
{
	const char *gap = "";

	while (*text) {
		int n = (int)strcspn(text, " ");

		if (column + (*gap != 0) + n > WIDTH) {
			out_format(o, "\n%*s", indent, "");
			gap = "";
			column = indent;
		}
		out_format(o, "%s%.*s", gap, n, text);
		column += (*gap != 0) + n;
		text += n + (text[n] == ' ');
		gap = " ";
	}
	out_text(o, "\n");
}

static void write_view(struct out *o, const struct view *view)
{
	const char *argument = view_takes_function(view) ? " FUNCTION" : "";
	int room = 12 - (int)strlen(view->name);

	out_format(o, "  --%s%-*s %s%s\n", view->name, room > 0 ? room : 0, argument, view->help,
		   view == views[0] ? " (default)" : "");
}

static void write_option(struct out *o, const struct known_option *option)
{
	char name[64];
	int n;

	n = snprintf(name, sizeof(name), "  --%s%s%s  ", option->name, option->argument ? " " : "",
		     option->argument ? option->argument : "");
	out_format(o, "%-*s", INDENT, name);
	write_wrapped(o, option->help, n > INDENT ? n : INDENT, INDENT);
}

/* ---- which views obey an option ------------------------------------------------------------- */
#define ONE_MORE(...) +1
_Static_assert(VIEWS(ONE_MORE) <= 64, "the views are the bits of a set");

/* Only tables can be written for programs (--tsv, --json), and only some views are tables. */
static bool is_obeyed(const struct known_option *option, const struct view *view)
{
	struct options opt;
	struct error err;

	options_init(&opt);
	if (option->kind == KIND_SET)
		options_apply(&opt, option, NULL, &err);
	return options_is_of_view(option, view) && !options_check_format(&opt, view, &err);
}

/* The views that obey the option, a bit for each; 0: all do. */
static uint64_t views_of(const struct known_option *option)
{
	uint64_t set = 0;
	size_t i;

	for (i = 0; views[i]; i++)
		set |= (uint64_t)is_obeyed(option, views[i]) << i;
	return set == UINT64_MAX >> (64 - i) ? 0 : set;
}

/* Write a line for the option and all that are obeyed by the same views, unless it is in the line of
 * an earlier one. */
static void write_obeyed(struct out *o, const uint64_t *sets, size_t option)
{
	char text[2048];
	size_t i, n = 0;

	for (i = 0; i < option; i++)
		if (sets[i] == sets[option])
			return;
	for (i = option; i < options_table_count && n < sizeof(text); i++)
		if (sets[i] == sets[option])
			n += (size_t)snprintf(text + n, sizeof(text) - n, "%s--%s", n ? ", " : "",
					      options_table[i].name);
	for (i = 0; views[i] && n < sizeof(text); i++)
		if (sets[option] & 1ULL << i)
			n += (size_t)snprintf(text + n, sizeof(text) - n, "%s%s",
					      sets[option] & ((1ULL << i) - 1) ? ", " : ": ",
					      views[i]->name);
	out_text(o, "  ");
	write_wrapped(o, text, 2, VIEWS_INDENT);
}

static void write_views_of_options(struct out *o)
{
	uint64_t *sets = calloc(options_table_count, sizeof(*sets));
	size_t i;

	out_text(o, "\nObeyed by some views only:\n");
	for (i = 0; sets && i < options_table_count; i++)
		sets[i] = views_of(&options_table[i]);
	for (i = 0; sets && i < options_table_count; i++)
		if (sets[i])
			write_obeyed(o, sets, i);
	free(sets);
}

void options_help(struct out *o)
{
	size_t i;

	out_text(o,
		 "Usage: cpconv [--VIEW | --format NAME] [OPTION]... [FILE]...\n"
		 "Show what libcpsample recorded: the newest *.cps file here with all of its\n"
		 "process tree, or FILEs, merged; folded stacks (\"a;b;c COUNT\") are read too.\n"
		 "FILE - is standard input; of a directory, all *.cps in it are read.\n"
		 "\nViews:\n");
	for (i = 0; views[i]; i++)
		write_view(o, views[i]);
	out_text(o, "\nOptions:\n");
	for (i = 0; i < options_table_count; i++)
		write_option(o, &options_table[i]);
	write_views_of_options(o);
	out_text(o, "\nExit status: 0 success, 1 error, 2 wrong usage, 3 or 4 --assert. See "
		    "cpconv(1).\n");
}

void options_help_explorer(struct out *o)
{
	size_t i;

	out_text(o,
		 "Usage: cpprof [OPTION]... [FILE]...\n"
		 "Explore what libcpsample recorded: the newest *.cps file here with all of its\n"
		 "process tree, or FILEs; of a directory, all *.cps in it. Commands are read from\n"
		 "the terminal, or from a pipe; the command help lists them.\n"
		 "\nOptions that choose what is read:\n");
	for (i = 0; i < options_table_count; i++)
		if (!options_is_setting(&options_table[i]) &&
		    !options_is_of_cpconv(&options_table[i]))
			write_option(o, &options_table[i]);
	out_text(o, "\nSettings, which commands can change:\n");
	for (i = 0; i < options_table_count; i++)
		if (options_is_setting(&options_table[i]))
			write_option(o, &options_table[i]);
	write_views_of_options(o);
	out_text(o,
		 "\nExit status: 0 success, 1 a command failed, 2 wrong usage. See cpprof(1).\n");
}
