/* SPDX-License-Identifier: MIT */
/*
 * pack_tar.c - writes the archive of a pack.
 *
 * In: files, names. Out: a tar archive (POSIX.1-1988, "ustar") whose last file says where the index is.
 *
 * It is written from its beginning to its end, so that it may go into a pipe. Nothing in it depends on
 * when and by whom it was made.
 */
#include "write/pack_tar.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "libsampler/format.h"

#define COPY_BYTES 65536u
/* A larger size does not fit the eleven octal digits of a header, and is written in binary. */
#define OCTAL_MAX ((UINT64_C(1) << 33) - 1)

struct tar_header {
	char name[100], mode[8], uid[8], gid[8], size[12], mtime[12], sum[8], type;
	char link[100], magic[6], version[2], rest[247];
};

_Static_assert(sizeof(struct tar_header) == PACK_BLOCK, "the layout is the file's");

static void write_bytes(struct pack_tar *t, const void *bytes, size_t n)
{
	out_bytes(t->out, bytes, n);
	t->bytes += n;
}

/* Fill the block. */
static void write_rest(struct pack_tar *t)
{
	static const char zeros[PACK_BLOCK];

	if (t->bytes % PACK_BLOCK)
		write_bytes(t, zeros, PACK_BLOCK - t->bytes % PACK_BLOCK);
}

static void set_size(struct tar_header *h, uint64_t bytes)
{
	if (bytes <= OCTAL_MAX) {
		snprintf(h->size, sizeof(h->size), "%011" PRIo64, bytes);
		return;
	}
	h->size[0] = (char)0x80;
	for (int i = 0; i < 8; i++)
		h->size[11 - i] = (char)(bytes >> 8 * i);
}

/* The sum is that of all bytes, with blanks in its own place. */
static void write_header(struct pack_tar *t, const char *name, uint64_t bytes)
{
	struct tar_header h = {.mode = "0000644",
			       .uid = "0000000",
			       .gid = "0000000",
			       .mtime = "00000000000",
			       .sum = {' ', ' ', ' ', ' ', ' ', ' ', ' ', ' '},
			       .type = '0',
			       .magic = "ustar",
			       .version = {'0', '0'}};
	unsigned sum = 0;

	snprintf(h.name, sizeof(h.name), "%s", name);
	set_size(&h, bytes);
	for (size_t i = 0; i < sizeof(h); i++)
		sum += ((const unsigned char *)&h)[i];
	snprintf(h.sum, sizeof(h.sum), "%06o", sum);
	write_bytes(t, &h, sizeof(h));
}

struct pack_span pack_tar_write(struct pack_tar *t, const char *name, const void *bytes, size_t n)
{
	struct pack_span part = {.bytes = n};

	write_header(t, name, n);
	part.offset = t->bytes;
	write_bytes(t, bytes, n);
	write_rest(t);
	return part;
}

void pack_tar_begin(struct pack_tar *t)
{
	static const char about[] = PACK_MAGIC
		" 1\n"
		"Recordings of libcpsample, with the names of what they show. cpconv and cpprof "
		"read\n"
		"this file as it is. The recordings can also be taken out of it, by tar.\n";

	pack_tar_write(t, PACK_MAGIC, about, sizeof(about) - 1);
}

/* ---- copies ------------------------------------------------------------------------------------ */

static int copy_bytes(struct pack_tar *t, int fd, const struct pack_span *from, const char *path,
		      struct error *err)
{
	char bytes[COPY_BYTES];
	uint64_t done = 0;

	while (done < from->bytes) {
		size_t wanted =
			from->bytes - done < COPY_BYTES ? (size_t)(from->bytes - done) : COPY_BYTES;
		ssize_t n = pread(fd, bytes, wanted, (off_t)(from->offset + done));

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return error_set(err, "%s: %s at byte %" PRIu64, path,
					 n ? strerror(errno) : "it became shorter",
					 from->offset + done);
		write_bytes(t, bytes, (size_t)n);
		done += (uint64_t)n;
	}
	return 0;
}

int pack_tar_copy(struct pack_tar *t, const char *name, int fd, const struct pack_span *from,
		  const char *path, struct pack_span *part, struct error *err)
{
	write_header(t, name, from->bytes);
	*part = (struct pack_span){t->bytes, from->bytes};
	if (copy_bytes(t, fd, from, path, err))
		return -1;
	write_rest(t);
	return 0;
}

/* ---- the index --------------------------------------------------------------------------------- */

static int add_calls(struct pack_tar *t, const struct pack_span *part, struct error *err)
{
	char line[PACK_CALLS_BYTES + 1];

	if (!array_reserve(&t->calls, &t->calls_size, t->n_calls + 1, PACK_CALLS_BYTES))
		return error_memory(err);
	snprintf(line, sizeof(line), "%020zu %020" PRIu64 " %020" PRIu64 "\n", t->n, part->offset,
		 part->bytes);
	memcpy(t->calls + t->n_calls++ * PACK_CALLS_BYTES, line, PACK_CALLS_BYTES);
	return 0;
}

int pack_tar_add(struct pack_tar *t, const struct pack_entry *e, struct error *err)
{
	const struct pack_span *p = e->parts;
	char line[PACK_LINE_BYTES + 1];

	if (p[PACK_CALLS].bytes && add_calls(t, &p[PACK_CALLS], err))
		return -1;
	if (!array_reserve(&t->lines, &t->size, t->n + 1, PACK_LINE_BYTES))
		return error_memory(err);
	snprintf(line, sizeof(line),
		 "%-*s %c %020" PRIu64 " %020" PRIu64 " %020" PRIu64 " %020" PRIu64 " %020" PRIu64
		 " %020" PRIu64 "\n",
		 (int)PACK_NAME_BYTES, e->name, e->life, p[PACK_RECORDING].offset,
		 p[PACK_RECORDING].bytes, p[PACK_JOURNAL].offset, p[PACK_JOURNAL].bytes,
		 p[PACK_MAP].offset, p[PACK_MAP].bytes);
	memcpy(t->lines + t->n++ * PACK_LINE_BYTES, line, PACK_LINE_BYTES);
	return 0;
}

int pack_tar_list(struct pack_tar *t, const struct pack_list *of, const void *bytes, size_t n,
		  struct error *err)
{
	char name[100], line[PACK_LIST_BYTES + 1];
	struct pack_span part;

	if (!array_reserve(&t->lists, &t->lists_size, t->n_lists + 1, PACK_LIST_BYTES))
		return error_memory(err);
	snprintf(name, sizeof(name), CPS_SHORT_PREFIX "%" PRIu64 ".%" PRIu64 CPS_SHORT_SUFFIX,
		 of->tree_pid, of->tree_start);
	part = pack_tar_write(t, name, bytes, n);
	snprintf(line, sizeof(line),
		 "%020" PRIu64 " %020" PRIu64 " %020" PRIu64 " %020" PRIu64 "\n", of->tree_pid,
		 of->tree_start, part.offset, part.bytes);
	memcpy(t->lists + t->n_lists++ * PACK_LIST_BYTES, line, PACK_LIST_BYTES);
	return 0;
}

/* Say at the end where a part is, unless it is absent. */
static size_t say(char *end, size_t at, const char *what, const struct pack_span *part)
{
	if (!part->bytes)
		return at;
	return at + (size_t)snprintf(end + at, PACK_BLOCK - at,
				     "%s %020" PRIu64 " %020" PRIu64 "\n", what, part->offset,
				     part->bytes);
}

void pack_tar_end(struct pack_tar *t, const struct pack_tar_part *names,
		  const struct pack_tar_part *code)
{
	static const char empty[2 * PACK_BLOCK];
	struct pack_span of_names, of_code = {0}, of_lists = {0}, of_calls = {0}, index;
	char end[PACK_BLOCK];
	size_t length;

	if (t->n_lists)
		of_lists = pack_tar_write(t, "lists", t->lists, t->n_lists * PACK_LIST_BYTES);
	if (t->n_calls)
		of_calls = pack_tar_write(t, "calls", t->calls, t->n_calls * PACK_CALLS_BYTES);
	of_names = pack_tar_write(t, "names", names->bytes, names->n);
	if (code->n)
		of_code = pack_tar_write(t, "code", code->bytes, code->n);
	index = pack_tar_write(t, "index", t->lines, t->n * PACK_LINE_BYTES);
	length = (size_t)snprintf(end, sizeof(end),
				  PACK_MAGIC " 1 index %020" PRIu64 " %020" PRIu64 " %020" PRIu64
					     " %020" PRIu64 "\n",
				  index.offset, index.bytes, of_names.offset, of_names.bytes);
	length = say(end, length, "code", &of_code);
	length = say(end, length, "lists", &of_lists);
	length = say(end, length, "calls", &of_calls);
	pack_tar_write(t, "end", end, length);
	write_bytes(t, empty, sizeof(empty));
}

void pack_tar_free(struct pack_tar *t)
{
	free(t->lines);
	free(t->lists);
	free(t->calls);
}
