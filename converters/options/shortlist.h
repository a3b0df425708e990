/* SPDX-License-Identifier: MIT */
/*
 * shortlist.h - what there is, for a message that says that something is not there.
 *
 * In: texts. Out: the first ones of them, and how many more there are.
 */
#ifndef SHORTLIST_H
#define SHORTLIST_H

#include "base/error.h"
#include "base/strings.h"

/* Begins as all zero. */
struct shortlist {
	struct strings *seen; /* each text once */
	struct error text;
};

/* When memory is out the text is left out. */
void shortlist_add(struct shortlist *l, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* The texts of another one, in their order. */
void shortlist_join(struct shortlist *l, const struct shortlist *other);
void shortlist_clear(struct shortlist *l);

/* Append "; there are: A, B and 3 more" to the error. Returns -1. */
int shortlist_append(const struct shortlist *l, struct error *err);

#endif
