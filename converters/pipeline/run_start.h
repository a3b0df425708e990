/* SPDX-License-Identifier: MIT */
/*
 * run_start.h - when the run began that the inputs are recordings of.
 *
 * In: files. Out: a time.
 */
#ifndef RUN_START_H
#define RUN_START_H

#include <stdint.h>

#include "base/error.h"
#include "pipeline/sources.h"

/*
 * *start_ns: the earliest start of the processes, so that all of a process tree have one axis of
 * time; 0 if there is one input only, whose own start it is, or none says. Of several inputs the
 * heads are read: -1 if one of them is no file that can be read twice. What else is wrong with them
 * is found when they are read.
 */
int run_start(const struct sources *from, uint64_t *start_ns, struct error *err);

#endif
