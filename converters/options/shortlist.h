/* SPDX-License-Identifier: MIT */
/*
 * listing.h - what there is, for a message that says that something is not there.
 *
 * Main room. In: texts. Out: the first ones of them, and how many more there are.
 */
#ifndef LISTING_H
#define LISTING_H

#include "base/error.h"
#include "base/strings.h"

/* Begins as all zero. */
struct listing {
	struct strings *seen; /* each text once */
	struct error text;
};

/* When memory is out the text is left out. */
void listing_add(struct listing *l, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The texts of another one, in their order. */
void listing_join(struct listing *l, const struct listing *other);
void listing_clear(struct listing *l);

/* Append "; there are: A, B and 3 more" to the error. Returns -1. */
int listing_append(const struct listing *l, struct error *err);

#endif
