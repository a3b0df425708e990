/* SPDX-License-Identifier: MIT */
/*
 * call_costs.h - what functions have used on which of their lines, themselves and by which calls.
 *
 * In: a profile, its places. Out: struct call_costs.
 *
 * A function that is called while it is running already is another one, of the next level; callgrind names it f'2. So
 * each function of a level is in a stack at most once, and what it used with all that it called is its self and
 * its calls together, exactly. Functions of one name in two modules are two, each with levels of its own. Readers
 * differ in what they take for the same function: of one name, or of one name in one file, or also in one module. So
 * those of one name in several modules have to get the name of the module appended.
 *
 * Counted calls are those of a function by another, of whatever level and on whatever line. Of the rows of both functions the
 * heaviest has all of them but one for each of the others, because there are readers that take a row without a call for none. Rows
 * of calls that nobody counted, such as those of a function that was inlined, have one call. If calls were not counted at all, rows
 * have the numbers of their samples. What was called and is in no sample has rows without costs.
 */
#ifndef CALL_COSTS_H
#define CALL_COSTS_H

#include "base/hash.h"
#include "export/places.h"

#define CALL_COSTS_SELF	  UINT32_MAX
#define CALL_COSTS_NO_ROW UINT32_MAX

/* What tells functions of one name in several modules apart. */
enum call_costs_namesakes {
	CALL_COSTS_ALONE,   /* nothing need: there is one such module */
	CALL_COSTS_BY_NAME, /* the last part of the module's path */
	CALL_COSTS_BY_PATH, /* the whole path */
};

struct call_costs_function {
	uint32_t function; /* index in places.names */
	uint32_t module;   /* of the profile, or PROFILE_NO_MODULE */
	uint32_t level;	   /* from 1 up */
	uint32_t
		file; /* in the profile's strings, the same at all levels; STRINGS_NONE: not known */
	enum call_costs_namesakes namesakes;
	uint32_t owner; /* the same at all levels, and only there */
};

struct call_costs_row {
	uint32_t caller,
		callee; /* indices in call_costs.functions; CALL_COSTS_SELF: the caller itself */
	uint32_t file, line; /* in the caller, see struct place; STRINGS_NONE: its file */
	uint32_t costs;	     /* times n_columns: an index in call_costs.costs */
	uint64_t hits;	     /* raw samples */
	uint64_t calls;	     /* of a callee, at least 1 */
};

/* The calls of one function of a level by another, which may stand in several rows. */
struct call_costs_arc {
	uint32_t caller, callee;
	uint64_t calls; /* that were counted */
	uint32_t row;	/* the heaviest; CALL_COSTS_NO_ROW: none */
	bool is_counted;
};

struct call_costs {
	struct call_costs_function *functions;
	struct call_costs_row
		*rows; /* sorted by caller, then by line; of a line first what is self */
	uint64_t *costs;
	size_t n_columns, n_functions, n_rows;
	size_t functions_size, rows_size, costs_size;
	struct call_costs_arc *arcs;
	size_t n_arcs, arcs_size;
	/* Private: numbers of (function, module), of that and a level, of (file, line), of that and a callee, of rows, of
	 * arcs. */
	struct pair_table of_module, of_level, of_line, of_callee, of_row, of_arc;
};

/* Fills *c; call_costs_free frees it, also after an error. -1: memory, or a stop. */
int call_costs_find(struct call_costs *c, const struct profile *p, const struct places *places,
		    struct error *err);
/* The module's path, or its last part; "???" for none. */
const char *call_costs_module_name(const struct profile *p, uint32_t module, bool is_path);
void call_costs_free(struct call_costs *c);

#endif
