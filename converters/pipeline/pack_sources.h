/* SPDX-License-Identifier: MIT */
/*
 * pack_sources.h - puts the text of source lines into a pack.
 */
#ifndef PACK_SOURCES_H
#define PACK_SOURCES_H

#include "pack/pack_builder.h"
#include "pack/pack_set.h"

/* Add the text of all lines that the builder has noted, and of some around them, as far as the files are found: in packs (NULL:
 * none), below the directories (NULL: none), or where they were. -1: out of memory. */
int pack_sources(struct pack_builder *b, const struct pack_set *packs, const char *directories,
		 struct error *err);

#endif
