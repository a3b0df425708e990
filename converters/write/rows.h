/* SPDX-License-Identifier: MIT */
/*
 * rows.h - a table for programs: rows of values, as TSV or as JSON.
 *
 * In: rows, value by value. Out: text.
 *
 * TSV has a line for each row, which contains only the values; there is no heading. JSON is one
 * object, which describes the profile and contains the rows as objects.
 */
#ifndef ROWS_H
#define ROWS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/hash.h"
#include "write/out.h"
#include "write/view_input.h"

struct rows {
	struct out *out;
	bool json;
	bool has_row;		    /* a row has been begun */
	bool is_first;		    /* the next value is the first of its row */
	bool has_name;		    /* the path that is being written has a name already */
	const char *const *columns; /* the names of the values that are still to come in this row */
};

/* The version of the JSON that is written. It rises with each change of what doc/cpconv.schema.json
 * says. */
#define ROWS_JSON_VERSION 1

/*
 * Begin the table. `view` is its name. In JSON, the object's keys are version, view, resource, unit,
 * samples, total, kept, totals and rows. total is 100 %, in the unit asked for, kept is the part of
 * it that the filter has kept, and totals says whether totals of functions are exact or propagated;
 * all three are left out if there is no tree or graph.
 */
void rows_begin(struct rows *r, struct out *o, const char *view, const struct view_input *in);
/* The same for a view that decides itself how it makes its totals. */
void rows_begin_totals(struct rows *r, struct out *o, const char *view, const struct view_input *in,
		       bool is_exact);
/* The same for a table of what threads have used, in gticks: there is always a total. */
void rows_begin_threads(struct rows *r, struct out *o, const char *view,
			const struct view_input *in, uint64_t kept);
/* The same for a table with several resources, whose keys are given. In JSON the view is "columns", and
 * columns says of each key what it means, instead of resource, unit and so on. */
void rows_begin_columns(struct rows *r, struct out *o, const struct view_input *in,
			const char *const *keys);

/* What is compared; totals are means of runs. */
struct rows_compared {
	size_t runs_before, runs_after;
	size_t n; /* resources */
	struct {
		double before, after;
	} * totals;		 /* by resource */
	const char *const *keys; /* with which keys of rows begin, by resource; NULL of one */
	bool is_normalized;
};

/* The same for a table of two programs that are compared. In JSON the view is "comparison", and `comparison` says
 * what is compared in which view, instead of samples and so on. Of several resources `columns` says what the
 * beginnings of keys mean. */
void rows_begin_compared(struct rows *r, struct out *o, const char *view,
			 const struct view_input *in, const struct rows_compared *sides);
void rows_end(struct rows *r);

/*
 * Begin a row. `columns` names its values in order, as JSON's keys, and ends with NULL; it must
 * stay valid until the next row. Rows of one table may have different columns. As many values must
 * follow, in the same order. A key means the same, in the same unit, in all tables: cpconv(1) and
 * doc/cpconv.schema.json list them.
 */
void rows_row(struct rows *r, const char *const *columns);

void rows_count(struct rows *r, unsigned __int128 value);
/* Write a count that only JSON has. In TSV nothing is written, so such columns come last. */
void rows_json_count(struct rows *r, uint64_t value);
enum rows_answer { ROWS_NO, ROWS_YES, ROWS_UNKNOWN };
/* The same for whether something is so; null if that is not known. */
void rows_json_answer(struct rows *r, enum rows_answer is);
/* The same for raw samples, of which only profiles with stacks know how many there are. */
void rows_json_samples(struct rows *r, const struct view_input *in, uint64_t samples);
/* Write a number from which the same double can be read. */
void rows_fraction(struct rows *r, double value);
/* Write a word of the converter, such as the kind of the row, which needs no escapes. */
void rows_word(struct rows *r, const char *text);
/* Write a name, which may have any bytes. Control characters become \xNN; in JSON, so do bytes that
 * are not UTF-8. */
void rows_name(struct rows *r, const struct strings *s, uint32_t name);
/* Write a text that is not a name; it may have any bytes. In TSV, backslash, tab and newline are
 * escaped as in C; in JSON, the text is written like a name. */
void rows_text(struct rows *r, const char *bytes, size_t n);
/* Write that there is no value: "-" in TSV, null in JSON. */
void rows_none(struct rows *r);
/* The same with nothing in TSV. */
void rows_empty(struct rows *r);

/* A path of names is one value: in TSV joined with ';' (name_text.h), in JSON an array. */
void rows_path_begin(struct rows *r);
void rows_path_name(struct rows *r, const struct strings *s, uint32_t name);
void rows_path_end(struct rows *r);

#endif
