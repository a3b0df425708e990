/* SPDX-License-Identifier: MIT */
/*
 * short_file.c - reads what processes of a run have used that left no recording.
 *
 * Each entry stands for itself: it has letters to be found by, a length and a checksum. So one that a full disk has cut takes no
 * other with it.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "read/decode_stream.h"
#include "read/pack_file.h"
#include "read/short_file.h"

struct fields {
	struct short_entry entry;
	struct event_text arg; /* the latest one */
};

#define IN_FIELDS(member) offsetof(struct fields, member)

static const struct decode_field fields[] = {
	{CPS_SHORT_PID, FIELD_NUMBER, IN_FIELDS(entry.pid)},
	{CPS_SHORT_PPID, FIELD_NUMBER, IN_FIELDS(entry.ppid)},
	{CPS_SHORT_START_NS, FIELD_NUMBER, IN_FIELDS(entry.start_ns)},
	{CPS_SHORT_TIME_US, FIELD_NUMBER, IN_FIELDS(entry.time_us)},
	{CPS_SHORT_CPU_NS, FIELD_NUMBER, IN_FIELDS(entry.cpu_ns)},
	{CPS_SHORT_CPU_BEFORE_NS, FIELD_NUMBER, IN_FIELDS(entry.cpu_before_ns)},
	{CPS_SHORT_CHILDREN_NS, FIELD_NUMBER, IN_FIELDS(entry.children_ns)},
	{CPS_SHORT_CHILDREN_BEFORE_NS, FIELD_NUMBER, IN_FIELDS(entry.children_before_ns)},
	{CPS_SHORT_STOP, FIELD_NUMBER, IN_FIELDS(entry.stop)},
	{CPS_SHORT_NAME, FIELD_TEXT, IN_FIELDS(entry.name)},
	{CPS_SHORT_ARG, FIELD_TEXT, IN_FIELDS(arg)},
	{CPS_SHORT_DIRECTORY, FIELD_TEXT, IN_FIELDS(entry.directory)},
	{0},
};

/* The payload of a record whose checksum is right. */
static bool read_fields(struct cursor *c, struct fields *f)
{
	uint64_t number;

	*f = (struct fields){0};
	while (c->at != c->end) {
		if (!decode_field_read(c, fields, f, &number))
			return false;
		if (number == CPS_SHORT_ARG && f->entry.n_args < SHORT_FILE_ARGS)
			f->entry.args[f->entry.n_args++] = f->arg;
	}
	return f->entry.pid && f->entry.start_ns;
}

/* The bytes of the entry that begins here; 0: there is none. One that says it is longer than entries are is not looked at, or a
 * forged file of such ones would take hours. */
static size_t entry_at(const unsigned char *bytes, size_t n, struct fields *f)
{
	const unsigned char *record = bytes + CPS_MAGIC_BYTES;
	struct cursor c = {record, bytes + (n < CPS_SHORT_BYTES ? n : CPS_SHORT_BYTES), NULL};
	uint64_t tag, length;

	if (!decode_record_frame(&c, &tag, &length) || tag != CPS_TAG_SHORT ||
	    length + 4 > (size_t)(c.end - c.at) ||
	    !decode_record_crc_is_right(record, (size_t)(c.at - record) + length))
		return 0;
	c.end = c.at + length;
	return read_fields(&c, f) ? (size_t)(c.end - bytes) + 4 : 0;
}

int short_file_parse(const unsigned char *bytes, size_t n,
		     int (*each)(void *, const struct short_entry *, struct error *), void *context,
		     struct error *err)
{
	const unsigned char *at = bytes, *end = bytes + n;
	struct fields f;

	for (size_t i = 0; i < SHORT_FILE_ENTRIES;) {
		size_t length;

		at = memmem(at, (size_t)(end - at), CPS_SHORT_MAGIC, CPS_MAGIC_BYTES);
		if (!at)
			break;
		length = entry_at(at, (size_t)(end - at), &f);
		at += length ? length : CPS_MAGIC_BYTES;
		if (!length)
			continue;
		if (each(context, &f.entry, err))
			return -1;
		i++;
	}
	return 0;
}

/* ---- where it is ------------------------------------------------------------------------------- */

/* Beside a recording that is a file. */
static int find_beside(struct short_file *s, const char *recording, uint64_t owner,
		       uint64_t tree_pid, uint64_t tree_start, struct error *err)
{
	const char *slash = strrchr(recording, '/');
	struct stat st;
	char *path;

	if (asprintf(&path, "%.*s" CPS_SHORT_PREFIX "%" PRIu64 ".%" PRIu64 CPS_SHORT_SUFFIX,
		     slash ? (int)(slash + 1 - recording) : 0, recording, tree_pid, tree_start) < 0)
		return error_memory(err);
	s->fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	free(path);
	if (s->fd < 0)
		return 0;
	if (fstat(s->fd, &st) || !S_ISREG(st.st_mode) || st.st_uid != owner) {
		short_file_close(s);
		return 0;
	}
	s->bytes = st.st_size < (off_t)CPS_SHORT_FILE_BYTES ? (size_t)st.st_size
							    : CPS_SHORT_FILE_BYTES;
	return 1;
}

static int find_packed(struct short_file *s, const char *recording, uint64_t tree_pid,
		       uint64_t tree_start, struct error *err)
{
	struct pack_entry entry;
	struct pack_file pack;
	struct pack_list list = {.tree_pid = tree_pid, .tree_start = tree_start};
	int rc = pack_file_find(&pack, recording, &entry, err);

	if (rc <= 0)
		return rc;
	rc = pack_file_list_find(&pack, &list, err);
	if (rc <= 0) {
		pack_file_close(&pack);
		return rc;
	}
	*s = (struct short_file){.fd = pack.fd, .offset = list.part.offset, .recordings = pack.n};
	s->bytes = list.part.bytes < CPS_SHORT_FILE_BYTES ? (size_t)list.part.bytes
							  : CPS_SHORT_FILE_BYTES;
	return 1;
}

int short_file_find(struct short_file *s, const char *recording, uint64_t tree_pid,
		    uint64_t tree_start, struct error *err)
{
	struct stat st;

	*s = (struct short_file){.fd = -1};
	if (!stat(recording, &st))
		return S_ISREG(st.st_mode)
			       ? find_beside(s, recording, st.st_uid, tree_pid, tree_start, err)
			       : 0;
	return errno == ENOTDIR ? find_packed(s, recording, tree_pid, tree_start, err) : 0;
}

unsigned char *short_file_bytes(struct short_file *s, struct error *err)
{
	unsigned char *bytes = malloc(s->bytes + 1);
	size_t n = 0;

	while (bytes && n < s->bytes) {
		ssize_t got = pread(s->fd, bytes + n, s->bytes - n, (off_t)(s->offset + n));

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			break;
		n += (size_t)got;
	}
	s->bytes = n;
	short_file_close(s);
	if (!bytes)
		error_memory(err);
	return bytes;
}

void short_file_close(struct short_file *s)
{
	if (s->fd >= 0)
		close(s->fd);
	s->fd = -1;
}
