/* SPDX-License-Identifier: MIT */
/*
 * error.h - errors and warnings: one line of text, which only the main program prints.
 *
 * In: a format and its arguments. Out: struct error.
 *
 * A function that can fail takes a `struct error *` and returns 0 or -1. When it returns -1, it has
 * set the text. The text names the file and, if it is known, the offset: "FILE: what is wrong at
 * byte N".
 */
#ifndef ERROR_H
#define ERROR_H

#include <stdbool.h>

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

#endif
