/* SPDX-License-Identifier: MIT */
/*
 * options_parse.c - reads the command line.
 */
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/array.h"
#include "compare/assertion.h"
#include "graph/function_names.h"
#include "options/options_table.h"
#include "write/dot_text.h"

/* ---- options value --------------------------------------------------------------------------- */
/* Reads the values of options. In: an option and a text. Out: a field of struct options. */

/* Choose the view. Returns -1 if another view has been chosen already. */
static int options_choose_view(struct options *opt, const struct view *view, struct error *err)
{
	if (opt->view && opt->view != view)
		return error_set(err, "one view at a time: %s or %s", opt->view->name, view->name);
	opt->view = view;
	return 0;
}

static int parse_view(struct options *opt, const char *text, struct error *err)
{
	const struct view *view = view_find(text);
	uint32_t least = SUGGEST_FAR;
	const char *nearest = NULL;

	for (size_t i = 0; !view && strlen(text) > 2 && views[i]; i++) {
		uint32_t distance = suggest_distance(text, views[i]->name);

		nearest = distance < least ? views[i]->name : nearest;
		least = distance < least ? distance : least;
	}
	if (!view)
		return error_set(err, "--format: there is no view \"%s\"%s%s%s", text,
				 nearest ? "; did you mean " : "", nearest ? nearest : "",
				 nearest ? "?" : "");
	return options_choose_view(opt, view, err);
}

static int parse_percent(double *value, const char *name, const char *text, struct error *err)
{
	char *end;

	*value = strtod(text, &end);
	if (end > text)
		end += strspn(end, " ");
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

/* The limit is there because the nanoseconds have to fit into 64 bits. */
static int parse_seconds(uint64_t *value, bool is_end, const char *name, const char *text,
			 struct error *err)
{
	char *end;
	double seconds = strtod(text, &end);

	if (end == text || (*end && strcmp(end, "s") != 0) || !(seconds >= 0 && seconds <= 1e10))
		return error_set(err, "--%s: \"%s\" is not a number of seconds", name, text);
	*value = (uint64_t)(seconds * 1e9 + 0.5);
	if (!*value && is_end)
		return error_set(err, "--%s: nothing is before the run begins", name);
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

/* The first word has the lowest bits. */
static int add_to_order(unsigned *order, const char *name, unsigned word, struct error *err)
{
	unsigned shift = 0;

	while (shift < VIEW_LABELS_BITS && *order >> shift)
		shift += VIEW_LABEL_BITS;
	if (shift == VIEW_LABELS_BITS)
		return error_set(err, "--%s: at most %u of them", name,
				 VIEW_LABELS_BITS / VIEW_LABEL_BITS);
	*order |= word << shift;
	return 0;
}

static int add_path(char paths[VIEW_PATHS_BYTES], const char *path, struct error *err)
{
	size_t n = strlen(paths);

	if (!*path || strchr(path, '\n') || n + strlen(path) + 2 > VIEW_PATHS_BYTES)
		return error_set(err, "--path: \"%.60s\" is empty, or too long", path);
	stpcpy(stpcpy(paths + n, path), "\n");
	return 0;
}

static int parse_choice(void *value, const struct known_option *option, const char *text,
			struct error *err)
{
	int i;

	for (i = 0; i < OPTION_CHOICES_MAX && option->choices[i]; i++) {
		if (strcmp(option->choices[i], text) != 0)
			continue;
		if (option->kind == KIND_ORDER)
			return add_to_order(value, option->name, (unsigned)i + 1, err);
		*(int *)value = option->set + i;
		return 0;
	}
	error_set(err, "--%s: \"%s\" is not one of", option->name, text);
	for (i = 0; i < OPTION_CHOICES_MAX && option->choices[i]; i++)
		error_append(err, "%s %s", i ? "," : "", option->choices[i]);
	return -1;
}

static int add_to_list(struct options *opt, enum option_list which, const char *text,
		       struct error *err)
{
	struct assertion unused;
	bool is_base = which == OPTION_BASES;
	char ***list = is_base ? &opt->bases : &opt->asserts;
	size_t *n = is_base ? &opt->n_bases : &opt->n_asserts;
	size_t *size = is_base ? &opt->bases_size : &opt->asserts_size;
	int status = is_base ? 0 : assertion_parse(&unused, text, err);

	if (!is_base)
		assertion_free(&unused);
	if (status)
		return -1;
	if (!array_reserve(list, size, *n + 1, sizeof(**list)))
		return error_memory(err);
	(*list)[(*n)++] = (char *)(uintptr_t)text; /* it is read only */
	return 0;
}

/* Whether one of the directories, which are separated by colons, is there. */
static int check_source_path(const char *option, const char *text, struct error *err)
{
	const char *at = text;

	while (*at) {
		size_t n = strcspn(at, ":");
		char *one = strndup(at, n);
		struct stat st;
		bool is_there;

		if (!one)
			return error_memory(err);
		is_there = n && !stat(one, &st) && S_ISDIR(st.st_mode);
		free(one);
		if (is_there)
			return 0;
		at += n + (at[n] == ':');
	}
	return error_usage(err, "--%s: %s: no such directory", option, text);
}

int options_apply(struct options *opt, const struct known_option *option, const char *text,
		  struct error *err)
{
	void *value = (char *)opt + option->place;

	switch (option->kind) {
	case KIND_HELP:
		opt->action = text ? OPTIONS_HELP_ALL : OPTIONS_HELP;
		return !text || strcmp(text, "all") == 0
			       ? 0
			       : error_set(err, "--help=%s: it is --help, or --help=all", text);
	case KIND_VERSION:
		opt->action = OPTIONS_VERSION;
		return 0;
	case KIND_VIEW:
		return parse_view(opt, text, err);
	case KIND_PIDS:
		return selection_add_pids(&opt->chosen, text, err);
	case KIND_EXE:
		return selection_set_exe(&opt->chosen, text, err);
	case KIND_THREADS:
		return selection_add_threads(&opt->chosen, text, err);
	case KIND_SECONDS:
		return parse_seconds(value, option->set, option->name, text, err);
	case KIND_FILTER:
		return filter_add(&opt->filter, (enum filter_kind)option->set, text, err);
	case KIND_FLAG:
	case KIND_NO:
		*(bool *)value = option->kind == KIND_FLAG;
		return 0;
	case KIND_TEXT:
		if (value == (void *)&opt->of_view.source_path &&
		    check_source_path(option->name, text, err))
			return -1;
		if (value == (void *)&opt->of_view.dot.time_format && !dot_text_is_time(text))
			return error_set(err, "--%s: \"%s\" has not one of %%e %%f %%g",
					 option->name, text);
		*(const char **)value = text;
		return 0;
	case KIND_PATHS:
		return add_path(value, text, err);
	case KIND_PERCENT:
		return parse_percent(value, option->name, text, err);
	case KIND_NUMBER:
		return parse_number(value, option->name, text, err);
	case KIND_COUNT:
		return parse_count(value, option->name, text, err);
	case KIND_CHOICE:
	case KIND_ORDER:
		return parse_choice(value, option, text, err);
	case KIND_SET:
		*(int *)value = option->set;
		return 0;
	case KIND_LIST:
		return add_to_list(opt, (enum option_list)option->set, text, err);
	}
	return 0;
}

/* ---- back to the default, and for people ------------------------------------------------------- */

static size_t size_of(const struct known_option *option)
{
	switch (option->kind) {
	case KIND_FLAG:
	case KIND_NO:
		return sizeof(bool);
	case KIND_TEXT:
		return sizeof(const char *);
	case KIND_PATHS:
		return VIEW_PATHS_BYTES;
	case KIND_PERCENT:
	case KIND_NUMBER:
		return sizeof(double);
	case KIND_COUNT:
	case KIND_SECONDS:
		return sizeof(uint64_t);
	case KIND_CHOICE:
	case KIND_ORDER:
	case KIND_SET:
		return sizeof(int);
	case KIND_HELP:
	case KIND_VERSION:
	case KIND_VIEW:
	case KIND_PIDS:
	case KIND_EXE:
	case KIND_THREADS:
	case KIND_FILTER:
	case KIND_LIST:
		return 0;
	}
	return 0;
}

static const struct patterns *patterns_of(const struct options *opt,
					  const struct known_option *option)
{
	return &opt->filter.of[option->set];
}

void options_reset(struct options *opt, const struct known_option *option)
{
	struct options fresh;

	if (option->kind == KIND_FILTER)
		patterns_clear(&opt->filter.of[option->set]);
	options_init(&fresh);
	memcpy((char *)opt + option->place, (char *)&fresh + option->place, size_of(option));
}

static bool options_is_default(const struct options *opt, const struct known_option *option)
{
	struct options fresh;

	if (option->kind == KIND_FILTER)
		return patterns_of(opt, option)->n_values == 0;
	options_init(&fresh);
	return memcmp((const char *)opt + option->place, (char *)&fresh + option->place,
		      size_of(option)) == 0;
}

static void show_values(struct out *o, const struct patterns *p)
{
	const char *value;
	size_t i;

	for (i = 0; (value = patterns_value(p, i)); i++) {
		out_text(o, i ? ", " : "");
		out_name(o, value, strlen(value));
	}
}

static void show_order(struct out *o, const struct known_option *option, unsigned order)
{
	for (const char *before = ""; order; order >>= VIEW_LABEL_BITS, before = ", ")
		out_format(o, "%s%s", before, option->choices[(order & VIEW_LABEL_MASK) - 1]);
}

void options_show(struct out *o, const struct options *opt, const struct known_option *option)
{
	const void *value = (const char *)opt + option->place;

	if (options_is_default(opt, option) && (option->kind != KIND_CHOICE || option->set))
		out_text(o, "default");
	else if (option->kind == KIND_FILTER)
		show_values(o, patterns_of(opt, option));
	else if (option->kind == KIND_TEXT)
		out_name(o, *(const char *const *)value, strlen(*(const char *const *)value));
	else if (option->kind == KIND_PATHS)
		out_name(o, value, strlen(value) - 1);
	else if (option->kind == KIND_PERCENT)
		out_format(o, "%g %%", *(const double *)value);
	else if (option->kind == KIND_NUMBER)
		out_format(o, "%g", *(const double *)value);
	else if (option->kind == KIND_COUNT)
		out_format(o, "%llu", (unsigned long long)*(const uint64_t *)value);
	else if (option->kind == KIND_ORDER)
		show_order(o, option, *(const unsigned *)value);
	else if (option->kind == KIND_CHOICE)
		out_text(o, option->choices[*(const int *)value - option->set]);
	else
		out_text(o, option->kind != KIND_SET || *(const int *)value == option->set
				    ? "on"
				    : "default");
}

/* ---- options parse --------------------------------------------------------------------------- */
/*
 * Reads a command line.
 *
 * In: argv. Out: what was asked for.
 */

#define ENTRIES_MAX   192u /* options and views */
#define LETTERS_BYTES 64u
/* What getopt_long returns: a letter for a short option, KEY_KNOWN + i for the option i of the table,
 * KEY_VIEW + i for views[i]. */
#define KEY_KNOWN 256
#define KEY_VIEW  (KEY_KNOWN + (int)options_table_count)

/* Whether the command line is that of cpconv, of cpprof, or of a command in cpprof. */
enum whose { WHOSE_CPCONV, WHOSE_CPPROF, WHOSE_COMMAND };

static int argument_of(const struct known_option *option)
{
	if (option->kind == KIND_HELP)
		return optional_argument; /* --help=all */
	return option->argument ? required_argument : no_argument;
}

/* Fill the table that getopt_long reads: all options and, for cpconv, an option for each view. */
static void fill_table(struct option table[ENTRIES_MAX + 1], enum whose whose)
{
	size_t i, n = 0;

	for (i = 0; i < options_table_count && n < ENTRIES_MAX; i++)
		table[n++] = (struct option){
			.name = options_table[i].name,
			.has_arg = argument_of(&options_table[i]),
			.val = KEY_KNOWN + (int)i,
		};
	for (i = 0; whose == WHOSE_CPCONV && views[i] && n < ENTRIES_MAX; i++)
		table[n++] = (struct option){
			.name = views[i]->name,
			.has_arg = view_takes_function(views[i]) ? required_argument : no_argument,
			.val = KEY_VIEW + (int)i,
		};
	table[n] = (struct option){0};
}

/* Fill the text of short options that getopt_long reads. Because it begins with a colon, getopt_long
 * tells a missing value from an unknown option. Commands in cpprof have no short options. */
static void fill_letters(char letters[LETTERS_BYTES], enum whose whose)
{
	size_t i, n = 0;

	letters[n++] = ':';
	for (i = 0; whose != WHOSE_COMMAND && i < options_table_count; i++) {
		if (!options_table[i].letter || n + 2 >= LETTERS_BYTES)
			continue;
		letters[n++] = options_table[i].letter;
		if (options_table[i].argument)
			letters[n++] = ':';
	}
	letters[n] = '\0';
}

static const struct known_option *option_of(int key)
{
	size_t i;

	if (key >= KEY_KNOWN)
		return &options_table[key - KEY_KNOWN];
	for (i = 0; options_table[i].letter != key;)
		i++;
	return &options_table[i];
}

static int apply_key(struct options *opt, enum whose whose, int key, const char *text,
		     struct error *err)
{
	const struct known_option *option;

	if (key >= KEY_VIEW) {
		opt->function = text;
		opt->of_view.root = text ? text : opt->of_view.root;
		return options_choose_view(opt, views[key - KEY_VIEW], err);
	}
	option = option_of(key);
	if (whose == WHOSE_CPPROF && options_is_of_cpconv(option))
		return error_set(err, "--%s: is an option of cpconv", option->name);
	if (whose == WHOSE_COMMAND && !options_is_setting(option))
		return error_set(err, "--%s: cannot be given to a command", option->name);
	if (whose == WHOSE_CPCONV && option->kind == KIND_SET && opt->of_view.format != VIEW_TEXT &&
	    (int)opt->of_view.format != option->set)
		return error_set(err, "one form at a time: --tsv or --json");
	return options_apply(opt, option, text, err);
}

/* The argument is misspelt, or it is the beginning of several options, which the error lists. */
static int unknown(const char *argument, const struct option *table, struct error *err)
{
	const char *word = argument + 2, *nearest = NULL;
	size_t n = strcspn(word, "="), used = 0;
	char typed[64], all[256] = "";
	uint32_t least = SUGGEST_FAR;

	snprintf(typed, sizeof(typed), "%.*s", (int)(n < sizeof(typed) ? n : sizeof(typed)), word);
	for (; table->name; table++) {
		uint32_t distance = suggest_distance(typed, table->name);

		if (n > 0 && strncmp(table->name, word, n) == 0 && used < sizeof(all))
			used += (size_t)snprintf(all + used, sizeof(all) - used, "%s--%s",
						 used ? ", " : "", table->name);
		if (distance < least) {
			least = distance;
			nearest = table->name;
		}
	}
	if (used)
		return error_set(err, "option %s is the beginning of %s", argument, all);
	return error_set(err, "unknown option %s%s%s%s", argument,
			 nearest ? "; did you mean --" : "", nearest ? nearest : "",
			 nearest ? "?" : "");
}

/* The wrong argument is the one before optind, unless it is one of several short options in a word,
 * which getopt_long has not finished. */
static int complain(int what, char **argv, const struct option *table, struct error *err)
{
	const char *argument = optind > 0 ? argv[optind - 1] : "";

	if (what == ':')
		return error_set(err, "option %s needs a value", argument);
	if (optopt > 0 && optopt < 256 && strncmp(argument, "--", 2) != 0)
		return error_set(err, "unknown option -%c", optopt);
	if (optopt)
		return error_set(err, "option %s takes no value", argument);
	return unknown(argument, table, err);
}

/* given[i] becomes true for each option i of the table that the command line has. `given` may be
 * NULL. */
static int parse(struct options *opt, enum whose whose, int argc, char **argv, bool *given,
		 struct error *err)
{
	struct option table[ENTRIES_MAX + 1];
	char letters[LETTERS_BYTES];
	int key;

	fill_table(table, whose);
	fill_letters(letters, whose);
	opterr = 0;
	optind = 0; /* glibc: begin anew */
	while ((key = getopt_long(argc, argv, letters, table, NULL)) != -1) {
		if (key == ':' || key == '?')
			return complain(key, argv, table, err);
		if (apply_key(opt, whose, key, optarg, err))
			return -1;
		if (given && key < KEY_VIEW)
			given[option_of(key) - options_table] = true;
	}
	opt->files = argv + optind;
	opt->n_files = (size_t)(argc - optind);
	return 0;
}

int options_check_format(const struct options *opt, const struct view *view, struct error *err)
{
	if (!view_input_is_rows(&opt->of_view) || view->has_rows)
		return 0;
	return error_set(err, "the view %s is no table: it has no --%s", view->name,
			 opt->of_view.format == VIEW_TSV ? "tsv" : "json");
}

const char *options_picture(const char *output)
{
	static const char *const formats[] = {"svg", "png", "pdf"};
	const char *dot = output ? strrchr(output, '.') : NULL;

	for (size_t i = 0; dot && i < sizeof(formats) / sizeof(*formats); i++)
		if (strcmp(dot + 1, formats[i]) == 0)
			return formats[i];
	return NULL;
}

/* While no view is chosen, text is written, so that a file's name must not promise anything else: it has no suffix, or one
 * of text, or a number. */
static int check_suffix(const struct options *opt, struct error *err)
{
	/* Suffixes, and what is to be given for them. */
	static const char *const of_text[] = {"txt", "text", "out", "log", "lst", "md", "prof"};
	static const char *const of_views[][2] = {{"html", "--html"},
						  {"htm", "--html"},
						  {"dot", "--dot"},
						  {"gv", "--dot"},
						  {"gz", "--pprof"},
						  {"pb", "--pprof"},
						  {"pprof", "--pprof"},
						  {"parquet", "--parquet"},
						  {"folded", "--folded"},
						  {"stacks", "--folded"},
						  {"callgrind", "--callgrind"},
						  {"cps", "--pack"},
						  {"json", "--json"},
						  {"tsv", "--tsv"},
						  {"csv", "--tsv"}};
	const char *slash = strrchr(opt->output, '/'), *name = slash ? slash + 1 : opt->output;
	const char *suffix = strrchr(name, '.'), *option = NULL;

	if (!suffix || suffix == name || !suffix[1] || strspn(suffix + 1, "0123456789") > 0 ||
	    view_input_is_rows(&opt->of_view))
		return 0;
	for (size_t i = 0; i < sizeof(of_text) / sizeof(*of_text); i++)
		if (strcmp(suffix + 1, of_text[i]) == 0)
			return 0;
	for (size_t i = 0; i < sizeof(of_views) / sizeof(*of_views); i++)
		if (strcmp(suffix + 1, of_views[i][0]) == 0)
			option = of_views[i][1];
	if (option)
		return error_set(err, "-o %s: did you mean %s -o %s?", opt->output, option,
				 opt->output);
	return error_set(err,
			 "-o %s: no view has files of that kind; did you mean --flat -o %s, or a "
			 "picture, %.*s.svg?",
			 opt->output, opt->output, (int)(suffix - name), name);
}

/* A picture is the call graph's: -o g.svg alone is enough, and text is not written to such a file. */
static int choose_picture(struct options *opt, struct error *err)
{
	static const char *const others[] = {"jpg", "jpeg", "gif", "webp", "bmp", "ps", "eps"};
	const char *dot = opt->output ? strrchr(opt->output, '.') : NULL;
	bool is_picture = options_picture(opt->output) != NULL;

	if (is_picture && !opt->view)
		opt->view = &view_dot;
	if (is_picture && opt->view != &view_dot)
		return error_set(err, "-o %s: --%s is no picture; --dot draws one", opt->output,
				 opt->view->name);
	for (size_t i = 0; dot && i < sizeof(others) / sizeof(*others); i++)
		if (strcmp(dot + 1, others[i]) == 0)
			return error_set(err, "-o %s: pictures are .svg, .png or .pdf",
					 opt->output);
	return opt->output && !opt->view && !opt->pack ? check_suffix(opt, err) : 0;
}

/* Who held the lock stands in a resource of its own, beside the one of those who waited. */
static int apply_blame(struct options *opt, struct error *err)
{
	if (!opt->blame)
		return 0;
	if (opt->chosen.resource && strcmp(opt->chosen.resource, "lock") != 0)
		return error_usage(err,
				   "--blame: only of resource lock, which tells who waits; with "
				   "--blame it tells who lets others wait");
	opt->chosen.resource = "lock-blame";
	return 0;
}

/* Returns -1 if --resource names several and the view shows one. */
static int options_check_columns(const struct options *opt, const struct view *view,
				 struct error *err)
{
	size_t i, n = 0;

	if (selection_check_resources(&opt->chosen, err))
		return -1;
	if (selection_count_resources(&opt->chosen) < 2 || view->has_columns)
		return 0;
	error_set(err, "--%s shows one resource, not \"%.60s\"; several are shown by", view->name,
		  opt->chosen.resource);
	for (i = 0; views[i]; i++)
		if (views[i]->has_columns)
			error_append(err, "%s --%s", n++ ? "," : "", views[i]->name);
	return -1;
}

/* --format and --root choose such a view, too. */
static int check_function(const struct options *opt, struct error *err)
{
	const char *name = opt->view->name;

	if (opt->of_view.root || !view_takes_function(opt->view))
		return 0;
	return error_set(err, "--format %s: of which function? --%s FUNCTION", name, name);
}

static bool looks_for_functions(const struct options *opt, const struct view *view)
{
	return filter_drops(&opt->filter) || (opt->of_view.root && view_names_option(view, "root"));
}

/* A comparison of the call graph as text is a table, with one threshold for functions and calls. */
static bool is_of_compared_graph(const struct known_option *option)
{
	return strcmp(option->name, "threshold") == 0;
}

static bool is_colour(const struct known_option *option)
{
	return !strcmp(option->name, "colormap") || !strcmp(option->name, "skew");
}

static bool is_of_plain_graph(const struct known_option *option)
{
	return strcmp(option->name, "node-thres") == 0 || strcmp(option->name, "edge-thres") == 0;
}

/* What stacks are made of has a meaning also for a view that shows none, if functions are looked for in them. */
static bool is_idle(const struct options *opt, const struct known_option *option,
		    const struct view *view)
{
	if (view == &view_graph && opt->n_bases && is_of_compared_graph(option))
		return false;
	if (view == &view_graph && opt->n_bases && is_of_plain_graph(option))
		return true;
	if (view_takes_function(view) && !opt->function && strcmp(option->name, "root") == 0)
		return false; /* --format source --root f */
	if (options_is_of_stacks(option) && view_ignores_option(view, option->name) &&
	    looks_for_functions(opt, view))
		return false;
	return !options_is_of_view(option, view);
}

/* An option that the view does not read is refused; the error says which views do. */
static int refuse_idle(const struct known_option *option, const struct view *view, bool is_command,
		       struct error *err)
{
	const char *dashes = is_command ? "" : "--";
	size_t n = 0;

	error_set(err, "%s%s takes no --%s", dashes, view->name, option->name);
	if (option->kind == KIND_FILTER && view->needs & VIEW_NEEDS_LINES)
		return error_append(err, ": it has whole stacks, for the program that reads it");
	for (size_t i = 0; views[i]; i++)
		if (view_names_option(views[i], option->name))
			error_append(err, "%s %s%s", n++ ? "," : "; it is for", dashes,
				     views[i]->name);
	return -1;
}

/* The options of a view may come before the view. So this is called after the whole line is read. */
static int check_idle(const struct options *opt, const bool *given, bool is_command,
		      struct error *err)
{
	for (size_t i = 0; i < options_table_count; i++)
		if (given[i] && is_idle(opt, &options_table[i], opt->view))
			return refuse_idle(&options_table[i], opt->view, is_command, err);
		else if (given[i] && opt->n_bases && is_colour(&options_table[i]))
			return error_set(err, OPTIONS_LOOKS, options_table[i].name);
	if (opt->view == &view_html && opt->of_view.source_path && !opt->of_view.with_source)
		return error_set(err, "--source-path: html reads sources only --with-source");
	return 0;
}

static bool selects_samples(const struct options *opt, const struct known_option *option)
{
	switch (option->kind) {
	case KIND_FILTER:
		return opt->filter.of[option->set].n_values;
	case KIND_THREADS:
		return opt->chosen.threads.n_values;
	case KIND_SECONDS:
		return option->set ? opt->chosen.to_ns : opt->chosen.from_ns;
	case KIND_CHOICE:
		return opt->by && strcmp(option->name, "by") == 0;
	case KIND_TEXT:
		return opt->chosen.states && strcmp(option->name, "state") == 0;
	default:
		return false;
	}
}

const char *options_find_idle(const struct options *opt, const struct view *view)
{
	for (size_t i = 0; i < options_table_count; i++)
		if (selects_samples(opt, &options_table[i]) &&
		    is_idle(opt, &options_table[i], view))
			return options_table[i].name;
	return NULL;
}

/* No view is written, and nothing is left out, so no option for that has a meaning. */
static int check_pack(const struct options *opt, const bool *given, struct error *err)
{
	size_t i;

	if (opt->view)
		return error_set(err, "--pack writes no view: leave out --%s", opt->view->name);
	for (i = 0; i < options_table_count; i++)
		if (given[i] && !options_is_of_pack(&options_table[i]))
			return error_set(err, "--pack packs whole recordings: leave out --%s",
					 options_table[i].name);
	return opt->output ? 0 : error_set(err, "--pack needs a file to write: -o FILE");
}

int options_parse(struct options *opt, int argc, char **argv, struct error *err)
{
	bool given[ENTRIES_MAX] = {false};

	options_init(opt);
	if (parse(opt, WHOSE_CPCONV, argc, argv, given, err))
		return -1;
	if (opt->pack && opt->action == OPTIONS_CONVERT && check_pack(opt, given, err))
		return -1;
	if (choose_picture(opt, err))
		return -1;
	if (!opt->view && opt->of_view.list_functions)
		opt->view = &view_graph;
	opt->view = opt->view ? opt->view : views[0];
	options_name_for(opt, opt->view);
	if (opt->action != OPTIONS_CONVERT || opt->pack)
		return 0;
	if (check_idle(opt, given, false, err) || options_check_list(opt, err) ||
	    apply_blame(opt, err) || options_check_columns(opt, opt->view, err) ||
	    options_check_base(opt, opt->view, err) || check_function(opt, err))
		return -1;
	return options_check_format(opt, opt->view, err);
}

int options_parse_explorer(struct options *opt, int argc, char **argv, struct error *err)
{
	options_init(opt);
	if (parse(opt, WHOSE_CPPROF, argc, argv, NULL, err))
		return -1;
	if (apply_blame(opt, err))
		return -1;
	return selection_check_resources(&opt->chosen, err);
}

int options_parse_command(struct options *opt, const struct view *view, int argc, char **argv,
			  struct error *err)
{
	bool given[ENTRIES_MAX] = {false};

	opt->view = view;
	if (parse(opt, WHOSE_COMMAND, argc, argv, given, err))
		return -1;
	return view && view_find(view->name) ? check_idle(opt, given, true, err) : 0;
}
