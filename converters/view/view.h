/* SPDX-License-Identifier: MIT */
/*
 * view.h - what a view is: a name, what it needs and takes, and a function that writes it.
 *
 * A view is one file, view_NAME.c, and one line in the list VIEWS. Its option of cpconv, its command
 * in cpprof, the help of both and what the shells complete follow from its struct view.
 */
#ifndef VIEW_H
#define VIEW_H

#include <stdbool.h>

#include "write/out.h"
#include "write/view_input.h"

enum view_needs {
	VIEW_NEEDS_NAMES = 1, /* symbols */
	VIEW_NEEDS_TREE = 2,  /* implies names */
	VIEW_NEEDS_GRAPH = 4, /* implies tree */
	/* A call graph without stacks will do: then a graph is made, and no tree, when either is
	 * needed; names are there already. */
	VIEW_TAKES_CALLS = 8,
};

/* What may follow the name of a command in cpprof. */
enum view_argument {
	VIEW_ARGUMENT_NONE,
	VIEW_ARGUMENT_FUNCTION, /* becomes the option root */
	VIEW_ARGUMENT_COUNT,	/* becomes the option top */
	VIEW_ARGUMENT_FILE,	/* where the output goes */
};

/* A command in cpprof that shows a view. */
struct view_command {
	const char *name; /* NULL: that of the view */
	const char *help; /* one line; NULL: that of the view */
	enum view_argument argument;
	bool is_needed;	    /* the argument cannot be left out */
	const char *option; /* the command always sets this option of the view; NULL: none */
};

#define VIEW_COMMANDS_MAX 2

/* The names of options that the view reads, a list that ends with NULL. */
#define VIEW_OPTIONS(...) ((const char *const[]){__VA_ARGS__, NULL})

struct view {
	const char *name;
	const char *help; /* one line for --help */
	unsigned needs;
	bool has_rows; /* takes --tsv and --json */
	/* Views differ in some options: each names those that it reads. An option that no view
	 * names is one that all views obey. NULL: the view reads none of the former. */
	const char *const *options;
	/* The first one is there in any case; if all of it is zero it has the view's name and help.
	 * The second one is there if it has a name. */
	struct view_command commands[VIEW_COMMANDS_MAX];
	int (*emit)(const struct view_input *in, struct out *o, struct error *err);
};

/* All views, in the order of cpconv --help; the first one is the default. The number is the place of
 * the view's commands in cpprof's help, which begins with the lowest number. Commands that show no
 * view have their places in explore_commands.c. */
#define VIEWS(VIEW)                                                                                \
	VIEW(flat, 40)                                                                             \
	VIEW(tree, 70)                                                                             \
	VIEW(bottomup, 90)                                                                         \
	VIEW(callpath, 50)                                                                         \
	VIEW(functions, 20)                                                                        \
	VIEW(bodies, 30)                                                                           \
	VIEW(contexts, 100)                                                                        \
	VIEW(callgraph, 110)                                                                       \
	VIEW(cycles, 120)                                                                          \
	VIEW(average_time, 130)                                                                    \
	VIEW(edges, 140)                                                                           \
	VIEW(folded, 160)                                                                          \
	VIEW(graph, 150)                                                                           \
	VIEW(dot, 170)                                                                             \
	VIEW(info, 10)

#define VIEW_DECLARE(name, place) extern const struct view view_##name;
VIEWS(VIEW_DECLARE)
#undef VIEW_DECLARE

/* The table; ends with a NULL. */
extern const struct view *const views[];
const struct view *view_find(const char *name);

/* Whether the view names the option as one that it reads. */
bool view_names_option(const struct view *view, const char *option);

#endif
