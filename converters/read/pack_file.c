/* SPDX-License-Identifier: MIT */
/*
 * pack_file.c - reads the index of a pack.
 *
 * Each access reads a few hundred bytes at a place that is known, so that a recording is found as fast
 * among ten thousand as alone.
 */
#include "read/pack_file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAGIC_BYTES (sizeof(PACK_MAGIC) - 1)
#define DIGITS	    20 /* of a number, with leading zeros */
#define END_TEXT    PACK_MAGIC " 1 index "
#define CODE_TEXT   "code "
#define LISTS_TEXT  "lists "
#define CALLS_TEXT  "calls "

static int damaged(const struct pack_file *p, const char *wrong, uint64_t offset, struct error *err)
{
	return error_set(err, "%s: damaged pack: %s at byte %" PRIu64, p->path, wrong, offset);
}

int pack_file_read(const struct pack_file *p, const struct pack_span *part, void *bytes,
		   struct error *err)
{
	uint64_t have = 0;

	while (have < part->bytes) {
		ssize_t got = pread(p->fd, (char *)bytes + have, (size_t)(part->bytes - have),
				    (off_t)(part->offset + have));

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return error_set(err, "%s: %s at byte %" PRIu64, p->path, strerror(errno),
					 part->offset + have);
		if (!got)
			return damaged(p, "it ends too early", part->offset + have, err);
		have += (uint64_t)got;
	}
	return 0;
}

/* Read a number of DIGITS digits and the character that follows it. */
static bool read_number(const char **at, char behind, uint64_t *number)
{
	uint64_t value = 0;

	for (int i = 0; i < DIGITS; i++) {
		unsigned digit = (unsigned)(*(*at)++ - '0');

		if (digit > 9 || __builtin_mul_overflow(value, 10, &value) ||
		    __builtin_add_overflow(value, digit, &value))
			return false;
	}
	*number = value;
	return *(*at)++ == behind;
}

static bool read_span(const struct pack_file *p, const char **at, char behind,
		      struct pack_span *span)
{
	return read_number(at, ' ', &span->offset) && read_number(at, behind, &span->bytes) &&
	       span->offset <= p->bytes && span->bytes <= p->bytes - span->offset;
}

/* The part is absent, or begins at the byte or behind it. *end becomes the byte behind it. */
static bool follows(const struct pack_span *part, uint64_t *end)
{
	if (!part->bytes)
		return true;
	if (part->offset < *end)
		return false;
	*end = part->offset + part->bytes;
	return true;
}

/* ---- the end, which says where the index is ---------------------------------------------------- */

/* What is in the way of the index is not in the way of the recordings. */
static int damaged_end(const struct pack_file *p, const char *wrong, uint64_t offset,
		       struct error *err)
{
	return error_set(err,
			 "%s: damaged pack: %s at byte %" PRIu64
			 "; the recordings in it may be whole: tar -xf takes them out",
			 p->path, wrong, offset);
}

static bool is_pack(int fd)
{
	char magic[MAGIC_BYTES + 1];

	return pread(fd, magic, sizeof(magic), 0) == (ssize_t)sizeof(magic) &&
	       !memcmp(magic, PACK_MAGIC, sizeof(magic));
}

/* The lines about code, lists and calls, which are absent in packs that have none. What else follows is left to later programs. Returns
 * what a line does not say. */
static const char *read_others(struct pack_file *p, const char *at)
{
	const struct {
		const char *text, *wrong;
		struct pack_span *to;
	} lines[] = {
		{CODE_TEXT, "its end does not say where its code is", &p->code},
		{LISTS_TEXT, "its end does not say where its lists are", &p->lists},
		{CALLS_TEXT, "its end does not say where its calls are", &p->calls},
	};

	while (at && *at) {
		size_t i = 0;

		while (i < 3 && strncmp(at, lines[i].text, strlen(lines[i].text)) != 0)
			i++;
		if (i < 3) {
			at += strlen(lines[i].text);
			if (!read_span(p, &at, '\n', lines[i].to))
				return lines[i].wrong;
		} else {
			at = strchr(at, '\n');
			at += at != NULL;
		}
	}
	return NULL;
}

static int read_version(const struct pack_file *p, struct error *err)
{
	const struct pack_span version = {PACK_BLOCK, PACK_BLOCK};
	char text[PACK_BLOCK + 1] = "";
	const char *at = text + MAGIC_BYTES + 1;
	int digits;

	if (p->bytes < version.offset + version.bytes)
		return damaged(p, "it ends too early", p->bytes, err);
	if (pack_file_read(p, &version, text, err))
		return -1;
	if (strncmp(text, PACK_MAGIC " ", MAGIC_BYTES + 1) != 0)
		return damaged(p, "it does not say its version", version.offset, err);
	digits = (int)strspn(at, "0123456789");
	if (!strncmp(at, "1\n", 2))
		return 0;
	return error_set(err,
			 "%s: has version %.*s of the format of packs at byte %" PRIu64
			 ", but this program reads version %d",
			 p->path, digits < DIGITS ? digits : DIGITS, at,
			 version.offset + MAGIC_BYTES + 1, PACK_VERSION);
}

static int read_end(struct pack_file *p, struct error *err)
{
	struct pack_span last = {p->bytes - PACK_END_BYTES + PACK_BLOCK, PACK_BLOCK};
	char text[PACK_BLOCK + 1] = "";
	const char *at = text + strlen(END_TEXT);
	const char *wrong;
	uint64_t end = 0;

	if (p->bytes < PACK_END_BYTES + 2 * PACK_BLOCK)
		return damaged_end(p, "it ends too early", p->bytes, err);
	if (pack_file_read(p, &last, text, err))
		return -1;
	if (strncmp(text, END_TEXT, strlen(END_TEXT)) != 0 || !read_span(p, &at, ' ', &p->index) ||
	    !read_span(p, &at, '\n', &p->names))
		return damaged_end(p, "its end does not say where its index is", last.offset, err);
	wrong = read_others(p, at);
	if (wrong)
		return damaged_end(p, wrong, last.offset, err);
	p->n = p->index.bytes / PACK_LINE_BYTES;
	if (p->index.bytes % PACK_LINE_BYTES || !p->n || p->n > PACK_RECORDINGS_MAX)
		return damaged_end(p, "its index has an impossible length", last.offset, err);
	p->n_lists = p->lists.bytes / PACK_LIST_BYTES;
	if (p->lists.bytes % PACK_LIST_BYTES || p->n_lists > p->n)
		return damaged_end(p, "its lists have an impossible number", last.offset, err);
	p->n_calls = p->calls.bytes / PACK_CALLS_BYTES;
	if (p->calls.bytes % PACK_CALLS_BYTES || p->n_calls > p->n)
		return damaged_end(p, "its calls have an impossible number", last.offset, err);
	if (!follows(&p->lists, &end) || !follows(&p->calls, &end) || !follows(&p->names, &end) ||
	    !follows(&p->code, &end) || !follows(&p->index, &end) || !follows(&last, &end))
		return damaged_end(p, "its names, code and index overlap", last.offset, err);
	return 0;
}

int pack_file_open(struct pack_file *p, const char *path, struct error *err)
{
	struct stat st;

	*p = (struct pack_file){.fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), .path = path};
	if (p->fd < 0)
		return 0;
	if (fstat(p->fd, &st) || !S_ISREG(st.st_mode) || !is_pack(p->fd)) {
		pack_file_close(p);
		return 0;
	}
	p->bytes = (uint64_t)st.st_size;
	if (!read_version(p, err) && !read_end(p, err))
		return 1;
	pack_file_close(p);
	return -1;
}

void pack_file_close(struct pack_file *p)
{
	if (p->fd >= 0)
		close(p->fd);
	p->fd = -1;
}

/* ---- the index --------------------------------------------------------------------------------- */

/* The name begins with the number of the line, and is that of a file, without a directory. */
static bool check_name(const char *name, uint64_t i)
{
	char number[DIGITS + 2];
	int n = snprintf(number, sizeof(number), "%" PRIu64 ".", i);

	for (const char *c = name; *c; c++)
		if ((unsigned char)*c < ' ' || *c == 0x7f || *c == '/')
			return false;
	return !strncmp(name, number, (size_t)n);
}

static bool read_line(const struct pack_file *p, uint64_t i, const char *line, struct pack_entry *e)
{
	const char *at = line + PACK_NAME_BYTES;
	size_t n = PACK_NAME_BYTES;

	while (n && line[n - 1] == ' ')
		n--;
	memcpy(e->name, line, n);
	e->name[n] = '\0';
	if (*at++ != ' ' || strlen(e->name) != n || !check_name(e->name, i))
		return false;
	e->life = *at++;
	if (*at++ != ' ' ||
	    (e->life != PACK_OVER && e->life != PACK_RUNNING && e->life != PACK_BECAME))
		return false;
	return read_span(p, &at, ' ', &e->parts[PACK_RECORDING]) &&
	       read_span(p, &at, ' ', &e->parts[PACK_JOURNAL]) &&
	       read_span(p, &at, '\n', &e->parts[PACK_MAP]);
}

/* The order in which pack_copy() writes them, which readers rely on: what two recordings shared would be read, and
 * kept, once for each. */
static bool follow_each_other(const struct pack_entry *e, uint64_t *end)
{
	const struct pack_span *recording = &e->parts[PACK_RECORDING];

	if (!follows(&e->parts[PACK_JOURNAL], end) || recording->offset < *end)
		return false;
	*end = recording->offset + recording->bytes; /* it has a place also if it is empty */
	return follows(&e->parts[PACK_MAP], end);
}

/* Find the line about the calls of recording i. Returns 1; 0: there is none; -1: the line is wrong, or cannot be read. */
static int find_calls(const struct pack_file *p, uint64_t i, struct pack_span *calls,
		      struct error *err)
{
	uint64_t low = 0, high = p->n_calls, number;

	while (low < high) {
		uint64_t middle = low + (high - low) / 2;
		const struct pack_span line = {p->calls.offset + middle * PACK_CALLS_BYTES,
					       PACK_CALLS_BYTES};
		char text[PACK_CALLS_BYTES];
		const char *at = text;

		if (pack_file_read(p, &line, text, err))
			return -1;
		if (!read_number(&at, ' ', &number) || !read_span(p, &at, '\n', calls))
			return damaged_end(p, "a line about its calls is wrong", line.offset, err);
		if (number == i)
			return 1;
		if (number < i)
			low = middle + 1;
		else
			high = middle;
	}
	return 0;
}

/* Its calls lie between what is before the recording, and the recording with its journal. */
static int read_calls(const struct pack_file *p, uint64_t i, struct pack_entry *e, uint64_t end,
		      struct error *err)
{
	enum pack_part next = e->parts[PACK_JOURNAL].bytes ? PACK_JOURNAL : PACK_RECORDING;
	int rc = find_calls(p, i, &e->parts[PACK_CALLS], err);

	if (rc <= 0) {
		e->parts[PACK_CALLS] = (struct pack_span){0};
		return rc;
	}
	if (follows(&e->parts[PACK_CALLS], &end) && end <= e->parts[next].offset)
		return 0;
	return damaged_end(p, "its recordings overlap, by a line about calls", p->calls.offset,
			   err);
}

int pack_file_entry(const struct pack_file *p, uint64_t i, struct pack_entry *e, struct error *err)
{
	const uint64_t first = i ? i - 1 : 0;
	const struct pack_span lines = {p->index.offset + first * PACK_LINE_BYTES,
					(i - first + 1) * PACK_LINE_BYTES};
	char text[2 * PACK_LINE_BYTES];
	uint64_t end = 2 * PACK_BLOCK, before = end;

	if (pack_file_read(p, &lines, text, err))
		return -1;
	for (uint64_t k = first; k <= i; k++) {
		const uint64_t at = (k - first) * PACK_LINE_BYTES;

		before = end;
		if (!read_line(p, k, text + at, e))
			return damaged_end(p, "a line of its index is wrong", lines.offset + at,
					   err);
		if (!follow_each_other(e, &end))
			return damaged_end(p, "its recordings overlap, by the line of its index",
					   lines.offset + at, err);
	}
	if (end > p->names.offset)
		return damaged_end(p,
				   "a recording reaches into its names, by the line of its index",
				   lines.offset + (i - first) * PACK_LINE_BYTES, err);
	return read_calls(p, i, e, before, err);
}

/* ---- lists ------------------------------------------------------------------------------------- */

static int compare_lists(const struct pack_list *a, const struct pack_list *b)
{
	if (a->tree_pid != b->tree_pid)
		return a->tree_pid < b->tree_pid ? -1 : 1;
	return (a->tree_start > b->tree_start) - (a->tree_start < b->tree_start);
}

static bool read_list(const struct pack_file *p, const char *at, struct pack_list *l)
{
	return read_number(&at, ' ', &l->tree_pid) && read_number(&at, ' ', &l->tree_start) &&
	       read_span(p, &at, '\n', &l->part);
}

/* They are behind the recordings. */
static int find_recordings_end(const struct pack_file *p, uint64_t *end, struct error *err)
{
	struct pack_entry last;

	if (pack_file_entry(p, p->n - 1, &last, err))
		return -1;
	*end = last.parts[PACK_RECORDING].offset + last.parts[PACK_RECORDING].bytes;
	follows(&last.parts[PACK_MAP], end);
	return 0;
}

int pack_file_list(const struct pack_file *p, uint64_t i, struct pack_list *l, struct error *err)
{
	const uint64_t first = i ? i - 1 : 0;
	const struct pack_span lines = {p->lists.offset + first * PACK_LIST_BYTES,
					(i - first + 1) * PACK_LIST_BYTES};
	const char *wrong = NULL;
	struct pack_list before;
	char text[2 * PACK_LIST_BYTES];
	uint64_t end;

	if (pack_file_read(p, &lines, text, err) || find_recordings_end(p, &end, err))
		return -1;
	if (!read_list(p, text, &before) || !read_list(p, text + (i - first) * PACK_LIST_BYTES, l))
		wrong = "a line of its lists is wrong";
	else if (i && compare_lists(&before, l) >= 0)
		wrong = "its lists are not in order";
	else if ((i && (before.part.offset < end || !follows(&before.part, &end))) ||
		 l->part.offset < end || !follows(&l->part, &end) || end > p->lists.offset)
		wrong = "its lists overlap";
	return wrong ? damaged_end(p, wrong, lines.offset + (i - first) * PACK_LIST_BYTES, err) : 0;
}

int pack_file_list_find(const struct pack_file *p, struct pack_list *l, struct error *err)
{
	uint64_t low = 0, high = p->n_lists;

	while (low < high) {
		uint64_t middle = low + (high - low) / 2;
		struct pack_list at;
		int order;

		if (pack_file_list(p, middle, &at, err))
			return -1;
		order = compare_lists(&at, l);
		if (!order) {
			*l = at;
			return 1;
		}
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return 0;
}

/* ---- paths into a pack ------------------------------------------------------------------------- */

static int find_entry(struct pack_file *p, const char *name, struct pack_entry *e,
		      struct error *err)
{
	char *end;
	uint64_t i = strtoull(name, &end, 10);

	if (*end == '.' && i < p->n) {
		if (pack_file_entry(p, i, e, err))
			return -1;
		if (!strcmp(e->name, name))
			return 1;
	}
	return error_set(err, "%s: this pack has no recording named \"%.100s\"", p->path, name);
}

int pack_file_find(struct pack_file *p, const char *path, struct pack_entry *e, struct error *err)
{
	const char *slash = strrchr(path, '/');
	char *pack = slash ? strndup(path, (size_t)(slash - path)) : NULL;
	int rc = 0;

	*p = (struct pack_file){.fd = -1};
	if (slash && !pack)
		return error_memory(err);
	if (pack)
		rc = pack_file_open(p, pack, err);
	if (rc > 0) {
		rc = find_entry(p, slash + 1, e, err);
		if (rc < 0)
			pack_file_close(p);
	}
	p->path = path;
	free(pack);
	return rc;
}
