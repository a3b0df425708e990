/* SPDX-License-Identifier: MIT */
/*
 * assertions.h - checks what --assert claims, and says what does not hold.
 *
 * In: options, runs. Out: messages on standard error.
 */
#ifndef ASSERTIONS_H
#define ASSERTIONS_H

#include "pipeline/analysis.h"
#include "pipeline/sources.h"

/*
 * Check all assertions of the options. `compared` has the runs if there is a base. Else the files are read
 * again, since the view has merged them. Returns 0 if all hold with confidence, 1 after a message for each that does not, -1
 * on error.
 */
int assertions_check(const struct options *opt, const struct sources *from,
		     const struct analysis *compared, struct error *err);

#endif
