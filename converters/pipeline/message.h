/* SPDX-License-Identifier: MIT */
/*
 * message.h - tells the user what happens, how far the work is, and ends with what that means.
 */
#ifndef PIPELINE_MESSAGE_H
#define PIPELINE_MESSAGE_H

#include <stdbool.h>

#include "base/patterns.h"
#include "base/stop.h"
#include "model/profile.h"
#include "pipeline/sources.h"
#include "symbols/symbols.h"
#include "write/out.h"

/* ---- exit status ----------------------------------------------------------------------------- */
/*
 * What both programs exit with.
 *
 * In: an error, or a text to be printed. Out: a message on standard error, an exit status.
 */

#define EXIT_USAGE     2
#define EXIT_BROKEN    3 /* an assertion does not hold */
#define EXIT_UNCERTAIN 4 /* an assertion may hold or not */

/* Print the error. Returns EXIT_USAGE if the command line was wrong, else EXIT_FAILURE. */
int exit_status_report(const struct error *err);

/* Let `write` write to standard output. Returns EXIT_SUCCESS, or reports the error. */
int exit_status_print(void (*write)(struct out *o));

/* ---- message --------------------------------------------------------------------------------- */
/*
 * Messages to the user.
 *
 * In: a text. Out: "PROGRAM: TEXT" on standard error.
 */

/* All messages begin with this name from now on. The text must stay valid. */
void message_program(const char *name);

/* From now on message() writes nothing, or writes again. */
void message_mute(bool is_mute);

/* Write a message. A progress line is removed before. */
void message(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* ---- warnings -------------------------------------------------------------------------------- */
/*
 * What the user should know about the files that were read.
 *
 * In: files, a profile, its modules. Out: messages on standard error.
 */

/* Say which files are read when none was named, and warn of files that were named twice. */
void warnings_sources(const struct sources *s);

/* Warn of recordings that were cut, or that stopped because of an error. With `strict` the first
 * one that was cut is an error instead: -1. */
int warnings_profile(const struct profile *p, bool strict, struct error *err);

/* --kernel was given: warn if no sample has met a thread there. */
void warnings_kernel(bool has_kernel);

/* Warn of modules that gave no names. To be called after all names have been looked up. */
void warnings_modules(const struct profile *p, const struct symbols *s);

/* Warn of those patterns of an option that have matched nothing. `what` is the kind of thing that
 * they are compared with, such as "thread". */
void warnings_unmatched(const struct patterns *p, const char *what);

/* ---- startup --------------------------------------------------------------------------------- */
/*
 * What both programs do first.
 *
 * In: the program's name. Out: descriptors and signals as the rest of the program expects them.
 */

/* To be called before anything else. Messages begin with `name` then, a file that is
 * opened does not take the place of a closed standard descriptor, and a pipe whose reader has gone
 * is a write error instead of a signal. */
void startup(const char *name);

/* Whether a handler of signals, as signal() returns it, ends the program. */
bool startup_ends(void (*handler)(int));

/* ---- progress -------------------------------------------------------------------------------- */
/*
 * Tells a user who waits at a terminal how far the work is.
 *
 * In: the files, how many bytes of them have been read, the name of a step. Out: a line on standard
 * error. It is only drawn if that is a terminal and the work takes more than a second. It is drawn
 * anew at most ten times a second, and removed at the end.
 */

/* These files will be read. The line appears a second after this call at the earliest. */
void progress_files(const struct sources *from);

/* The file of this number is being read; the first one has number 1. */
void progress_file(size_t number);

/* Put into the line how much all threads have read by now. */
void progress_read(void);

/* A step begins that may take long, such as "looking up names". */
void progress_begin(const char *what);

/* The step is over, or something else is to be written: the line is removed. */
void progress_end(void);

#endif
