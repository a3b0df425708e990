/* SPDX-License-Identifier: MIT */
/*
 * report.h - runs the stages between files and views, and tells the user about it.
 *
 * In: files, options. Out: what the stages make; progress and warnings on standard error. The stages
 * themselves (analysis.h) write nothing.
 */
#ifndef REPORT_H
#define REPORT_H

#include "pipeline/analysis.h"
#include "pipeline/sources.h"

/* Read the files into one profile, and warn of what is wrong with them. -1: error; *s is to be freed
 * in any case. */
int report_read(struct analysis *s, const struct sources *from, const struct options *opt,
		struct error *err);

/* As analysis_shape(), with progress on a terminal. Warn of options that have matched nothing and,
 * once for each analysis, of modules that gave no names. */
int report_shape(struct analysis *s, unsigned needs, const struct options *opt, struct error *err);

#endif
