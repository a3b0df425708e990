/* SPDX-License-Identifier: MIT */
/*
 * table.h - tables of functions, call paths and calls: a view says what its rows and columns are, and
 * gets text, TSV and JSON, of one profile, of several resources and of two programs.
 *
 * In: rows with a weight for each column of the profile. Out: text, or rows for programs.
 *
 * A profile has one column of weights, or one for each of several resources, or one for each run of
 * two programs that are compared. A view fills in a struct table_about and hands over its rows in
 * one of two ways:
 *
 * - table_parts takes a list, of which the view can weigh each part in any column;
 * - table_nodes takes a walk in preorder, which calls table_node for each node of a tree. Trees may
 *   be larger than memory.
 *
 * Which rows are shown is decided here: by --threshold, --depth and --top, and if programs are
 * compared, by what has changed. So is how they are written: table_text.c writes for people,
 * table_rows.c for programs, compared_table.c the figures of a comparison.
 */
#ifndef TABLE_H
#define TABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "contexts/history.h"
#include "write/compared_table.h"
#include "write/footer.h"
#include "write/heaviest.h"
#include "write/rows.h"
#include "write/view_input.h"
#include "write/weight.h"

enum table_shape {
	TABLE_ONE,	/* the columns that the view lists */
	TABLE_SEVERAL,	/* a column for each resource */
	TABLE_COMPARED, /* before, after, and what has changed */
};

enum table_shape table_shape(const struct view_input *in);

/* What a row is about. It stands in the last column of the text. */
enum table_label {
	TABLE_NAME,    /* a function */
	TABLE_NODE,    /* a function in a tree, indented */
	TABLE_CALL,    /* name -> callee */
	TABLE_PATH,    /* (names) */
	TABLE_CYCLE,   /* names, in as many lines as they need */
	TABLE_HISTORY, /* the history of a context */
};

enum table_kind {
	TABLE_END, /* of a list of columns */
	TABLE_LABEL,
	TABLE_COUNT,	/* in text it needs .width */
	TABLE_WEIGHT,	/* in text with its unit */
	TABLE_SHARE,	/* of the whole: in text percent */
	TABLE_FRACTION, /* the same; in text as the papers have it */
	TABLE_SAMPLES, /* raw samples, which calls without stacks have not got; of rows only JSON has them */
	TABLE_DEPTH,
	TABLE_CALLS, /* a count where table_row.has_calls is set; else empty */
	TABLE_WORD,  /* the heading, in each row */
};

/* A column of one profile. Those with a key are the values of a row for programs, those with a
 * heading the columns of the text, both in the order of the list. */
struct table_column {
	const char *key, *heading;
	enum table_kind kind;
	unsigned value; /* index in table_row.values */
	unsigned scale; /* of a weight: index in table_about.scales */
	int width;	/* in text; 0: that of the kind. Of a fraction: its decimals */
	bool is_marked; /* table_row.mark stands before it */
	bool json_only;
};

/* TABLE_COLUMN("self", NULL, COUNT, 0): all values but the key, the heading, the kind and the value may be left out. */
#define TABLE_COLUMN(KEY, HEADING, KIND, ...)                                                      \
	{                                                                                          \
		.key = KEY, .heading = HEADING, .kind = TABLE_##KIND, .value = __VA_ARGS__         \
	}

#define TABLE_VALUES 6
#define TABLE_NIL    0.0005 /* of all: less than a table shows */

/* A chain of n functions, each the only callee of the one before, in one line; `last` is the last one, and `own` the
 * last one of the program, or `last`. */
struct table_chain {
	uint32_t own, last, n;
	uint32_t indent; /* of the line, in levels */
	bool is_only;	 /* the only one below the line before */
};

struct table_row {
	/* What the row is about, by its table_label. */
	uint32_t name, callee, depth;
	bool is_inline;
	const uint32_t *path;	   /* `length` names */
	const unsigned char *keep; /* likewise: struct path_text; or NULL */
	bool is_up;		   /* likewise */
	uint32_t length;
	const struct history *history;
	const struct table_chain *chain; /* or NULL */
	/* By column of the profile. Percentages are of `wholes`; NULL: of the column's total. `squares` has the sums
	 * of the squares of samples' weights; only comparisons ask for them. */
	const uint64_t *weights, *wholes;
	const double *squares;
	uint64_t n_below; /* nodes: how many are left out with this one; 0 means 1 */
	/* What the view's own columns show. */
	unsigned __int128 values[TABLE_VALUES];
	char mark;
	bool has_calls;
	const char *
		before; /* text before the name of a row beside several columns or two; NULL: none */
	bool is_call;	/* for programs it is one of a call, in a table of functions */
	char suffix[64]; /* text behind the label */
};

struct table;

/* All but the first six are NULL or 0 where they have no meaning. */
struct table_about {
	const char *view, *title;
	const char *what, *plural; /* what a row is, see footer.h */
	enum table_label label;
	double text_threshold;		    /* percent */
	const struct table_column *columns; /* of one profile */
	const char *format;		    /* a line in the place of their headings */
	struct weight_scale scales[2];	    /* of weights */
	int samples_width;     /* TABLE_SAMPLES; 0: by the total; negative: there are none */
	bool has_looks;	       /* colours, and if there is room, modules of functions */
	bool has_numbers;      /* row_numbers.h */
	const char *last;      /* heading of the last column, of several or two */
	const char *root;      /* title of the root functions; NULL: that of view_input */
	const char *of_parent; /* the line that says what --percent parent means */
	const char *compared;  /* what a row is in a comparison; NULL: the same */
	bool hides_nil;	       /* of several, rows of 0.00 % are left out */
	bool has_chains; /* of two, on a terminal: functions of which each calls only the next are one row */
	bool prunes; /* branches that are small before and after are not compared */
	/* Write lines above the headings and below the table, or more rows, of one profile. -1: error. */
	void (*above)(struct table *t, void *context);
	int (*below)(struct table *t, void *context, struct error *err);
	/* Fill in what a part that is shown is about, and the values of one profile. -1: error. */
	int (*describe)(void *context, uint32_t part, struct table_row *row, struct error *err);
	void *context;
};

#define TABLE_NO_PART UINT32_MAX

/* A list of rows. */
struct table_parts {
	size_t n;
	/* The weights of all parts in a tree; NULL of a profile without stacks. -1: error. */
	struct comparison_measure measure;
	const uint32_t *order;	/* of all parts, for people; NULL: by weight, then by number */
	const uint32_t *depths; /* by part: limited by --depth; NULL: 0 */
	/* By part: what --percent parent is of. TABLE_NO_PART, NULL: of the total. */
	const uint32_t *parents;
	const bool *is_said; /* by part: another row says the same; NULL: none */
	const bool *
		is_apart; /* by part: --top counts these and the others each by themselves; NULL: all are alike */
	bool in_order; /* for programs, rows are by number */
	/* NULL, or called before the first row with the parts that are shown. -1: error. */
	int (*prepare)(void *context, const uint32_t *parts, size_t n, struct error *err);
};

int table_parts(const struct view_input *in, struct out *o, const struct table_about *about,
		const struct table_parts *parts, struct error *err);

/* A walk over a tree. It is called twice if --top chooses the heaviest nodes. -1: error. */
typedef int table_walk(struct table *t, void *context, struct error *err);

int table_nodes(const struct view_input *in, struct out *o, const struct table_about *about,
		table_walk *walk, struct error *err);

/* Take a node. Returns 0, or 1: it is left out, and what is below it shall be, too; -1: error. */
int table_node(struct table *t, const struct table_row *row, struct error *err);

/* Whether the node and all below it are left out because of --threshold or --depth. */
bool table_hides(const struct table *t, const uint64_t *weights, uint32_t depth);

/* ---- private to tables of other forms (table_*.c) ----------------------------------------- */

struct table {
	const struct view_input *in;
	struct out *out;
	const struct table_about *about;
	enum table_shape shape;
	bool is_rows;
	size_t n_columns; /* of the profile */
	uint64_t *totals; /* by column */
	double threshold;
	struct footer footer;
	size_t n_shown; /* rows of a list of parts */
	struct compared_table compared;
	/* Rows for programs. */
	struct rows rows;
	char **column_keys; /* of several resources */
	char **figure_keys; /* of these in a comparison */
	const char **keys;  /* of a row */
	const char **call_keys;
	/* Text. */
	int *widths;	   /* of several columns */
	int column;	   /* where the label begins, of several or two */
	uint32_t left_out; /* of the view's columns, for want of room: struct looks_columns */
	/* Trees. */
	struct heaviest top;
	bool is_counting;
	struct table_gathering *gathering;
};

/* Make a table with `fill`, which is given `from`. */
int table_make(const struct view_input *in, struct out *o, const struct table_about *about,
	       int (*fill)(struct table *t, const void *from, struct error *err), const void *from,
	       struct error *err);

/* Write what stands above the rows, a row, and what stands below. -1: error. */
int table_begin(struct table *t, struct error *err);
int table_row(struct table *t, const struct table_row *row, const struct comparison_row *change,
	      struct error *err);
int table_end(struct table *t, int status, struct error *err);

/* Whether the weight is below the threshold in each column. */
bool table_is_small(const struct table *t, const uint64_t *weights, double threshold);

/* Parts of a table, weighed or compared, and in order: by weight, or by what has changed. */
struct table_ranking {
	struct table *table;
	const struct table_parts *parts;
	uint64_t *weights;		/* by part and column; or... */
	struct comparison_row *changes; /* ...by part and resource, if programs are compared */
	uint32_t *order;		/* of the parts */
};

/* The changes of a part; NULL: programs are not compared. */
static inline const struct comparison_row *table_change(const struct table_ranking *r,
							uint32_t part)
{
	return r->changes ? &r->changes[(size_t)part * r->table->compared.n] : NULL;
}

int table_rank(struct table_ranking *r, struct table *t, const struct table_parts *parts,
	       struct error *err);
void table_ranking_free(struct table_ranking *r);

/* The same for text and for rows. */
int table_rows_begin(struct table *t, struct error *err);
int table_rows_row(struct table *t, const struct table_row *row,
		   const struct comparison_row *change, struct error *err);
void table_rows_free(struct table *t);
int table_text_begin(struct table *t, struct error *err);
void table_text_row(struct table *t, const struct table_row *row,
		    const struct comparison_row *change);
int table_text_end(struct table *t, struct error *err);
void table_text_free(struct table *t);

#endif
