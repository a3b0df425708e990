/* SPDX-License-Identifier: MIT */
/*
 * out.h - the output that views write to.
 *
 * In: text. Out: a file, a terminal or a pager.
 *
 * Output is buffered. An error is kept and reported once, at the end.
 */
#ifndef OUT_H
#define OUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct out;

/* Open a file, or standard output if the path is NULL or "-". A file is written under a temporary
 * name and renamed by out_close, so that a failure leaves no incomplete file. NULL on error. */
struct out *out_open(const char *path, struct error *err);
/* Write what is buffered, close the output and free o. Returns -1 if anything since out_open could
 * not be written. It is no error if the reader has gone away (EPIPE). If `keep` is false, the file
 * is removed. */
int out_close(struct out *o, bool keep, struct error *err);

/* A program that shows long output on a terminal. */
struct out_pager {
	int (*start)(void);   /* returns a descriptor to write to, or -1 if it cannot be started */
	void (*finish)(void); /* is called after that descriptor has been closed */
};

/* If o is a terminal and the output is longer than its screen, all of the output goes to the pager.
 * To be called before anything is written; `pager` may be NULL. */
void out_page(struct out *o, const struct out_pager *pager);

/* From now on no struct out writes anything, until out_resume. That is no error, but files that are
 * being written are removed. [async-signal-safe] */
void out_interrupt(void);
void out_resume(void);
bool out_is_interrupted(void);

void out_bytes(struct out *o, const char *bytes, size_t n);
void out_text(struct out *o, const char *text);
void out_format(struct out *o, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Write a name as text views show it: control characters become \xNN. */
void out_name(struct out *o, const char *bytes, size_t n);
/* The columns that the first of n > 0 bytes of a name fills, with those that continue its UTF-8
 * character: 0 if it continues one itself. */
int out_columns(const char *bytes, size_t n);
/* Write a name that ends a line and begins in `column`. On a terminal that is too narrow it is cut
 * and ends with ".."; at least a dozen columns are written. */
void out_name_fit(struct out *o, const char *bytes, size_t n, int column);
void out_count(struct out *o, unsigned __int128 n); /* in decimal */
/* Write a number with the fewest digits from which the same double can be read: at most
 * "0.29999999999999999". */
void out_double(struct out *o, double v);

/* The first returns the width of the terminal, or 0 if the output is no terminal. Colours are
 * allowed only on a terminal, and if NO_COLOR is not set. */
int out_width(const struct out *o);
bool out_colour(const struct out *o);

#endif
