/* SPDX-License-Identifier: MIT */
/*
 * exit_status.h - what both programs exit with.
 *
 * In: an error, or a text to be printed. Out: a message on standard error, an exit status.
 */
#ifndef EXIT_STATUS_H
#define EXIT_STATUS_H

#include "base/error.h"
#include "write/out.h"

#define EXIT_USAGE  2
#define EXIT_BROKEN 3 /* an assertion does not hold */

/* Print the error. Returns EXIT_USAGE if the command line was wrong, else EXIT_FAILURE. */
int exit_status_report(const struct error *err);

/* Let `write` write to standard output. Returns EXIT_SUCCESS, or reports the error. */
int exit_status_print(void (*write)(struct out *o));

#endif
