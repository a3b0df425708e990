/* SPDX-License-Identifier: MIT */
/*
 * pack_journal.c - makes a journal small.
 *
 * In: the journal of a process that was killed, or is running. Out: a journal that says the same.
 *
 * A journal has a mebibyte for the buffers of sixteen threads, of which a killed process has used some
 * pages. Its head says how large buffers are, so one with smaller ones is a journal like others (format.h). Buffers keep their numbers,
 * because batches have them inside.
 */
#include "pipeline/pack_journal.h"

#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "libsampler/format.h"

/* No recorder makes a journal that has so much in it. */
#define JOURNAL_BYTES_MAX (UINT64_C(64) << 20)

struct journal {
	int fd;
	struct pack_span at;
	struct cps_journal_head head;
	struct cps_journal_buffer *table;
	uint32_t buffers, buffer_bytes, data_offset, page_room;
};

static bool read_at(const struct journal *j, void *bytes, size_t n, uint64_t offset)
{
	size_t have = 0;

	if (offset > j->at.bytes || n > j->at.bytes - offset)
		return false;
	while (have < n) {
		ssize_t got = pread(j->fd, (char *)bytes + have, n - have,
				    (off_t)(j->at.offset + offset + have));

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return false;
		have += (size_t)got;
	}
	return true;
}

static size_t table_end(uint32_t buffers)
{
	return sizeof(struct cps_journal_head) + buffers * sizeof(struct cps_journal_buffer);
}

static bool read_head(struct journal *j)
{
	const struct cps_journal_head *h = &j->head;

	if (!read_at(j, &j->head, sizeof(j->head), 0) ||
	    memcmp(h->magic, CPS_JOURNAL_MAGIC, sizeof(h->magic)) != 0 ||
	    le32toh(h->version) != CPS_JOURNAL_VERSION)
		return false;
	j->buffers = le32toh(h->buffers);
	j->buffer_bytes = le32toh(h->buffer_bytes);
	j->data_offset = le32toh(h->data_offset);
	j->page_room = le32toh(h->page_room);
	return j->buffers && j->buffers <= CPS_JOURNAL_BUFFERS_MAX && j->page_room &&
	       j->page_room <= CPS_JOURNAL_ALIGN && j->buffer_bytes <= CPS_RECORD_BYTES_MAX &&
	       j->data_offset >= table_end(j->buffers);
}

/* The pages that a buffer has in use. */
static uint32_t pages_of(const struct journal *j, uint32_t i)
{
	uint32_t committed = le32toh(j->table[i].committed);

	return committed / j->page_room + (committed % j->page_room != 0);
}

/* How large the buffers have to be, and how many there are up to the last one in use. False: one has more than it can. */
static bool measure(const struct journal *j, uint32_t *pages, uint32_t *buffers)
{
	*pages = *buffers = 1;
	for (uint32_t i = 0; i < j->buffers; i++) {
		uint32_t used = pages_of(j, i);

		if (used > j->buffer_bytes / CPS_JOURNAL_ALIGN)
			return false;
		*pages = used > *pages ? used : *pages;
		*buffers = used ? i + 1 : *buffers;
	}
	return true;
}

static bool copy(const struct journal *j, unsigned char *to, uint32_t buffers, size_t data,
		 size_t buffer_bytes)
{
	struct cps_journal_head head = j->head;

	head.buffers = htole32(buffers);
	head.buffer_bytes = htole32((uint32_t)buffer_bytes);
	head.data_offset = htole32((uint32_t)data);
	memcpy(to, &head, sizeof(head));
	memcpy(to + sizeof(head), j->table, table_end(buffers) - sizeof(head));
	for (uint32_t i = 0; i < buffers; i++)
		if (!read_at(j, to + data + i * buffer_bytes,
			     (size_t)pages_of(j, i) * CPS_JOURNAL_ALIGN,
			     j->data_offset + (uint64_t)i * j->buffer_bytes))
			return false;
	return true;
}

static int shrink(const struct journal *j, unsigned char **bytes, size_t *n)
{
	uint32_t pages, buffers;
	uint64_t all;
	size_t data;

	if (!measure(j, &pages, &buffers))
		return 0;
	data = (table_end(buffers) + CPS_JOURNAL_ALIGN - 1) / CPS_JOURNAL_ALIGN * CPS_JOURNAL_ALIGN;
	all = data + (uint64_t)buffers * pages * CPS_JOURNAL_ALIGN;
	if (all >= j->at.bytes || all > JOURNAL_BYTES_MAX)
		return 0;
	*n = (size_t)all;
	*bytes = calloc(1, *n);
	if (!*bytes)
		return -1;
	return copy(j, *bytes, buffers, data, (size_t)pages * CPS_JOURNAL_ALIGN);
}

int pack_journal_shrink(int fd, const struct pack_span *from, unsigned char **bytes, size_t *n)
{
	struct journal j = {.fd = fd, .at = *from};
	size_t table;
	int rc = 0;

	*bytes = NULL;
	if (!read_head(&j))
		return 0;
	table = table_end(j.buffers) - sizeof(j.head);
	j.table = malloc(table);
	if (!j.table)
		return -1;
	if (read_at(&j, j.table, table, sizeof(j.head)))
		rc = shrink(&j, bytes, n);
	free(j.table);
	return rc;
}
