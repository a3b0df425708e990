/* SPDX-License-Identifier: MIT */
/*
 * test_forged.c - streams whose checksums are right and whose content cannot be.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "demo_stream.h"
#include "event_log.h"
#include "libsampler/format.h"
#include "read/decode.h"

static void refused(const struct bytes *records, const char *message)
{
	struct bytes file = {0};
	struct event_log log;

	writer_stream(&file, records, 100000, true);
	cr_assert_eq(event_log_decode_bytes(&log, file.at, file.n), -1, "not refused: %s", message);
	cr_assert(strstr(log.text, message), "%s", log.text);
	cr_assert(strstr(log.text, " at byte "), "%s", log.text);
	event_log_free(&log);
	bytes_free(&file);
}

/* The file is read up to there. */
static void ends_early(const struct bytes *records, const char *damage)
{
	struct bytes file = {0};
	struct event_log log;

	writer_stream(&file, records, 100000, true);
	cr_assert_eq(event_log_decode_bytes(&log, file.at, file.n), 0, "%s", log.text);
	cr_assert(log.was_cut && strstr(log.text, damage), "%s", log.text);
	event_log_free(&log);
	bytes_free(&file);
}

/* A record after the process record. */
static void record_refused(unsigned tag, const void *payload, size_t n, const char *message)
{
	struct bytes records = {0};

	demo_process(&records);
	bytes_record(&records, tag, payload, n);
	refused(&records, message);
	bytes_free(&records);
}

/* Items after a batch's head (buffer 1, sequence 0, time 0). */
static void items_refused(const char *items, size_t n, const char *message)
{
	struct bytes payload = {0};

	bytes_put(&payload, "\1\0\0", 3);
	bytes_put(&payload, items, n);
	record_refused(CPS_TAG_SAMPLES, payload.at, payload.n, message);
	bytes_free(&payload);
}

#define ITEMS(text) text, sizeof(text) - 1
#define FIRST	    "\1\0\2\0\1\4\0\1" /* thread 0, weight 1, time 1, push ?+1 */

Test(forged, items_that_cannot_be)
{
	items_refused(ITEMS("\0\2\0\1\4\0\1"), "a sample has no thread");
	items_refused(ITEMS("\1\x80\x80\x80\x80\x10\2\0\1\4\0\1"), "does not fit 32 bits");
	items_refused(ITEMS("\5\0\x40\2\0\1\4\0\1"), "unknown mark");
	items_refused(ITEMS("\1\0\1\0\1\4\0\1"), "weight is out of range");
	items_refused(ITEMS("\1\0\x82\x80\x80\x80\x80\x80\x80\x80\x80\1\0\1\4\0\1"),
		      "weight is out of range"); /* 2^62 + 1 */
	items_refused(ITEMS(FIRST "\0\xff\xff\xff\xff\xff\xff\xff\xff\xff\1\0\0"),
		      "weight is out of range");
	items_refused(ITEMS("\1\0\2\3\1\4\0\1"), "time is out of range");
	items_refused(ITEMS("\1\0\2\xfe\xff\xff\xff\xff\xff\xff\xff\xff\1\0"),
		      "time is out of range"); /* 1 + (2^63 - 1) */
	items_refused(ITEMS(FIRST "\x10\0\0\0"), "more frames leave the stack");
	items_refused(ITEMS(FIRST "\xf8\xff\xff\xff\xff\xff\xff\xff\xff\1\0\0\0"),
		      "more frames leave the stack");
	items_refused(ITEMS(FIRST "\0\0\0\1\0"), "no such successor");
	items_refused(ITEMS(FIRST "\x08\0\0\1\1"), "no such successor");
	items_refused(ITEMS(FIRST "\0\0\0\2\5\2"), "no such successor");
	items_refused(ITEMS(FIRST "\x08\0\0\1\5\0"), "wrong length");
	items_refused(ITEMS(FIRST "\x08\0\0\1\5\2"), "wrong length");
	items_refused(ITEMS(FIRST "\0\0\0\1\7"), "address is unknown");
	items_refused(ITEMS(FIRST "\0\0\0\1\xff\xff\xff\xff\xff\xff\xff\xff\xff\1"), "unknown");
	items_refused(ITEMS("\1\0\2\0\1\4\x80\x80\4\1"), "module number is too large");
	items_refused(ITEMS("\1\0\2\0\x81\x80\4"), "too deep");
	items_refused(ITEMS(FIRST "\0\0\0"), "ends too early");
	items_refused(ITEMS("\1\0\2\0\2\4\0\1"), "ends too early");
	/* 2^62 times the scale of 1000 */
	items_refused(ITEMS("\1\0\x80\x80\x80\x80\x80\x80\x80\x80\x80\1\0\1\4\0\1"), "overflow");
	record_refused(CPS_TAG_SAMPLES, "\1\0", 2, "ends too early");
	record_refused(CPS_TAG_SAMPLES, "", 0, "ends too early");
}

/* The batch's time plus the item's. */
Test(forged, times_do_not_overflow)
{
	static const char items[] = "\1\0\xff\xff\xff\xff\xff\xff\xff\xff\xff\1" FIRST;

	record_refused(CPS_TAG_SAMPLES, items, sizeof(items) - 1, "overflow");
}

/* new ?+1, again ?+1, then a run of it. */
static void deep_batch(struct bytes *records, uint64_t depth)
{
	struct bytes payload = {0};

	bytes_put(&payload, "\1\0\0\1\0\2\0", 7);
	bytes_varint(&payload, depth);
	bytes_put(&payload, "\4\0\1\6\5", 5);
	bytes_varint(&payload, depth - 2);
	bytes_record(records, CPS_TAG_SAMPLES, payload.at, payload.n);
	bytes_free(&payload);
}

Test(forged, the_deepest_stack)
{
	struct bytes records = {0}, file = {0};
	struct event_log log;

	demo_process(&records);
	deep_batch(&records, CPS_DEPTH_MAX);
	writer_stream(&file, &records, 100000, false);
	cr_assert_eq(event_log_decode_bytes(&log, file.at, file.n), 0);
	cr_assert_eq(log.depth, CPS_DEPTH_MAX);
	event_log_free(&log);
	records.n = 0;
	demo_process(&records);
	deep_batch(&records, CPS_DEPTH_MAX + 1);
	refused(&records, "a stack is too deep");
	bytes_free(&records);
	bytes_free(&file);
}

Test(forged, the_largest_dictionary)
{
	struct bytes items = {0};

	bytes_put(&items, "\1\0\2\0", 4);
	bytes_varint(&items, CPS_DICTIONARY_MAX);
	for (unsigned i = 0; i < CPS_DICTIONARY_MAX; i++)
		bytes_put(&items, "\4\0\1", 3);
	bytes_put(&items, "\0\0\0\1", 4);
	size_t n = items.n;
	bytes_varint(&items, 6 + CPS_DICTIONARY_MAX);
	items_refused((char *)items.at, items.n, "address is unknown");
	items.n = n;
	bytes_put(&items, "\4\0\1", 3);
	items_refused((char *)items.at, items.n, "too many addresses");
	bytes_free(&items);
}

static void module_refused(uint64_t id, uint64_t segments, const char *message)
{
	struct bytes payload = {0};

	bytes_varint(&payload, id);
	bytes_put(&payload, "\1x\0\0\0", 5);
	bytes_varint(&payload, segments);
	for (uint64_t i = 0; i < segments * 5; i++)
		bytes_byte(&payload, 0);
	record_refused(CPS_TAG_MODULE, payload.at, payload.n, message);
	bytes_free(&payload);
}

Test(forged, records_that_cannot_be)
{
	record_refused(CPS_TAG_PROCESS, "\t\1x\13\1y", 6, "a second process record");
	module_refused(CPS_MODULES_MAX, 0, "number is too large");
	module_refused(0, CPS_SEGMENTS_MAX + 1, "too many segments");
	record_refused(CPS_TAG_MODULE, "\0\1x\0\0\0\1\0\0\0\0", 11, "ends too early");
	record_refused(CPS_TAG_MODULE, "\0\1x\0\0\0\0\0", 8, "too many bytes");
	record_refused(CPS_TAG_THREAD, "\0\0\0\5abcd", 8, "ends too early");
	record_refused(CPS_TAG_THREAD, "\0\0\0\1ab", 6, "too many bytes");
	record_refused(CPS_TAG_THREAD, "\0\0\0\xff\xff\xff\xff\7", 8, "text is too long");
	record_refused(CPS_TAG_LOSS, "\0", 1, "ends too early");
	record_refused(CPS_TAG_END, "\5\1x", 3, "a text stands for a number");
	record_refused(CPS_TAG_END, "\2", 1, "ends too early");
}

static void process_refused(const void *payload, size_t n, const char *message)
{
	struct bytes records = {0};

	bytes_record(&records, CPS_TAG_PROCESS, payload, n);
	refused(&records, message);
	bytes_free(&records);
}

Test(forged, processes_that_cannot_be)
{
	struct bytes records = {0};

	process_refused("\2\1", 2, "does not say what was counted");
	process_refused("\11\1x", 3, "does not say what was counted");
	process_refused("\11\1x\13\1y\14\0", 8, "scale 0");
	process_refused("\11\1x\13\1y\64\x80\x80\x80\x80\x08", 12, "a rank of 2^31 or more");
	process_refused("\3\1x", 3, "a text stands for a number");
	process_refused("\10\1", 2, "a text stands for a number");
	bytes_record(&records, CPS_TAG_LOSS, "", 0);
	refused(&records, "the first record is not the process record");
	bytes_free(&records);
}

/* Lengths that promise more than there is: nothing is allocated for them, the file is just cut. */
Test(forged, forged_lengths)
{
	struct bytes records = {0}, file = {0};
	struct event_log log;

	demo_process(&records);
	size_t n = records.n;
	bytes_varint(&records, CPS_TAG_SAMPLES);
	bytes_varint(&records, CPS_RECORD_BYTES_MAX);
	writer_stream(&file, &records, 100000, false);
	cr_assert_eq(event_log_decode_bytes(&log, file.at, file.n), 0, "%s", log.text);
	cr_assert(log.was_cut);
	event_log_free(&log);
	records.n = n;
	bytes_varint(&records, CPS_TAG_SAMPLES);
	bytes_varint(&records, CPS_RECORD_BYTES_MAX + 1);
	ends_early(&records, "what is lost is not known");
	records.n = n;
	bytes_put(&records, "\4\xff\xff\xff\xff\xff\xff\xff\xff\xff\1", 11);
	ends_early(&records, "what is lost is not known");
	records.n = n;
	bytes_put(&records, "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\1", 11);
	ends_early(&records, "what is lost is not known");
	bytes_free(&records);
	bytes_free(&file);
}

/* A file so small that it is read at once, and far more in it than is unpacked at once. */
Test(forged, much_out_of_little)
{
	unsigned char *zeros = calloc(1, CPS_RECORD_BYTES_MAX);
	struct bytes records = {0}, file = {0};
	struct event_log log;

	demo_process(&records);
	for (unsigned i = 0; i < 3; i++)
		bytes_record(&records, 99, zeros, CPS_RECORD_BYTES_MAX);
	demo_batch(&records, 0, 10);
	writer_stream(&file, &records, records.n, false);
	cr_assert_lt(file.n, 10000);
	cr_assert_eq(event_log_decode_bytes(&log, file.at, file.n), 0, "%s", log.text);
	cr_assert_eq(log.samples, 10);
	event_log_free(&log);
	bytes_free(&records);
	bytes_free(&file);
	free(zeros);
}

static int count_sample(void *context, const struct event_sample *e, struct error *err)
{
	(void)e, (void)err;
	++*(size_t *)context;
	return 0;
}

/* How many bytes the first n bytes of the file hold, unpacked in one go. */
static size_t unpacked_bytes(const struct bytes *file, size_t n)
{
	static unsigned char out[2 * CPS_RECORD_BYTES_MAX];
	z_stream z = {.next_in = file->at + CPS_HEAD_BYTES, .avail_in = (uInt)(n - CPS_HEAD_BYTES)};

	inflateInit(&z);
	z.next_out = out;
	z.avail_out = sizeof(out);
	inflate(&z, Z_NO_FLUSH);
	inflateEnd(&z);
	return sizeof(out) - z.avail_out;
}

/* A thousand bytes in each byte: wherever the file is cut, all that it holds is decoded, also what
 * zlib still has when the file is over. Items of four zeros: the same sample again. */
Test(forged, cut_in_the_densest_stream)
{
	static const unsigned char zeros[CPS_RECORD_BYTES_MAX / 2];
	struct bytes records = {0}, payload = {0}, file = {0};
	size_t before = 0, count, cuts = 0;
	struct event_sink sink = {.context = &count, .sample = count_sample};
	struct error err;

	demo_process(&records);
	bytes_put(&payload, "\1\0\0" FIRST, 11);
	bytes_put(&payload, zeros, sizeof(zeros));
	size_t first_item = records.n + 1 + 3 + 11;
	bytes_record(&records, CPS_TAG_SAMPLES, payload.at, payload.n);
	writer_stream(&file, &records, records.n, false);
	for (size_t n = 50; n < file.n - 20; n++) {
		size_t unpacked = unpacked_bytes(&file, n);
		bool crosses = unpacked >> 16 != before >> 16; /* a step of the decoder's */
		before = unpacked;
		if (!crosses || unpacked < first_item)
			continue;
		count = 0;
		writer_file(writer_path("dense"), file.at, n);
		cr_assert_eq(decode_file(writer_path("dense"), &sink, &err), 0);
		cr_assert_eq(count, 1 + (unpacked - first_item) / 4, "cut at %zu", n);
		cuts++;
	}
	cr_assert_gt(cuts, 5);
	bytes_free(&records);
	bytes_free(&payload);
	bytes_free(&file);
}

/* Records of the largest size, several, so that the decoder's buffer comes around. */
Test(forged, records_of_the_largest_size)
{
	unsigned char *payload = calloc(1, CPS_RECORD_BYTES_MAX);
	struct bytes records = {0}, file = {0};
	struct event_log log;

	demo_process(&records);
	for (unsigned i = 0; i < 5; i++) {
		for (unsigned k = 0; k < CPS_RECORD_BYTES_MAX; k++)
			payload[k] = (unsigned char)rand();
		bytes_record(&records, 99, payload, CPS_RECORD_BYTES_MAX - i * 11);
	}
	demo_batch(&records, 0, 10);
	bytes_record(&records, CPS_TAG_END, NULL, 0);
	writer_stream(&file, &records, 1000000, true);
	cr_assert_eq(event_log_decode_bytes(&log, file.at, file.n), 0, "%s", log.text);
	cr_assert(log.samples == 10 && !log.was_cut);
	event_log_free(&log);
	bytes_free(&records);
	bytes_free(&file);
	free(payload);
}

/* ---- the file around the records ------------------------------------------------------------- */

static void file_refused(struct bytes *file, const char *message)
{
	struct event_log log;

	cr_assert_eq(event_log_decode_bytes(&log, file->at, file->n), -1, "%s", message);
	cr_assert(strstr(log.text, message), "%s", log.text);
	event_log_free(&log);
}

Test(forged, nothing_follows_the_end)
{
	struct bytes file = {0}, records = {0};
	char message[64];

	demo_stream(&file, 100, true);
	snprintf(message, sizeof(message), "3 bytes after its end at byte %zu\n", file.n);
	bytes_put(&file, "abc", 3);
	file_refused(&file, message);
	demo_records(&records, true);
	bytes_record(&records, CPS_TAG_LOSS, "", 0);
	refused(&records, "there is data after its end record");
	bytes_free(&file);
	bytes_free(&records);
}

Test(forged, a_head_that_is_not_ours)
{
	struct bytes file = {0};
	struct event_log log;

	demo_stream(&file, 100, true);
	file.at[8] = CPS_VERSION + 1;
	file_refused(&file, "version 5 of the format");
	file.at[8] = 0;
	file_refused(&file, "version 0 of the format");
	file.at[8] = CPS_VERSION;
	file.at[9] ^= 0x0f;
	file_refused(&file, "corrupt zlib data");
	file.at[9] ^= 0x0f;
	file.at[file.n - 1] ^= 1;
	cr_assert_eq(event_log_decode_bytes(&log, file.at, file.n), 0, "%s", log.text);
	cr_assert(log.was_cut && strstr(log.text, "no sample is lost"), "%s", log.text);
	event_log_free(&log);
	bytes_free(&file);
}

Test(forged, a_wrong_checksum)
{
	struct bytes records = {0};

	demo_process(&records);
	demo_batch(&records, 0, 5);
	records.at[records.n - 1] ^= 1;
	ends_early(&records, "what is lost is not known");
	records.at[20] ^= 1;
	refused(&records, "corrupt process record: wrong checksum at byte");
	bytes_free(&records);
}
