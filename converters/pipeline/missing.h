/* SPDX-License-Identifier: MIT */
/*
 * missing.h - says what could have been meant by a file that is not there.
 *
 * In: its name. Out: text for an error message.
 */
#ifndef MISSING_H
#define MISSING_H

#include "base/error.h"

/* Set the error: there is no such file, and what is next. Returns -1. */
int missing_file(const char *name, struct error *err);

#endif
