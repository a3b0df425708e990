/* SPDX-License-Identifier: MIT */
/*
 * pack.h - packs recordings into one file.
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

/* ---- pack ------------------------------------------------------------------------------------ */
/*
 * Packs recordings into one file, with the names of what they show.
 *
 * In: recordings, the files of their modules. Out: a pack (doc/pack.md), of which every view is the
 * same as of the recordings, also where these files are not.
 */

/* Write the pack to opt->output. */
int pack_write(const struct sources *from, const struct options *opt, struct error *err);

/* ---- pack code ------------------------------------------------------------------------------- */
/*
 * Puts the code of functions into a pack.
 */

/* How much may be added yet, and how much was. */
struct pack_code_room {
	uint64_t left; /* bytes of code */
	size_t n;      /* functions */
};

/* All functions of a compiler's run have a half of it. */
#define PACK_CODE_BYTES_MAX (4u << 20)
/* Of a function. Larger ones are tables, or code that a program has generated. */
#define PACK_CODE_PIECE_MAX (1u << 20)
#define PACK_CODE_ROOM	    ((struct pack_code_room){.left = PACK_CODE_BYTES_MAX})

/* Add the code of the functions of the profile, the heaviest ones first, as long as there is room, with what is known of each
 * instruction and of where it jumps. The options of s are those of symbols_pack(). -1: out of memory. */
int pack_code(struct pack_builder *b, struct pack_code_room *room, const struct profile *p,
	      struct symbols *s, struct error *err);

/* ---- pack sources ---------------------------------------------------------------------------- */
/*
 * Puts the text of source lines into a pack.
 */

/* Add the text of all lines that the builder has noted, and of some around them, as far as the files are found: in packs (NULL:
 * none), below the directories (NULL: none), or where they were. -1: out of memory. */
int pack_sources(struct pack_builder *b, const struct pack_set *packs, const char *directories,
		 struct error *err);

/* ---- pack copy ------------------------------------------------------------------------------- */
/*
 * Copies a recording, and what belongs to it, into a pack.
 */

/* Copy the recording at the path, its journal and the perf map of its process. -1: it is no recording, or
 * cannot be read. */
int pack_copy(struct pack_tar *t, const char *path, struct error *err);

/* ---- pack journal ---------------------------------------------------------------------------- */
/*
 * Makes a journal small.
 */

/* Write the journal in a part of an open file anew, with room for no more than its buffers hold. The caller frees
 * *bytes. Returns 1; 0 if the journal is damaged or would not become smaller; -1 if memory is out. */
int pack_journal_shrink(int fd, const struct pack_span *from, unsigned char **bytes, size_t *n);

#endif
