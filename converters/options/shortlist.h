/* SPDX-License-Identifier: MIT */
/*
 * shortlist.h - a list for the end of an error: what there is instead of what was asked for.
 *
 * In: texts. Out: the distinct ones, or the first few of them and how many more there are.
 */
#ifndef SHORTLIST_H
#define SHORTLIST_H

#include "base/hash.h"
#include "base/stop.h"

/* All members are zero at first. */
struct shortlist {
	struct strings *seen; /* each text once */
};

#define SHORTLIST_FEW 10u /* of what there may be thousands */
#define SHORTLIST_ALL SIZE_MAX

/* Add a text. If memory is out, the text is left out. */
void shortlist_add(struct shortlist *l, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* Add the texts of another list, in their order. */
void shortlist_join(struct shortlist *l, const struct shortlist *other);
void shortlist_clear(struct shortlist *l);

/* Append "A, B and 3 more" to the error: at most so many texts, and no more than it has room for.
 * Returns -1. */
int shortlist_write(const struct strings *texts, size_t most, struct error *err);
/* The same with "; there are: " before it. */
int shortlist_append(const struct shortlist *l, size_t most, struct error *err);

#endif
