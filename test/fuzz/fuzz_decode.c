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
 *	5   as 2, of version 4 with two bits of atoms
 *	6   the same, and the sink declines the first three resources
 *	7   the file of the calls beside a stream that did not end: its head's times, and records as above
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "libsampler/format.h"
#include "test/fuzz/profile_check.h"
#include "test/fuzz/scratch.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Process 1, "cpu" in "ns", scale 1000, journal 9. */
static const uint8_t process[] = "\2\1\11\3cpu\13\2ns\14\xe8\7\36\11";

/* The same with two bits of atoms. */
static const uint8_t process_4[] = "\2\1\11\3cpu\13\2ns\14\xe8\7\36\11\60\2";

static char path[64], journal_path[80], calls_path[80];

/* ---- files ----------------------------------------------------------------------------------- */

static void directory_make(void)
{
	CHECK(scratch_make());
	snprintf(path, sizeof(path), "%s/in", scratch);
	snprintf(journal_path, sizeof(journal_path), "%s" CPS_JOURNAL_SUFFIX, path);
	snprintf(calls_path, sizeof(calls_path), "%s" CPS_CALLS_SUFFIX, path);
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

/* The records that `data` describes. At most twelve bytes more than each takes. */
static uint8_t *records_put(uint8_t *to, const uint8_t *data, size_t size)
{
	while (size >= 3) {
		size_t n = data[1] | (size_t)data[2] << 8;
		if (n > size - 3)
			n = size - 3;
		to = record_put(to, data[0], data + 3, n);
		data += 3 + n;
		size -= 3 + n;
	}
	return to;
}

/* The process record before them. */
static size_t records_make(uint8_t *records, const uint8_t *data, size_t size, int version)
{
	uint8_t *to =
		version < 4
			? record_put(records, CPS_TAG_PROCESS, process, sizeof(process) - 1)
			: record_put(records, CPS_TAG_PROCESS, process_4, sizeof(process_4) - 1);

	return (size_t)(records_put(to, data, size) - records);
}

static void stream_make(const uint8_t *data, size_t size, int finished, int version)
{
	static const char *const heads[] = {CPS_MAGIC "\1", CPS_MAGIC "\4"};

	uint8_t *records = malloc(64 + size * 5);
	z_stream z = {0};

	CHECK(records && deflateInit(&z, 0) == Z_OK);
	size_t n = records_make(records, data, size, version);
	size_t room = deflateBound(&z, n) + 64;
	uint8_t *packed = malloc(room);
	CHECK(packed);
	z.next_in = records;
	z.avail_in = (uInt)n;
	z.next_out = packed;
	z.avail_out = (uInt)room;
	deflate(&z, finished ? Z_FINISH : Z_SYNC_FLUSH);
	CHECK(z.avail_in == 0);
	CHECK(scratch_write(path, heads[version == 4], CPS_HEAD_BYTES, packed, room - z.avail_out));
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
	CHECK(scratch_write(journal_path, &head, sizeof(head), data, size));
	stream_make(NULL, 0, 0, 1);
}

static void calls_make(const uint8_t *data, size_t size)
{
	uint8_t head[CPS_CALLS_HEAD_BYTES] = CPS_CALLS_MAGIC "\1\11";
	uint8_t *records = malloc(64 + size * 5);
	size_t n = size < 16 ? size : 16;

	CHECK(records);
	if (n)
		memcpy(head + CPS_CALLS_HEAD_BYTES - 16, data, n);
	CHECK(scratch_write(calls_path, head, sizeof(head), records,
			    (size_t)(records_put(records, data + n, size - n) - records)));
	free(records);
	stream_make(NULL, 0, 0, 1);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (!path[0])
		directory_make();
	remove(journal_path);
	remove(calls_path);
	if (!size || !data[0] || data[0] > 7)
		CHECK(scratch_write(path, "", 0, data + !!size, size - !!size));
	else if (data[0] == 4)
		CHECK(scratch_write(path, "a 1\n", 4, data + 1, size - 1));
	else if (data[0] == 3)
		journal_make(data + 1, size - 1);
	else if (data[0] == 7)
		calls_make(data + 1, size - 1);
	else
		stream_make(data + 1, size - 1, data[0] != 1, data[0] > 4 ? 4 : 1);
	profile_check_file(path, size && data[0] == 6 ? 3 : 0,
			   size && (data[0] == 5 || data[0] == 6));
	return 0;
}
