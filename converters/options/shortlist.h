/* SPDX-License-Identifier: MIT */
/*
 * shortlist.h - a list for the end of an error: what there is instead of what was asked for.
 *
 * In: texts. Out: the first few distinct ones, and how many more there are.
 */
#ifndef SHORTLIST_H
#define SHORTLIST_H

#include "base/error.h"
#include "base/strings.h"

/* All members are zero at first. */
struct shortlist {
	struct strings *seen; /* each text once */
	struct error text;
};

/* Add a text. If memory is out, the text is left out. */
void shortlist_add(struct shortlist *l, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* Add the texts of another list, in their order. */
void shortlist_join(struct shortlist *l, const struct shortlist *other);
void shortlist_clear(struct shortlist *l);

/* Append "; there are: A, B and 3 more" to the error. Returns -1. */
int shortlist_append(const struct shortlist *l, struct error *err);

#endif
