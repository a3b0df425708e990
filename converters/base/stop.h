/* SPDX-License-Identifier: MIT */
/*
 * stop.h - an error text, and the wish of the user that what is being done ends.
 */
#ifndef BASE_STOP_H
#define BASE_STOP_H

#include <stdbool.h>

/* ---- error ----------------------------------------------------------------------------------- */
/*
 * Errors and warnings: one line of text, which only the main program prints.
 *
 * In: a format and its arguments. Out: struct error.
 *
 * A function that can fail takes a `struct error *` and returns 0 or -1. When it returns -1, it has
 * set the text. The text names the file and, if it is known, the offset: "FILE: what is wrong at
 * byte N".
 */

struct error {
	char text[1024];
	bool is_set;   /* there is a text; for warnings, which are set without a failure */
	bool is_usage; /* the command line does not fit the inputs */
	unsigned list; /* where a list of names begins in the text, which may be wrapped; 0: none */
};

/* Set the text (printf-like, cut to fit, control characters replaced by '?'). Returns -1. */
int error_set(struct error *err, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Add to the end of the text, for example " at byte 17", which only the caller knows. Returns
 * -1. */
int error_append(struct error *err, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Set the text, as error_set does, and is_usage: the command line asks for something that the
 * inputs do not have. Returns -1. */
int error_usage(struct error *err, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* What is added from now on is a list of names with commas. */
void error_list(struct error *err);

/* Set the text "out of memory". Returns -1. */
int error_memory(struct error *err);

/* ---- stop ------------------------------------------------------------------------------------ */
/*
 * The user's wish that what is being done ends.
 *
 * In: a signal. Out: an error of what takes long, which then frees what it has made.
 */

/* From now on until stop_forget, loops that take long end with an error, and no struct out (out.h)
 * writes anything. [async-signal-safe] */
void stop_request(void);
void stop_forget(void);
bool stop_is_requested(void);

/* Returns -1 and sets the error "interrupted" if a stop is requested. */
int stop_check(struct error *err);

#endif
