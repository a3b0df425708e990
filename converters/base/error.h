/* SPDX-License-Identifier: MIT */
/*
 * error.h - how a stage says what went wrong: one line of text that only main prints.
 *
 * A function that can fail takes a `struct error *`, returns 0 or -1, and on -1 has set the text.
 * The text names the file and, where there is one, the offset: "FILE: what is wrong at byte N".
 */
#ifndef ERROR_H
#define ERROR_H

#include <stdbool.h>

struct error {
	char text[1024];
	bool is_set;   /* there is a text; for warnings, which may be set though nothing failed */
	bool is_usage; /* the command line is at fault, though only the inputs have shown it */
};

/* Set the text (printf-like, cut to fit, control characters replaced by '?'). Returns -1. */
int error_set(struct error *err, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Add to the end of the text what only the caller knows (" at byte 17"). Returns -1. */
int error_append(struct error *err, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* As error_set, for what the command line should not have asked for. */
int error_usage(struct error *err, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The usual one: "out of memory". Returns -1. */
int error_memory(struct error *err);

#endif
