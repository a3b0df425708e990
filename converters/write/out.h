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

#include "base/stop.h"

struct out;

/* Open a file, or standard output if the path is NULL or "-". A file is written under a temporary
 * name and renamed by out_close, so that a failure leaves no incomplete file. NULL on error. */
struct out *out_open(const char *path, struct error *err);
/* Set the error that a file cannot be written, by an errno. Returns -1. */
int out_refuse(const char *path, int error, struct error *err);
/* Write what is buffered, close the output and free o. Returns -1 if anything since out_open could
 * not be written. It is no error if the reader has gone away (EPIPE). If `keep` is false, the file
 * is removed. */
int out_close(struct out *o, bool keep, struct error *err);
/* Remove the file that is being written. To be called before a signal ends the program. [async-signal-safe] */
void out_abandon(void);

/* Open an output that is kept in memory, such as a view that is a part of another one. It ends with
 * out_take, which frees o and returns the *n bytes that were written, with a NUL behind them; the
 * caller frees them. NULL: memory. */
struct out *out_open_memory(struct error *err);
char *out_take(struct out *o, size_t *n, struct error *err);

/* A program that shows long output on a terminal. */
struct out_pager {
	int (*start)(void);   /* returns a descriptor to write to, or -1 if it cannot be started */
	void (*finish)(void); /* is called after that descriptor has been closed */
};

/* If o is a terminal and the output is longer than its screen, all of the output goes to the pager.
 * To be called before anything is written; `pager` may be NULL. */
void out_page(struct out *o, const struct out_pager *pager);

/* If a stop is requested (stop.h), no struct out writes anything. That is no error, but files that are
 * being written are removed. */

/* What is written goes through the sheet from now on, and this is the width; NULL: it does not. sheet.h calls
 * this. */
struct sheet;
void out_set_sheet(struct out *o, struct sheet *sheet, int width);

void out_bytes(struct out *o, const char *bytes, size_t n);
void out_text(struct out *o, const char *text);
void out_format(struct out *o, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Write a name as text views show it: control characters become \xNN. */
void out_name(struct out *o, const char *bytes, size_t n);
/* The columns that the first of n > 0 bytes of a name fills, with those that continue its UTF-8
 * character: 0 if it continues one itself. */
int out_columns(const char *bytes, size_t n);
/* The columns of all of a name. */
int out_name_columns(const char *bytes, size_t n);
/* Write a name in `room` columns at most; fewer than three count as three. What is too long is cut and has ".." there:
 * before the last part of a qualified name if that is not too long ("std::map<std::str..::find"), else that part is all
 * that is shown of it ("..::ParseDeclGro.."); other names at their end. A place in a function is cut before its file, or if
 * that is long before its line ("operator new(uns.. new_op.cc:50"). */
void out_name_cut(struct out *o, const char *bytes, size_t n, int room);
/* Write a name that ends a line and begins in `column`. On a terminal that is too narrow it is cut in that way; where that
 * leaves less than a dozen columns, it has a line of its own. */
void out_name_fit(struct out *o, const char *bytes, size_t n, int column);
/* Write text that ends a line, such as that of a source file. On a terminal that is too narrow it is cut at its end. */
void out_line_fit(struct out *o, const char *bytes, size_t n, int column);
void out_count(struct out *o, unsigned __int128 n); /* in decimal */
/* Write a number with the fewest digits from which the same double can be read: at most
 * "0.29999999999999999". */
void out_double(struct out *o, double v);

/* The first returns the width of the terminal, or 0 if the output is no terminal. Colours are
 * allowed only on a terminal, and if NO_COLOR is not set. */
int out_width(const struct out *o);
int out_height(const struct out *o); /* its lines, likewise */
/* The columns that running text may have: those of the terminal, but 200 at most, or 80 if the output is no terminal. */
int out_text_width(const struct out *o);
bool out_colour(const struct out *o);

#endif
