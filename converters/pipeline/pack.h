/* SPDX-License-Identifier: MIT */
/*
 * pack.h - packs recordings into one file, with the names of what they show.
 *
 * In: recordings, the files of their modules. Out: a pack (doc/pack.md), of which every view is the
 * same as of the recordings, also where these files are not.
 */
#ifndef PIPELINE_PACK_H
#define PIPELINE_PACK_H

#include <stddef.h>

#include "model/profile.h"
#include "options/options.h"
#include "pack/pack_builder.h"
#include "pack/pack_names.h"
#include "pipeline/sources.h"
#include "read/pack_file.h"
#include "symbols/symbols.h"
#include "write/pack_tar.h"

/* Write the pack to opt->output. */
int pack_write(const struct sources *from, const struct options *opt, struct error *err);

#endif
