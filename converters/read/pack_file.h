/* SPDX-License-Identifier: MIT */
/*
 * pack_file.h - where in a pack its recordings are.
 *
 * In: a pack, which is a tar archive of recordings, their names and an index (doc/pack.md). Out:
 * parts of the file.
 *
 * A recording in a pack has a path as if the pack were a directory, "one.cps/0.cpsample.perl.77.cps".
 * All that reads recordings takes such paths.
 */
#ifndef PACK_FILE_H
#define PACK_FILE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/stop.h"

/* The name of the first file of the archive, with which a pack begins. */
#define PACK_MAGIC   "cpsample-pack"
#define PACK_VERSION 1

#define PACK_BLOCK	 512u /* tar: headers and contents begin at multiples of it */
#define PACK_NAME_BYTES	 80u  /* of a recording, at most */
#define PACK_LINE_BYTES	 209u /* of a line of the index */
#define PACK_LIST_BYTES	 84u  /* of a line of the lists' index */
#define PACK_CALLS_BYTES 63u  /* of a line that says where a file of calls is */
/* At its end: the header of the last file, its content, and two empty blocks. */
#define PACK_END_BYTES (4 * PACK_BLOCK)
/* More recordings would need longer names. */
#define PACK_RECORDINGS_MAX 100000000u

struct pack_span {
	uint64_t offset, bytes;
};

/* The files that a recording can have in a pack. Without bytes it is absent. */
enum pack_part { PACK_RECORDING, PACK_JOURNAL, PACK_MAP, PACK_CALLS, PACK_PARTS };

/* What was known of a recording's process when it was packed. */
enum pack_life { PACK_OVER = 'o', PACK_RUNNING = 'r', PACK_BECAME = 'b' };

struct pack_entry {
	char name[PACK_NAME_BYTES + 1];
	char life; /* enum pack_life */
	struct pack_span parts[PACK_PARTS];
};

/* The programs of a run that ended without a recording (CPS_SHORT of libsampler/format.h). */
struct pack_list {
	uint64_t tree_pid, tree_start; /* of the run */
	struct pack_span part;
};

struct pack_file {
	int fd;
	const char *path; /* the caller's */
	uint64_t bytes;
	uint64_t n;		/* recordings */
	struct pack_span index; /* a line for each of them */
	struct pack_span names; /* packed with zlib */
	struct pack_span code;	/* likewise; without bytes it is absent */
	struct pack_span lists; /* a line for each list; likewise */
	uint64_t n_lists;
	struct pack_span calls; /* a line for each recording with a file of calls; likewise */
	uint64_t n_calls;
};

/* Open the file, if it is a pack. Returns 1; 0 if it is none, or cannot be opened; -1 if it is one that
 * is damaged or too new. */
int pack_file_open(struct pack_file *p, const char *path, struct error *err);
void pack_file_close(struct pack_file *p);

/* Read line i of the index, which is less than n. */
int pack_file_entry(const struct pack_file *p, uint64_t i, struct pack_entry *e, struct error *err);

/* Read line i, which is less than n_lists, of those that say where lists are. */
int pack_file_list(const struct pack_file *p, uint64_t i, struct pack_list *l, struct error *err);

/* Find the list of the run with l->tree_pid and l->tree_start. Returns 1; 0: the pack has none of it; -1: it is damaged. */
int pack_file_list_find(const struct pack_file *p, struct pack_list *l, struct error *err);

/* Read a part of the file into the bytes. */
int pack_file_read(const struct pack_file *p, const struct pack_span *part, void *bytes,
		   struct error *err);

/* Find what belongs to a recording in a pack. *p is open then, to be closed by the caller. Returns 1;
 * 0 if the path does not lead into a pack; -1 if the pack is damaged, or has no such recording. */
int pack_file_find(struct pack_file *p, const char *path, struct pack_entry *e, struct error *err);

#endif
