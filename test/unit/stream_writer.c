/* SPDX-License-Identifier: MIT */
/*
 * stream_writer.c - writes recorded streams for tests.
 *
 * In: simple calls. Out: bytes and files as doc/format.md describes them.
 */
#include "stream_writer.h"

#include <endian.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "libsampler/format.h"

static void *checked(void *p)
{
	if (!p) {
		perror("stream_writer");
		abort();
	}
	return p;
}

/* ---- bytes ----------------------------------------------------------------------------------- */

void bytes_free(struct bytes *b)
{
	free(b->at);
	*b = (struct bytes){0};
}

void bytes_put(struct bytes *b, const void *from, size_t n)
{
	if (b->n + n > b->size) {
		b->size = (b->n + n) * 2;
		b->at = checked(realloc(b->at, b->size));
	}
	if (n)
		memcpy(b->at + b->n, from, n);
	b->n += n;
}

void bytes_byte(struct bytes *b, unsigned char byte)
{
	bytes_put(b, &byte, 1);
}

void bytes_varint(struct bytes *b, uint64_t value)
{
	for (; value > 127; value >>= 7)
		bytes_byte(b, (unsigned char)(value | 0x80));
	bytes_byte(b, (unsigned char)value);
}

void bytes_zigzag(struct bytes *b, int64_t value)
{
	bytes_varint(b, value < 0 ? ~((uint64_t)value << 1) : (uint64_t)value << 1);
}

void bytes_text(struct bytes *b, const char *text)
{
	bytes_varint(b, strlen(text));
	bytes_put(b, text, strlen(text));
}

void bytes_field(struct bytes *b, unsigned field, uint64_t value)
{
	bytes_varint(b, field * 2);
	bytes_varint(b, value);
}

void bytes_field_text(struct bytes *b, unsigned field, const char *text)
{
	bytes_varint(b, field * 2 + 1);
	bytes_text(b, text);
}

void bytes_record(struct bytes *b, uint64_t tag, const void *payload, size_t n)
{
	size_t start = b->n;
	uint32_t crc;

	bytes_varint(b, tag);
	bytes_varint(b, n);
	bytes_put(b, payload, n);
	crc = htole32((uint32_t)crc32(0, b->at + start, (uInt)(b->n - start)));
	bytes_put(b, &crc, sizeof(crc));
}

void bytes_process(struct bytes *b, uint64_t pid, uint64_t scale, uint64_t journal)
{
	bytes_field(b, CPS_PROCESS_PID, pid);
	bytes_field_text(b, CPS_PROCESS_RESOURCE, "cpu");
	bytes_field_text(b, CPS_PROCESS_UNIT, "ns");
	bytes_field(b, CPS_PROCESS_SCALE, scale);
	bytes_field(b, CPS_PROCESS_JOURNAL, journal);
	bytes_field_text(b, CPS_PROCESS_EXE, "/bin/demo");
	bytes_field_text(b, CPS_PROCESS_ARG, "demo");
	bytes_field_text(b, CPS_PROCESS_ARG, "");
}

void bytes_module(struct bytes *b, uint32_t id, const char *path, const char *build_id)
{
	bytes_varint(b, id);
	bytes_text(b, path);
	bytes_text(b, build_id);
	bytes_varint(b, 0x400000); /* bias */
	bytes_varint(b, 0);	   /* flags */
	bytes_varint(b, 1);	   /* segments */
	for (unsigned value = 1; value <= 5; value++)
		bytes_varint(b, value * 4096);
}

void bytes_thread(struct bytes *b, uint32_t id, uint64_t tid, const char *name)
{
	bytes_varint(b, id);
	bytes_varint(b, tid);
	bytes_varint(b, 0);
	bytes_text(b, name);
}

/* ---- batches --------------------------------------------------------------------------------- */

void batch_writer_begin(struct batch_writer *w, enum writer_style style, uint64_t buffer,
			uint64_t sequence, uint64_t time_us)
{
	memset(w, 0, sizeof(*w));
	w->style = style;
	memset(w->followers, 0xff, sizeof(w->followers));
	bytes_varint(&w->payload, buffer);
	bytes_varint(&w->payload, sequence);
	bytes_varint(&w->payload, time_us);
}

void batch_writer_free(struct batch_writer *w)
{
	bytes_free(&w->payload);
}

static bool frame_equal(const struct writer_frame *a, const struct writer_frame *b)
{
	return a->module == b->module && a->address == b->address;
}

/* Now and then, if clumsy. */
static bool fumbles(struct batch_writer *w)
{
	return w->style == WRITER_CLUMSY && ++w->clumsiness % 3 == 0;
}

static int known_id(const struct batch_writer *w, const struct writer_frame *f)
{
	for (size_t i = 0; i < w->n_known; i++)
		if (frame_equal(&w->known[i], f))
			return (int)i;
	return -1;
}

static void put_new(struct batch_writer *w, const struct writer_frame *f)
{
	bytes_varint(&w->payload, CPS_FRAME_NEW);
	bytes_varint(&w->payload, f->module == WRITER_NO_MODULE ? 0 : f->module + 1ull);
	bytes_varint(&w->payload, f->address);
	if (w->n_known == WRITER_ADDRESSES)
		abort();
	w->known[w->n_known++] = *f;
}

/* To the front of the list. */
static void note(int list[4], int id)
{
	int place = 0;

	while (place < 3 && list[place] != id)
		place++;
	memmove(list + 1, list, (size_t)place * sizeof(list[0]));
	list[0] = id;
}

/* How many frames from i on are each the first follower of the one before. */
static size_t run_length(const struct batch_writer *w, const struct writer_item *item, size_t i)
{
	int before = i ? w->ids[i - 1] : WRITER_ADDRESSES;
	size_t n = 0;

	for (; i + n < item->depth; n++) {
		before = w->followers[before][0];
		if (before < 0 || !frame_equal(&w->known[before], &item->stack[i + n]))
			break;
	}
	return n;
}

/* Write frame i, or a run from it on; returns how many frames. */
static size_t put_frames(struct batch_writer *w, const struct writer_item *item, size_t i)
{
	int *list = w->followers[i ? w->ids[i - 1] : WRITER_ADDRESSES];
	const struct writer_frame *f = &item->stack[i];
	size_t run = w->style == WRITER_PLAIN ? 0 : run_length(w, item, i);
	int place = 0, id;

	if (run > 2 || (run && fumbles(w))) {
		bytes_varint(&w->payload, CPS_FRAME_RUN);
		bytes_varint(&w->payload, run);
		for (size_t k = 0; k < run; k++)
			w->ids[i + k] =
				w->followers[i + k ? w->ids[i + k - 1] : WRITER_ADDRESSES][0];
		return run;
	}
	while (place < 4 && (list[place] < 0 || !frame_equal(&w->known[list[place]], f)))
		place++;
	id = known_id(w, f);
	if (place < 4 && w->style != WRITER_PLAIN && !fumbles(w)) {
		id = list[place];
		bytes_varint(&w->payload, (uint64_t)place);
	} else if (id >= 0 && !fumbles(w)) {
		bytes_varint(&w->payload, CPS_FRAME_KNOWN + (uint64_t)id);
	} else {
		id = (int)w->n_known;
		put_new(w, f);
	}
	note(list, id);
	w->ids[i] = id;
	return 1;
}

void batch_writer_item(struct batch_writer *w, const struct writer_item *item)
{
	const struct writer_item *last = &w->last;
	bool thread = !w->has_thread || item->thread != last->thread;
	size_t keep = 0;

	while (keep < item->depth && keep < last->depth &&
	       frame_equal(&item->stack[keep], &last->stack[keep]))
		keep++;
	if (keep && fumbles(w))
		keep--;
	bytes_varint(&w->payload, (uint64_t)(last->depth - keep) << CPS_ITEM_POP_SHIFT |
					  (item->mark ? CPS_ITEM_MARK : 0) |
					  (item->tail ? CPS_ITEM_TAIL : 0) |
					  (thread ? CPS_ITEM_THREAD : 0));
	if (thread)
		bytes_varint(&w->payload, item->thread);
	if (item->mark)
		bytes_varint(&w->payload, item->mark);
	bytes_zigzag(&w->payload, (int64_t)(item->weight - last->weight));
	bytes_zigzag(&w->payload, (int64_t)(item->time_us - last->time_us - item->weight));
	bytes_varint(&w->payload, item->depth - keep);
	for (size_t i = keep; i < item->depth;)
		i += put_frames(w, item, i);
	w->has_thread = true;
	w->last = *item;
}

/* ---- files ----------------------------------------------------------------------------------- */

static void deflate_to(z_stream *z, struct bytes *file, int flush)
{
	unsigned char out[4096];

	do {
		z->next_out = out;
		z->avail_out = sizeof(out);
		deflate(z, flush);
		bytes_put(file, out, sizeof(out) - z->avail_out);
	} while (!z->avail_out);
}

void writer_stream(struct bytes *file, const struct bytes *records, size_t piece, bool finished)
{
	z_stream z = {0};

	bytes_put(file, CPS_MAGIC, CPS_MAGIC_BYTES);
	bytes_byte(file, CPS_VERSION);
	if (deflateInit(&z, 6) != Z_OK)
		abort();
	for (size_t at = 0; at < records->n; at += piece) {
		size_t n = records->n - at < piece ? records->n - at : piece;
		z.next_in = records->at + at;
		z.avail_in = (uInt)n;
		deflate_to(&z, file, Z_SYNC_FLUSH);
	}
	if (finished)
		deflate_to(&z, file, Z_FINISH);
	deflateEnd(&z);
}

void writer_journal(struct bytes *file, uint64_t id, uint32_t buffer_bytes,
		    const struct writer_buffer *buffers, uint32_t n)
{
	static const unsigned char zeros[65536];
	struct cps_journal_head head = {
		.magic = CPS_JOURNAL_MAGIC,
		.version = htole32(CPS_JOURNAL_VERSION),
		.buffers = htole32(n),
		.buffer_bytes = htole32(buffer_bytes),
		.data_offset = htole32((uint32_t)(64 + 64 * n)),
		.id = htole64(id),
	};

	bytes_put(file, &head, sizeof(head));
	for (uint32_t i = 0; i < n; i++) {
		struct cps_journal_buffer b = {
			.committed = htole32((uint32_t)buffers[i].n),
			.sequence = htole32(buffers[i].sequence),
		};
		bytes_put(file, &b, sizeof(b));
	}
	for (uint32_t i = 0; i < n; i++) {
		bytes_put(file, buffers[i].bytes, buffers[i].n);
		bytes_put(file, zeros, buffer_bytes - buffers[i].n);
	}
}

static char directory[4096];

static int remove_entry(const char *path, const struct stat *st, int flag, struct FTW *ftw)
{
	(void)st, (void)flag, (void)ftw;
	return remove(path);
}

static void directory_remove(void)
{
	nftw(directory, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
}

const char *writer_path(const char *name)
{
	static char path[2 * sizeof(directory)];
	const char *parent = getenv("TMPDIR");

	if (!directory[0]) {
		snprintf(directory, sizeof(directory), "%s/cps-unit-XXXXXX",
			 parent ? parent : "/tmp");
		checked(mkdtemp(directory));
		atexit(directory_remove);
	}
	snprintf(path, sizeof(path), "%s/%s", directory, name);
	return path;
}

void writer_file(const char *path, const void *bytes, size_t n)
{
	remove(path); /* ext4 writes a file that is overwritten to disk at once */
	FILE *f = checked(fopen(path, "wb"));
	if (fwrite(bytes, 1, n, f) != n || fclose(f))
		checked(NULL);
}
