/* SPDX-License-Identifier: MIT */
/*
 * warnings.h - what the user should know about the files that were read.
 *
 * In: files, a profile, its modules. Out: messages on standard error.
 */
#ifndef WARNINGS_H
#define WARNINGS_H

#include <stdbool.h>

#include "base/error.h"
#include "base/patterns.h"
#include "model/profile.h"
#include "pipeline/sources.h"
#include "symbols/symbols.h"

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

#endif
