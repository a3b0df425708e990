/* SPDX-License-Identifier: MIT */
/*
 * pack_tar.h - writes the archive of a pack (doc/pack.md).
 *
 * In: files, names. Out: a pack.
 */
#ifndef PACK_TAR_H
#define PACK_TAR_H

#include "read/pack_file.h"
#include "write/out.h"

struct pack_tar {
	struct out *out;
	uint64_t bytes; /* written so far */
	char *lines;	/* of the index */
	size_t n, size; /* recordings */
	char *lists;	/* their index */
	size_t n_lists, lists_size;
	char *calls; /* where files of calls are */
	size_t n_calls, calls_size;
};

/* Begin a pack; t->out is set, and all else is zero. */
void pack_tar_begin(struct pack_tar *t);

/* Copy n bytes of an open file, from the offset on, into a file of the archive. *part becomes where they are. -1: the file
 * cannot be read, or is shorter; `path` is for the message. */
int pack_tar_copy(struct pack_tar *t, const char *name, int fd, const struct pack_span *from,
		  const char *path, struct pack_span *part, struct error *err);

/* Write n bytes as a file of the archive; returns where they are. */
struct pack_span pack_tar_write(struct pack_tar *t, const char *name, const void *bytes, size_t n);

/* Add a line to the index, for the recording with the number t->n. -1: out of memory. */
int pack_tar_add(struct pack_tar *t, const struct pack_entry *e, struct error *err);

/* Write n bytes as the list of the run, behind all recordings; runs by process and start. -1: out of memory. */
int pack_tar_list(struct pack_tar *t, const struct pack_list *of, const void *bytes, size_t n,
		  struct error *err);

/* Bytes that become a file of the archive. */
struct pack_tar_part {
	unsigned char *bytes;
	size_t n;
};

/* Write the lists' index, where calls are, names, code, index and end; not what has no bytes, but for names. */
void pack_tar_end(struct pack_tar *t, const struct pack_tar_part *names,
		  const struct pack_tar_part *code);
void pack_tar_free(struct pack_tar *t);

#endif
