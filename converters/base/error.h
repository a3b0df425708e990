/* SPDX-License-Identifier: MIT */
/*
 * error.h - how a stage reports what went wrong: one line of text, which only the main program
 * prints.
 *
 * A function that can fail takes a `struct error *` and returns 0 or -1. When it returns -1, it
 * has set the text. The text names the file and, where there is one, the offset: "FILE: what is
 * wrong at byte N".
 */
#ifndef ERROR_H
#define ERROR_H

#include <stdbool.h>

struct error {
	char text[1024];
	bool is_set;   /* there is a text; for warnings, which may be set though nothing failed */
	bool is_usage; /* the command line is wrong, which only the inputs have shown */
};

/* Set the text (printf-like, cut to fit, control characters replaced by '?'). Returns -1. */
int error_set(struct error *err, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Add to the end of the text what only the caller knows (" at byte 17"). Returns -1. */
int error_append(struct error *err, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The same for an error of usage: the command line asks for what the inputs do not have. */
int error_usage(struct error *err, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Set the text "out of memory". Returns -1. */
int error_memory(struct error *err);

#endif
