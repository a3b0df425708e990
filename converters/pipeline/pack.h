/* SPDX-License-Identifier: MIT */
/*
 * pack.h - packs recordings into one file, with the names of what they show.
 *
 * In: recordings, the files of their modules. Out: a pack (doc/pack.md), of which every view is the
 * same as of the recordings, also where these files are not.
 */
#ifndef PACK_H
#define PACK_H

#include "options/options.h"
#include "pipeline/sources.h"

/* Write the pack to opt->output. */
int pack_write(const struct sources *from, const struct options *opt, struct error *err);

#endif
