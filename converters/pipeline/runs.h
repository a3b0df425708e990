/* SPDX-License-Identifier: MIT */
/*
 * runs.h - tells runs and their process trees apart by process records.
 */
#ifndef PIPELINE_RUNS_H
#define PIPELINE_RUNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/stop.h"
#include "pipeline/sources.h"
#include "read/event.h"

/* ---- run start ------------------------------------------------------------------------------- */
/*
 * When the run began whose processes the inputs are recordings of.
 *
 * In: files. Out: a time.
 */

/*
 * *start_ns becomes the earliest start of all processes, so that --from and --to mean the same
 * times in all recordings of a process tree. It becomes 0 if no input has a start, and if there is
 * only one input, because times are then counted from the start of that one. Of several inputs the
 * heads are read here and again later: -1 if one of them cannot be read twice, such as a pipe.
 * Other errors are not reported here, since reading the whole file will find them again.
 */
int run_start(const struct sources *from, uint64_t *start_ns, struct error *err);

/* ---- process tree ---------------------------------------------------------------------------- */
/*
 * The recordings that one launch has left in the current directory.
 *
 * In: the name of one of them. Out: the names of all.
 */

struct process_tree_member {
	char *file;
	uint64_t start_ns, bytes;
};

struct process_tree {
	struct process_tree_member *members; /* sorted by start, then by name */
	size_t n, size;
};

/*
 * Find `newest` and all other *.cps files of the current directory whose process record names the
 * same process tree. If the record of `newest` names no tree, or cannot be read, `newest` is the
 * only member. Only the heads of the files are read. -1: out of memory.
 */
int process_tree_find(struct process_tree *t, const char *newest, struct error *err);
/* Find all recordings of the process tree of this process on this machine, which may be none. */
int process_tree_of(struct process_tree *t, uint64_t pid, uint64_t start, struct error *err);

void process_tree_free(struct process_tree *t);

/*
 * A run of several programs under one name leaves x.cps, x.1.cps, x.2.cps and so on, and who names the first one alone may
 * mean the run. *text becomes a sentence that says where the others are, and what program the first of them is of; NULL if there
 * is none of the same process tree. The caller frees it. -1: out of memory.
 */
int process_tree_tell(const char *file, char **text, struct error *err);

/* ---- runs ------------------------------------------------------------------------------------ */
/*
 * Which recordings are of the same run of a program.
 *
 * In: files. Out: a number of its run for each file, and when that run began.
 */

struct runs {
	uint32_t *of;	     /* by file */
	uint64_t *starts_ns; /* by run: the earliest start of its processes; 0: not known */
	size_t n, n_base;    /* the runs of the base come first */
};

/*
 * Files are of one run if their process records name the same process tree. A file without such a record
 * is a run of its own, and so is what can be read only once. The first n_base files are the base. runs_free in any case.
 */
int runs_find(struct runs *r, const struct sources *from, size_t n_base, struct error *err);
/* The same for files that are to be compared: those of `later` become the last ones of `from`, which has the base. A file
 * of both is an error; a copy is none. */
int runs_compare(struct runs *r, struct sources *from, struct sources *later, struct error *err);
void runs_free(struct runs *r);

#endif
