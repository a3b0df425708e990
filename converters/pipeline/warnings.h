/* SPDX-License-Identifier: MIT */
/*
 * warnings.h - what the user should know of the files that were read.
 *
 * In: files, a profile, its modules. Out: lines on standard error.
 */
#ifndef WARNINGS_H
#define WARNINGS_H

#include <stdbool.h>

#include "base/error.h"
#include "base/patterns.h"
#include "model/profile.h"
#include "pipeline/sources.h"
#include "symbols/symbols.h"

/* What nobody has named, and what has been named too often. */
void warnings_sources(const struct sources *s);

/* Recordings that were cut, or that stopped for trouble. With `strict` the first that was cut is
 * an error instead: -1. */
int warnings_profile(const struct profile *p, bool strict, struct error *err);

/* Modules that gave no names. To be called when all names have been looked up. */
void warnings_modules(const struct profile *p, const struct symbols *s);

/* Parts of values that have matched nothing, though they have been looked for; `what` they mean. */
void warnings_unmatched(const struct patterns *p, const char *what);

#endif
