/* SPDX-License-Identifier: MIT */
/*
 * out.h - where views write: buffered, with a sticky error that is checked once, at the end.
 */
#ifndef OUT_H
#define OUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct out;

/* PATH NULL or "-": standard output. A file is written under a temporary name and renamed by
 * out_close, so that a failure leaves no stump. NULL on error. */
struct out *out_open(const char *path, struct error *err);
/* Flush and close; -1 if anything since out_open could not be written. Frees o. A reader that has
 * gone away (EPIPE) is no error. `keep` false: give the file up. */
int out_close(struct out *o, bool keep, struct error *err);

/* What shows long output to somebody. */
struct out_pager {
	int (*start)(void);   /* a descriptor to write to, -1: it cannot be started */
	void (*finish)(void); /* it was closed */
};

/* If o is a terminal and what is written is longer than its screen, all of it goes to the pager.
 * To be called before anything is written; `pager` may be NULL. */
void out_page(struct out *o, const struct out_pager *pager);

/* From now on nothing more is written by any struct out, until out_resume. No error comes of it, but
 * no file either. [async-signal-safe] */
void out_interrupt(void);
void out_resume(void);
bool out_is_interrupted(void);

void out_bytes(struct out *o, const char *bytes, size_t n);
void out_text(struct out *o, const char *text);
void out_format(struct out *o, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A name as it stands in text views: control characters as \xNN, all else verbatim. */
void out_name(struct out *o, const char *bytes, size_t n);
/* The columns that a byte of it fills; one that continues a UTF-8 character fills none. */
int out_columns(char byte);
/* A name at the end of a line, `column` columns into it: cut, with ".." at the end, if the
 * output is a terminal and too narrow. At least a dozen columns are written. */
void out_name_fit(struct out *o, const char *bytes, size_t n, int column);
void out_count(struct out *o, unsigned __int128 n); /* in decimal */
/* A number with the fewest digits that read back as the same double ("0.29999999999999999" or
 * shorter). */
void out_double(struct out *o, double v);

/* The width of the terminal if the output is one, else 0. Colour is allowed only if so and
 * NO_COLOR unset. */
int out_width(const struct out *o);
bool out_colour(const struct out *o);

#endif
