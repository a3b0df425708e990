/* SPDX-License-Identifier: MIT */
/*
 * view.h - struct view: the name of a view, what it needs, and the function that writes it.
 *
 * A view consists of one file, view_NAME.c, and one line in the list VIEWS. Its option of cpconv,
 * its command in cpprof, the help of both and the completions of the shells all follow from its
 * struct view.
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
	/* The view can also show a call graph without stacks. For such a profile, a graph is made
	 * if the view needs a tree or a graph, and no tree; the names are known already. */
	VIEW_TAKES_CALLS = 8,
	VIEW_NEEDS_TIMES = 16,	  /* when threads used what; only of recordings */
	VIEW_NEEDS_LINES = 32,	  /* names with the source lines of their places, of whole stacks */
	VIEW_NEEDS_SQUARES = 128, /* the sums of the squares of samples' weights */
	VIEW_NEEDS_MOMENTS = 64,  /* each sample with its time; only of recordings */
	VIEW_WANTS_LINES =
		256, /* names with the source lines of their places, if these are known */
	VIEW_WANTS_SOURCES =
		512, /* a tree by line, if the text of sources is packed or asked for */
	/* What each thread has used: with --focus or --ignore that takes a tree, and each sample with its thread. */
	VIEW_TELLS_THREADS = 1024,
};

/* The argument that may follow the name of a command in cpprof. */
enum view_argument {
	VIEW_ARGUMENT_NONE,
	VIEW_ARGUMENT_FUNCTION, /* becomes the option root */
	VIEW_ARGUMENT_COUNT,	/* becomes the option top */
	VIEW_ARGUMENT_FILE,	/* the file that the output is written to */
};

/* A command in cpprof that shows a view. */
struct view_command {
	const char *name; /* NULL: the name of the view */
	const char *help; /* one line; NULL: the help of the view */
	enum view_argument argument;
	bool is_needed;	    /* the argument is required */
	const char *option; /* an option of the view that the command always sets, or NULL */
};

#define VIEW_COMMANDS_MAX 2

/* The names of options that the view reads, a list that ends with NULL. */
#define VIEW_OPTIONS(...) ((const char *const[]){__VA_ARGS__, NULL})

struct view {
	const char *name; /* at most 12 bytes */
	const char *help; /* one line for --help, at most 53 bytes */
	unsigned needs;
	/* What names stand for in this view, whatever --granularity says (enum symbols_granularity); 0: what
	 * it says. */
	int granularity;
	bool has_rows;	  /* the view takes --tsv and --json */
	bool has_base;	  /* the view can compare two programs */
	bool fits_screen; /* on a terminal it has as many rows as fit, if nobody asks for more */
	bool has_columns; /* the view can show several resources side by side */
	/* The options that this view reads, of those that only some views read. An option that no
	 * view names here is obeyed by all views. NULL: the view reads only the latter. */
	const char *const *options;
	const char *const *ignores; /* of the latter those that it does not read; NULL: none */
	/* The first command always exists; if it is all zero, it has the view's name and help. The
	 * second command exists if it has a name. */
	struct view_command commands[VIEW_COMMANDS_MAX];
	int (*emit)(const struct view_input *in, struct out *o, struct error *err);
};

/* All views, in the order of cpconv --help; the first one is the default. The number is the place
 * of the view's commands in cpprof's help, which begins with the lowest number. Commands that show
 * no view have their places in explore_commands.c. */
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
	VIEW(source, 80)                                                                           \
	VIEW(asm, 81)                                                                              \
	VIEW(folded, 160)                                                                          \
	VIEW(graph, 150)                                                                           \
	VIEW(dot, 170)                                                                             \
	VIEW(html, 175)                                                                            \
	VIEW(callgrind, 197)                                                                       \
	VIEW(firefox, 195)                                                                         \
	VIEW(speedscope, 192)                                                                      \
	VIEW(pprof, 180)                                                                           \
	VIEW(parquet, 190)                                                                         \
	VIEW(processes, 12)                                                                        \
	VIEW(threads, 14)                                                                          \
	VIEW(timeline, 16)                                                                         \
	VIEW(summary, 8)                                                                           \
	VIEW(info, 10)

#define VIEW_DECLARE(name, place) extern const struct view view_##name;
VIEWS(VIEW_DECLARE)
#undef VIEW_DECLARE

/* The table of all views, which ends with NULL. */
extern const struct view *const views[];
const struct view *view_find(const char *name);

/* Write the view. On a terminal no line of its text is wider. -1: error. */
int view_show(const struct view *view, const struct view_input *in, struct out *o,
	      struct error *err);

typedef int view_emit(const struct view_input *in, struct out *o, struct error *err);

/* Write with `emit`, and with --root only what is below the root functions, as bottomup.h has it. -1: error. */
int view_below_root(const struct view_input *in, struct out *o, view_emit *emit, struct error *err);

/* Write with `emit`, and if calls were counted with a call graph that has them, as call_counts_graph() makes it. -1: error. */
int view_with_calls(const struct view_input *in, struct out *o, view_emit *emit, struct error *err);

/* What the view needs, of enum view_needs, with --focus or --ignore (`is_filtered`) or without. */
unsigned view_needs(const struct view *view, bool is_filtered);

/* Whether the option of the view has a value, the function that the view is about. */
bool view_takes_function(const struct view *view);

/* Whether the view names the option as one that it reads; or as one that all views read but this. */
bool view_names_option(const struct view *view, const char *option);
bool view_ignores_option(const struct view *view, const char *option);

#endif
