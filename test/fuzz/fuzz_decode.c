/* SPDX-License-Identifier: MIT */
/*
 * fuzz_decode.c - any bytes become a profile, a cut one or an error.
 *
 * The first byte chooses what the other bytes are:
 *
 *	0   the file itself
 *	1   records, each: tag (1 byte), length (2, little endian), payload; the harness adds the
 *	    checksums, the process record before them and zlib around them
 *	2   the same, finished after the last record
 *	3   the journal of a stream that did not end; the harness corrects its magic and its id
 *	4   folded stacks
 */
#include <ftw.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "libsampler/format.h"
#include "model/profile.h"
#include "model/profile_builder.h"
#include "read/decode.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Process 1, "cpu" in "ns", scale 1000, journal 9. */
static const uint8_t process[] = "\2\1\11\3cpu\13\2ns\14\xe8\7\36\11";

static char directory[] = "/tmp/cps-fuzz-XXXXXX";
static char path[64], journal_path[80];

#define CHECK(condition)                                                                           \
	do {                                                                                       \
		if (!(condition)) {                                                                \
			fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition);    \
			abort();                                                                   \
		}                                                                                  \
	} while (0)

/* ---- files ----------------------------------------------------------------------------------- */

static void file_write(const char *name, const void *head, size_t n_head, const void *rest,
		       size_t n_rest)
{
	remove(name); /* ext4 writes a file that is overwritten to disk at once */
	FILE *f = fopen(name, "wb");
	CHECK(f);
	CHECK(fwrite(head, 1, n_head, f) == n_head);
	CHECK(fwrite(rest, 1, n_rest, f) == n_rest);
	CHECK(fclose(f) == 0);
}

static int entry_remove(const char *name, const struct stat *st, int flag, struct FTW *ftw)
{
	(void)st, (void)flag, (void)ftw;
	return remove(name);
}

static void directory_remove(void)
{
	nftw(directory, entry_remove, 4, FTW_DEPTH | FTW_PHYS);
}

static void directory_make(void)
{
	CHECK(mkdtemp(directory));
	atexit(directory_remove);
	snprintf(path, sizeof(path), "%s/in", directory);
	snprintf(journal_path, sizeof(journal_path), "%s" CPS_JOURNAL_SUFFIX, path);
}

/* ---- streams --------------------------------------------------------------------------------- */

static uint8_t *varint_put(uint8_t *to, uint64_t value)
{
	for (; value > 127; value >>= 7)
		*to++ = (uint8_t)(value | 0x80);
	*to++ = (uint8_t)value;
	return to;
}

static uint8_t *record_put(uint8_t *to, uint8_t tag, const uint8_t *payload, size_t n)
{
	const uint8_t *record = to;
	uint32_t crc;

	to = varint_put(to, tag);
	to = varint_put(to, n);
	memcpy(to, payload, n);
	to += n;
	crc = (uint32_t)crc32(0, record, (uInt)(to - record));
	for (unsigned i = 0; i < 4; i++)
		*to++ = (uint8_t)(crc >> 8 * i);
	return to;
}

/* The process record and those that `data` describes. At most twelve bytes more than each takes. */
static size_t records_make(uint8_t *records, const uint8_t *data, size_t size)
{
	uint8_t *to = record_put(records, CPS_TAG_PROCESS, process, sizeof(process) - 1);

	while (size >= 3) {
		size_t n = data[1] | (size_t)data[2] << 8;
		if (n > size - 3)
			n = size - 3;
		to = record_put(to, data[0], data + 3, n);
		data += 3 + n;
		size -= 3 + n;
	}
	return (size_t)(to - records);
}

static void stream_make(const uint8_t *data, size_t size, int finished)
{
	uint8_t *records = malloc(64 + size * 5);
	z_stream z = {0};

	CHECK(records && deflateInit(&z, 0) == Z_OK);
	size_t n = records_make(records, data, size);
	size_t room = deflateBound(&z, n) + 64;
	uint8_t *packed = malloc(room);
	CHECK(packed);
	z.next_in = records;
	z.avail_in = (uInt)n;
	z.next_out = packed;
	z.avail_out = (uInt)room;
	deflate(&z, finished ? Z_FINISH : Z_SYNC_FLUSH);
	CHECK(z.avail_in == 0);
	file_write(path, CPS_MAGIC "\1", CPS_HEAD_BYTES, packed, room - z.avail_out);
	deflateEnd(&z);
	free(packed);
	free(records);
}

static void journal_make(const uint8_t *data, size_t size)
{
	struct cps_journal_head head = {0};

	memcpy(&head, data, size < sizeof(head) ? size : sizeof(head));
	memcpy(head.magic, CPS_JOURNAL_MAGIC, sizeof(head.magic));
	head.id = 9; /* on little endian machines, where fuzzing happens */
	data += size < sizeof(head) ? size : sizeof(head);
	size -= size < sizeof(head) ? size : sizeof(head);
	file_write(journal_path, &head, sizeof(head), data, size);
	stream_make(NULL, 0, 0);
}

/* ---- what must hold of any profile ----------------------------------------------------------- */

static void profile_check(const struct profile *p)
{
	uint64_t weight = 0, hits = 0, of_processes = 0;

	CHECK(p->n_nodes >= 1);
	for (size_t i = 0; i < p->n_nodes; i++) {
		CHECK(!i || p->nodes[i].parent < i);
		CHECK(!i || p->nodes[i].frame < p->n_frames);
		weight += p->nodes[i].self_weight;
		hits += p->nodes[i].self_hits;
	}
	for (size_t i = 0; i < p->n_frames; i++) {
		const struct profile_frame *f = &p->frames[i];
		CHECK(f->module == PROFILE_NO_MODULE || f->module < p->n_modules);
		CHECK(f->name == STRINGS_NONE || f->name < strings_count(p->strings));
	}
	for (size_t i = 0; i < p->n_processes; i++) {
		const struct profile_process *q = &p->processes[i];
		uint64_t marks = 0, threads = 0;
		for (unsigned mark = 0; mark < CPS_MARK_COUNT; mark++)
			marks += q->weight_by_mark[mark];
		for (size_t t = 0; t < q->n_threads; t++)
			threads += q->threads[t].weight;
		CHECK(marks == q->weight && threads == q->weight);
		CHECK(q->ended == (q->cut_why == STRINGS_NONE));
		of_processes += q->weight;
	}
	CHECK(weight == p->weight && of_processes == p->weight && hits == p->hits);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct error err = {0};

	if (!path[0])
		directory_make();
	remove(journal_path);
	if (!size || !data[0] || data[0] > 4)
		file_write(path, "", 0, data + !!size, size - !!size);
	else if (data[0] == 4)
		file_write(path, "a 1\n", 4, data + 1, size - 1);
	else if (data[0] == 3)
		journal_make(data + 1, size - 1);
	else
		stream_make(data + 1, size - 1, data[0] == 2);
	struct profile_builder *b = profile_builder_new(&err);
	CHECK(b);
	/* Twice, for what is merged. */
	if (decode_file(path, profile_builder_sink(b), &err) ||
	    decode_file(path, profile_builder_sink(b), &err)) {
		CHECK(err.text[0]);
		profile_builder_free(b);
		return 0;
	}
	struct profile *p = profile_builder_finish(b, &err);
	CHECK(p && p->n_processes == 2);
	profile_check(p);
	profile_free(p);
	return 0;
}
