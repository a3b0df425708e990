/* SPDX-License-Identifier: MIT */
/*
 * run_start.h - when the run began whose processes the inputs are recordings of.
 *
 * In: files. Out: a time.
 */
#ifndef RUN_START_H
#define RUN_START_H

#include <stdint.h>

#include "base/error.h"
#include "pipeline/sources.h"

/*
 * *start_ns becomes the earliest start of all processes, so that --from and --to mean the same
 * times in all recordings of a process tree. It becomes 0 if no input has a start, and if there is
 * only one input, because times are then counted from the start of that one. Of several inputs the
 * heads are read here and again later: -1 if one of them cannot be read twice, such as a pipe.
 * Other errors are not reported here, since reading the whole file will find them again.
 */
int run_start(const struct sources *from, uint64_t *start_ns, struct error *err);

#endif
