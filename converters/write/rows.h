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

#include "base/strings.h"
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

/*
 * Begin the table. `view` is its name. In JSON, the object's keys are view, resource, unit,
 * samples, total, kept and rows. total is 100 %, in the unit asked for, and kept is the part of it
 * that the filter has kept; both are left out if there is no tree or graph.
 */
void rows_begin(struct rows *r, struct out *o, const char *view, const struct view_input *in);
void rows_end(struct rows *r);

/*
 * Begin a row. `columns` names its values in order, as JSON's keys, and ends with NULL; it must
 * stay valid until the next row. Rows of one table may have different columns. As many values must
 * follow, in the same order.
 */
void rows_row(struct rows *r, const char *const *columns);

void rows_count(struct rows *r, unsigned __int128 value);
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

/* A path of names is one value: in TSV joined with ';' (name_text.h), in JSON an array. */
void rows_path_begin(struct rows *r);
void rows_path_name(struct rows *r, const struct strings *s, uint32_t name);
void rows_path_end(struct rows *r);

#endif
