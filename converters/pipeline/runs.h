/* SPDX-License-Identifier: MIT */
/*
 * runs.h - which recordings are of the same run of a program.
 *
 * In: files. Out: a number of its run for each file, and when that run began.
 */
#ifndef RUNS_H
#define RUNS_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "pipeline/sources.h"
#include "read/event.h"

/* Columns of a profile have numbers of 16 bits. */
#define RUNS_MAX UINT16_MAX

struct runs {
	uint32_t *of;	     /* by file */
	uint64_t *starts_ns; /* by run: the earliest start of its processes; 0: not known */
	size_t n, n_base;    /* the runs of the base come first */
};

/*
 * Files are of one run if their process records name the same process tree. A file without such a record
 * is a run of its own, and so is what can be read only once. The first n_base files are the base; the others may be
 * the same files again. runs_free in any case.
 */
int runs_find(struct runs *r, const struct sources *from, size_t n_base, struct error *err);
/* The same for files that are to be compared: those of `later` become the last ones of `from`, which has the base. */
int runs_compare(struct runs *r, struct sources *from, struct sources *later, struct error *err);
void runs_free(struct runs *r);

/* The name under which the loader keeps a run, and the start of the run that has this name. */
#define RUNS_NAME_BYTES 24
struct event_text runs_name(char text[RUNS_NAME_BYTES], size_t run);
uint64_t runs_start_ns(const struct runs *r, const char *name);

#endif
