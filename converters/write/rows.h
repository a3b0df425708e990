/* SPDX-License-Identifier: MIT */
/*
 * rows.h - a table for programs: rows of values, as TSV or as JSON.
 *
 * In: rows, value by value. Out: text. TSV is the values alone, a line a row, without a
 * heading. JSON is one object that says what the profile is of, and has the rows as objects.
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
 * samples, total (what 100 % is, in the unit asked for), kept (what the filter has left of it;
 * neither without a tree or graph) and rows.
 */
void rows_begin(struct rows *r, struct out *o, const char *view, const struct view_input *in);
void rows_end(struct rows *r);

/*
 * Begin a row. `columns` names its values in order, as JSON's keys, and ends with NULL; it must
 * stay valid until the next row. Rows of one table may have different columns. Then come as many
 * values; TSV has them in the same order.
 */
void rows_row(struct rows *r, const char *const *columns);

void rows_count(struct rows *r, unsigned __int128 value);
/* Write a number from which the same double can be read. */
void rows_fraction(struct rows *r, double value);
/* Write a word of our own, such as the kind of row, which needs no escapes. */
void rows_word(struct rows *r, const char *text);
/* A name of any bytes: control characters stand as \xNN in TSV, and in JSON so do bytes that are
 * not UTF-8. */
void rows_name(struct rows *r, const struct strings *s, uint32_t name);
/* A text of any bytes that is no name: in TSV with backslash, tab and newline as C writes them; in
 * JSON like a name. */
void rows_text(struct rows *r, const char *bytes, size_t n);
/* Write that there is no value: "-" in TSV, null in JSON. */
void rows_none(struct rows *r);

/* A path of names is one value: in TSV joined with ';' (path_name.h), in JSON an array. */
void rows_path_begin(struct rows *r);
void rows_path_name(struct rows *r, const struct strings *s, uint32_t name);
void rows_path_end(struct rows *r);

#endif
