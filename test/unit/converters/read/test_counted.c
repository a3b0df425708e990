/* SPDX-License-Identifier: MIT */
/*
 * test_counted.c - records of counted calls that cannot be, and the file of calls beside a recording.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "call_machine.h"
#include "demo_stream.h"
#include "event_log.h"

static void put_called(struct bytes *records, const char *payload, size_t n)
{
	bytes_record(records, CPS_TAG_CALLED, payload, n);
}

static void put_calls(struct bytes *records, const char *payload, size_t n)
{
	bytes_record(records, CPS_TAG_CALLS, payload, n);
}

#define BYTES(text) text, sizeof(text) - 1

/* Two functions, and a machine with two states. */
static void begin(struct bytes *records)
{
	demo_process(records);
	put_called(records, BYTES("\0\1\x40\0\x50"));
	put_calls(records, BYTES("\0\2\0\1\0\0\1\0\1\2\7\2"));
}

/* The same in a stream of version 4. */
static void begin_with_resources(struct bytes *records)
{
	bytes_record(records, CPS_TAG_PROCESS, BYTES("\2\x4d\x09\3cpu\x0b\2ns\x0c\1\x30\1"));
	put_called(records, BYTES("\0\1\x40\0\x50"));
	put_calls(records, BYTES("\0\2\0\1\0\0\1\0\1\2\7\2"));
}

static void refused(const char *payload, size_t n, unsigned tag, const char *message)
{
	struct bytes records = {0}, file = {0};
	struct event_log log;

	if (tag == CPS_TAG_CALL_TIMES)
		begin_with_resources(&records);
	else
		begin(&records);
	bytes_record(&records, tag, payload, n);
	writer_version = tag == CPS_TAG_CALL_TIMES ? CPS_VERSION : CPS_VERSION_CLOCK;
	writer_stream(&file, &records, 100000, true);
	writer_version = CPS_VERSION_CLOCK;
	cr_assert_eq(event_log_decode_bytes(&log, file.at, file.n), -1, "not refused: %s", message);
	cr_assert(strstr(log.text, message), "%s", log.text);
	cr_assert(strstr(log.text, " at byte "), "%s", log.text);
	event_log_free(&log);
	bytes_free(&records), bytes_free(&file);
}

/* Seen to fail: without each of these checks in turn. */
Test(counted, records_that_cannot_be)
{
	static const char most[] = "\0\2\0\3\0\0\xff\xff\xff\xff\xff\xff\xff\xff\xff\1\0";

	refused(BYTES("\1\1\x40"), CPS_TAG_CALLED, "called functions are not in order");
	refused(BYTES("\3\1\x40"), CPS_TAG_CALLED, "called functions are not in order");
	refused(BYTES("\2\1"), CPS_TAG_CALLED, "too early");
	refused(BYTES("\2\x82\x80\4\1"), CPS_TAG_CALLED, "module's number is too large");
	refused(BYTES("\2\0\0\1\0\0\1\0"), CPS_TAG_CALLS, "machines that count calls");
	refused(BYTES("\0\2\0\2\0\0\1\0"), CPS_TAG_CALLS, "states of calls are not in order");
	refused(BYTES("\0\2\0\4\0\0\1\0"), CPS_TAG_CALLS, "states of calls are not in order");
	refused(BYTES("\1\2\0\0\0\0\1\0"), CPS_TAG_CALLS, "states of calls are not in order");
	refused(BYTES("\0\2\0\3\3\0\1\0"), CPS_TAG_CALLS, "before the one that it is from");
	refused(BYTES("\0\2\0\3\2\4\1\0"), CPS_TAG_CALLS, "a called function is unknown");
	refused(BYTES("\0\2\0\3\2\2\1"), CPS_TAG_CALLS, "too early");
	refused(most, sizeof(most) - 1, CPS_TAG_CALLS, "overflow: the calls do not fit 64 bits");
	refused(BYTES("\0\2\1\1"
		      "\5\6\7"),
		CPS_TAG_CALL_TIMES, "a state with a time is unknown");
	refused(BYTES("\1\2\1\1\5"), CPS_TAG_CALL_TIMES, "times of calls are not in order");
	refused(BYTES("\0\2\1\2\5"), CPS_TAG_CALL_TIMES, "times of calls are not in order");
	refused(BYTES("\0\2\1"), CPS_TAG_CALL_TIMES, "too early");
	refused(BYTES("\0\1\2\1\xff\xff\xff\xff\xff\xff\xff\xff\xff\1"), CPS_TAG_CALL_TIMES,
		"overflow: a time of calls does not fit 64 bits");
}

/* ---- the file beside ------------------------------------------------------------------------- */

struct beside {
	struct bytes stream, calls;
	char path[4096], calls_path[5000];
	struct event_log log;
};

static void beside_begin(struct beside *b, uint64_t id)
{
	*b = (struct beside){0};
	demo_stream(&b->stream, 100, false);
	snprintf(b->path, sizeof(b->path), "%s", writer_path("demo.cps"));
	snprintf(b->calls_path, sizeof(b->calls_path), "%s.calls", b->path);
	bytes_put(&b->calls, CPS_CALLS_MAGIC "\1", 9);
	for (unsigned i = 0; i < 24; i++) {
		const uint64_t numbers[] = {id, 1500000, 7};

		bytes_byte(&b->calls, (unsigned char)(numbers[i / 8] >> i % 8 * 8));
	}
	put_called(&b->calls, BYTES("\0\1\x40\0\x50"));
	put_calls(&b->calls, BYTES("\0\2\0\1\0\0\1\0\1\2\7\2"));
}

static const char *beside_decode(struct beside *b)
{
	writer_file(b->path, b->stream.at, b->stream.n);
	writer_file(b->calls_path, b->calls.at, b->calls.n);
	cr_assert_eq(event_log_decode(&b->log, b->path), 0, "%s", b->log.text);
	cr_assert(!strstr(b->log.text, "BROKEN"), "%s", b->log.text);
	return b->log.text;
}

static void beside_end(struct beside *b)
{
	unlink(b->calls_path);
	bytes_free(&b->stream), bytes_free(&b->calls);
}

/* Seen to fail: before the file was read. */
Test(counted, a_file_beside_a_stream_without_an_end)
{
	struct beside b;
	const char *text;

	beside_begin(&b, DEMO_JOURNAL);
	text = beside_decode(&b);
	cr_assert(strstr(text, "called 1 ?+50\nmachine 0: 2 transitions, 0 missed\n"
			       "state 1 of 0 calls 0: 1 + 0\nstate 2 of 1 calls 1: 7 + 2\n"),
		  "%s", text);
	cr_assert(strstr(text, "; calls are counted until 1.500 s\n"), "%s", text);
	cr_assert(strstr(text, "calls until 1500000, hooks 7\n"), "%s", text);
	event_log_free(&b.log);
	beside_end(&b);
}

/* A file of many small records is read in pieces, each of which is moved once. Seen to fail: when a piece that was moved was read
 * from where it had been. */
Test(counted, a_file_of_many_records)
{
	struct beside b;
	const char *text;

	beside_begin(&b, DEMO_JOURNAL);
	for (unsigned i = 0; i < 400000; i++)
		put_called(&b.calls, BYTES("\2"));
	cr_assert_gt(b.calls.n, 5u << 19);
	put_calls(&b.calls, BYTES("\0\2\0\3\0\0\5\1"));
	text = beside_decode(&b);
	cr_assert(strstr(text, "state 3 of 0 calls 0: 5 + 1\n"), "%s", text);
	cr_assert(strstr(text, "; calls are counted until 1.500 s\n"), "%s", text);
	event_log_free(&b.log);
	beside_end(&b);
}

/* Also if recording stopped before the program did. Seen to fail: with a reader that took it all the same. */
Test(counted, the_file_beside_a_stream_with_an_end)
{
	struct bytes records = {0};
	struct beside b;
	const char *text;

	beside_begin(&b, DEMO_JOURNAL);
	demo_process(&records);
	bytes_record(&records, CPS_TAG_END, "\2\1\12\1", 4);
	b.stream.n = 0;
	writer_stream(&b.stream, &records, 100, true);
	text = beside_decode(&b);
	cr_assert(!strstr(text, "called") && !strstr(text, "calls"), "%s", text);
	event_log_free(&b.log);
	bytes_free(&records);
	beside_end(&b);
}

/* Of an exec that has failed: function 0 begins anew. The numbers of states do, too. Seen to fail: with a reader that refused it. */
Test(counted, calls_that_come_once_more)
{
	struct bytes records = {0}, file = {0};
	struct event_log log;
	const char *text;

	begin(&records);
	put_called(&records, BYTES("\0\1\x40"));
	put_calls(&records, BYTES("\0\2\0\1\0\0\3\0"));
	writer_stream(&file, &records, 100, true);
	cr_assert_eq(event_log_decode_bytes(&log, file.at, file.n), 0, "%s", log.text);
	text = strstr(log.text, "state 2 of 1");
	cr_assert(text && strstr(text, "called 0") && strstr(text, "state 1 of 0 calls 0: 3 + 0\n"),
		  "%s", log.text);
	cr_assert(!strstr(log.text, "calls until"), "%s", log.text);
	event_log_free(&log);
	bytes_free(&records), bytes_free(&file);
}

static const char *beside_a_stream_with_calls(struct beside *b, bool is_late, uint64_t id)
{
	struct bytes records = {0};

	beside_begin(b, id);
	demo_process(&records);
	if (is_late)
		demo_batch(&records, 2000000, 30);
	put_called(&records, BYTES("\0\1\x40\0\x50"));
	put_calls(&records, BYTES("\0\2\0\1\0\0\1\0"));
	b->stream.n = 0;
	writer_stream(&b->stream, &records, 100, false);
	bytes_free(&records);
	return beside_decode(b);
}

/* The stream has the calls up to an exec that has failed, and the file what came after it; or what was before, if the process was
 * killed before it had removed the file. Seen to fail: with a reader that never took it, and with one that always did. */
Test(counted, the_file_beside_a_stream_with_calls)
{
	struct beside b;
	const char *text;

	text = strstr(beside_a_stream_with_calls(&b, false, DEMO_JOURNAL), "called 0");
	cr_assert(text && strstr(text + 1, "called 0"), "%s", b.log.text);
	cr_assert(strstr(text, "calls until 1500000, hooks 7\n"), "%s", b.log.text);
	event_log_free(&b.log);
	beside_end(&b);

	text = strstr(beside_a_stream_with_calls(&b, true, DEMO_JOURNAL), "called 0");
	cr_assert(text && !strstr(text + 1, "called 0"), "%s", b.log.text);
	cr_assert(strstr(text, "calls until 20") && strstr(text, ", hooks 0\n"), "%s", b.log.text);
	event_log_free(&b.log);
	beside_end(&b);
}

/* What the stream has counts then. Seen to fail: with a reader that forgot it. */
Test(counted, a_wrong_file_beside_a_stream_with_calls)
{
	struct beside b;
	const char *text = strstr(beside_a_stream_with_calls(&b, true, 1), "called 0");

	cr_assert(text && !strstr(text + 1, "called 0"), "%s", b.log.text);
	cr_assert(strstr(text, "the file of its calls is another recording's"), "%s", b.log.text);
	cr_assert(strstr(text, "calls until 20") && !strstr(text, ", lost"), "%s", b.log.text);
	event_log_free(&b.log);
	beside_end(&b);
}

/* Seen to fail: without the check of the id. */
Test(counted, the_file_of_another_recording)
{
	struct beside b;
	const char *text;

	beside_begin(&b, DEMO_JOURNAL + 1);
	text = beside_decode(&b);
	cr_assert(!strstr(text, "called 0"), "%s", text);
	cr_assert(strstr(text, "the file of its calls is another recording's"), "%s", text);
	cr_assert(strstr(text, ", lost\n"), "%s", text);
	event_log_free(&b.log);
	beside_end(&b);
}

/* A part of the counts would look like all of them. Seen to fail: with a reader that pushed records before it had read all. */
Test(counted, a_file_that_is_cut_counts_as_none)
{
	struct beside b;

	beside_begin(&b, DEMO_JOURNAL);
	for (size_t whole = b.calls.n, n = 0; n < whole; n++) {
		bool is_between = n == CPS_CALLS_HEAD_BYTES || n == CPS_CALLS_HEAD_BYTES + 11;
		const char *text;

		b.calls.n = n;
		text = beside_decode(&b);
		/* What ends between records has no mark that says so; it is renamed when it is whole. */
		cr_assert(is_between || !strstr(text, "called 0"), "%zu: %s", n, text);
		event_log_free(&b.log);
	}
	beside_end(&b);
}

/* Seen to fail: without the check of checksums. */
Test(counted, any_byte_of_the_file_damaged)
{
	struct beside b;

	beside_begin(&b, DEMO_JOURNAL);
	for (size_t i = 0; i < b.calls.n; i++) {
		const char *text;

		b.calls.at[i] ^= 0x10;
		text = beside_decode(&b);
		cr_assert(i - 17 < 16 || !strstr(text, "called 0"), "%zu: %s", i, text);
		event_log_free(&b.log);
		b.calls.at[i] ^= 0x10;
	}
	beside_end(&b);
}

/* ---- a damaged stream ------------------------------------------------------------------------ */

/* Blocks: of samples, of called functions, of states. Seen to fail: with a reader that counted what was left. */
Test(counted, calls_of_which_a_block_is_lost)
{
	for (unsigned lost = 1; lost < 3; lost++) {
		struct bytes blocks[3] = {0}, end = {0}, file = {0};
		struct event_log log;
		size_t starts[4];

		demo_process(&blocks[0]);
		demo_batch(&blocks[0], 0, 30);
		put_called(&blocks[1], BYTES("\0\1\x40\0\x50"));
		put_calls(&blocks[1], BYTES("\0\2\0\1\0\0\1\0"));
		put_calls(&blocks[2], BYTES("\0\2\0\2\1\2\7\2"));
		bytes_record(&end, CPS_TAG_END, "\2\1", 2);
		writer_blocks(&file, blocks, 3, &end, starts);
		file.at[starts[lost] + 5] ^= 0x40;
		cr_assert_eq(event_log_decode_bytes(&log, file.at, file.n), 0, "%s", log.text);
		cr_assert(strstr(log.text, ", lost\n"), "%u: %s", lost, log.text);
		cr_assert(strstr(log.text, "sample"), "%s", log.text);
		event_log_free(&log);
		for (unsigned i = 0; i < 3; i++)
			bytes_free(&blocks[i]);
		bytes_free(&end), bytes_free(&file);
	}
}
