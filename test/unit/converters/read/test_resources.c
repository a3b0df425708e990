/* SPDX-License-Identifier: MIT */
/*
 * test_resources.c - recordings of several resources, one of which is read.
 *
 * Seen to fail: keep not limited by samples that were passed over, weights of columns not kept apart
 * by atom, kept records not pushed.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "event_log.h"
#include "libsampler/format.h"
#include "read/decode.h"
#include "resource_stream.h"

/* Decode with a sink that declines so many resources. */
static void decode_nth(struct event_log *log, const struct bytes *file, unsigned declines)
{
	struct error err = {0};
	const char *path = writer_path("in");

	writer_file(path, file->at, file->n);
	event_log_init(log);
	log->declines = declines;
	cr_assert_eq(decode_file(path, &log->sink, &err), 0, "%s", err.text);
	cr_assert(!strstr(log->text, "BROKEN"), "%s", log->text);
}

static const char end[] = "freed 2 at 3000\n"
			  "resource cpu ns 0: 500000 x4 of 550000 in 0\n"
			  "resource real ns 0: 2000000 x5\n"
			  "resource alloc bytes 0: 1065 x3 of 1065 in 3\n"
			  "end 0 0 8 0\n";

#define JIT "jit 1000 10 main|1010 10 compute|1020 10 wait|1030 10 grow|\n"

static void reads(unsigned number, const char *head, const char *samples)
{
	struct bytes file = {0};
	struct event_log log;
	char want[2000];

	resource_demo_file(&file, 40);
	decode_nth(&log, &file, number);
	snprintf(want, sizeof(want), "%s%s%s", head, samples, end);
	cr_assert_str_eq(log.text, want);
	event_log_free(&log);
	bytes_free(&file);
}

Test(resources, each_is_read_alone)
{
	reads(0, "process 77 cpu ns 1000 demo \nstate 1 running\nthread 1 4242 worker\n" JIT,
	      "sample 1 at 100: 100000 x1 mark 0 state 1: ?+1000\n"
	      "sample 1 at 300: 200000 x1 mark 0 state 1: ?+1000 ?+1010\n"
	      "sample 1 at 600: 100000 x1 mark 0 state 1: ?+1000 ?+1010\n"
	      "sample 1 at 700: 100000 x1 mark 0 state 1: ?+1000 ?+1020\n");
	reads(1,
	      "process 77 real ns 1000 demo \nstate 1 running\nstate 2 io\n"
	      "thread 1 4242 worker\n" JIT,
	      "sample 1 at 100: 100000 x1 mark 0 state 1: ?+1000\n"
	      "sample 1 at 300: 200000 x1 mark 0 state 1: ?+1000 ?+1010\n"
	      "sample 1 at 400: 1500000 x1 mark 0 state 2: ?+1000 ?+1020\n"
	      "sample 1 at 600: 100000 x1 mark 0 state 1: ?+1000 ?+1010\n"
	      "sample 1 at 700: 100000 x1 mark 0 state 1: ?+1000 ?+1020\n");
}

/* Its record comes after those of a thread and of names. */
Test(resources, one_that_is_described_late_misses_nothing)
{
	reads(2, "process 77 alloc bytes 1 demo \nthread 1 4242 worker\n" JIT,
	      "sample 1 at 200: 64 x1 mark 0 block 1: ?+1000 ?+1010\n"
	      "sample 1 at 500: 1000 x1 mark 0 block 2: ?+1000 ?+1030\n"
	      "sample 1 at 800: 1 x1 mark 0 block 3: ?+1000\n");
}

Test(resources, that_are_all_declined)
{
	struct bytes file = {0};
	struct event_log log;

	resource_demo_file(&file, 40);
	decode_nth(&log, &file, 4);
	cr_assert_str_eq(log.text, "");
	event_log_free(&log);
	bytes_free(&file);
}

Test(resources, of_a_recording_that_is_cut_anywhere)
{
	struct bytes file = {0};
	struct event_log log;

	resource_demo_file(&file, 10);
	for (unsigned declines = 0; declines < 3; declines++)
		for (size_t n = 1; n < file.n; n++) {
			struct bytes part = {file.at, n, n};

			decode_nth(&log, &part, declines);
			cr_assert(log.was_cut == log.begun, "at %zu: %s", n, log.text);
			event_log_free(&log);
		}
	bytes_free(&file);
}

/* All that is not in the stream is in the journal, the resources too. */
Test(resources, of_a_journal)
{
	static struct batch_writer w;
	struct bytes stream = {0}, process = {0}, records = {0}, journal = {0};
	struct writer_buffer buffers[2];
	char path[4200];
	struct event_log log;

	resource_process(&process, 2);
	resource_file(&stream, &process, 1000, false);
	resource_add(&records, 1, "alloc", "bytes", 1);
	resource_atom(&records, 3, "", "1", 1, 0);
	batch_writer_begin(&w, WRITER_SHORT, 1, 0, 0);
	resource_sample(&w, 3, 64, "10 20", 1);
	resource_sample(&w, 0, 5, "10 30", 0);
	resource_sample(&w, 3, 32, "10 30", 0);
	buffers[0] = (struct writer_buffer){records.at, records.n, 0};
	buffers[1] = (struct writer_buffer){w.payload.at, w.payload.n, 0};
	writer_journal(&journal, 5, 4096, buffers, 2);
	snprintf(path, sizeof(path), "%s.journal", writer_path("in"));
	writer_file(path, journal.at, journal.n);
	decode_nth(&log, &stream, 1);
	cr_assert(strstr(log.text, "process 77 alloc bytes 1 demo \n"
				   "sample 1 at 100: 64 x1 mark 0 block 1: ?+10 ?+20\n"
				   "sample 1 at 300: 32 x1 mark 0: ?+10 ?+30\n"
				   "resource cpu ns 0: 5000 x1\nresource alloc bytes 0: 96 x2\n"
				   "cut "),
		  "%s", log.text);
	event_log_free(&log);
	unlink(path);
	batch_writer_free(&w);
	bytes_free(&stream), bytes_free(&process), bytes_free(&records), bytes_free(&journal);
}

/* ---- what cannot be -------------------------------------------------------------------------- */

/* The records and then another one with this payload. */
static void refused(struct bytes *records, unsigned tag, const char *payload, size_t n,
		    const char *why)
{
	struct bytes file = {0};
	struct event_log log;

	if (tag)
		bytes_record(records, tag, payload, n);
	resource_file(&file, records, 1000, true);
	cr_assert_eq(event_log_decode_bytes(&log, file.at, file.n), -1, "not refused: %s", why);
	cr_assert(strstr(log.text, why), "not \"%s\" but %s", why, log.text);
	event_log_free(&log);
	bytes_free(&file);
	records->n = 0;
}

#define BYTES(text) text, sizeof(text) - 1

static struct bytes *begun(struct bytes *records)
{
	resource_process(records, 2);
	resource_add(records, 1, "alloc", "bytes", 1);
	return records;
}

Test(resources, that_cannot_be)
{
	struct bytes r = {0};

	resource_process(&r, 9);
	refused(&r, 0, "", 0, "corrupt process record: its samples have too many kinds");
	refused(begun(&r), CPS_TAG_RESOURCE, BYTES("\2\3\5\1a\7\1b"),
		"corrupt resource record: its number is not the next one");
	refused(begun(&r), CPS_TAG_RESOURCE, BYTES("\2\2\5\1a"), "does not say what is counted");
	refused(begun(&r), CPS_TAG_RESOURCE, BYTES("\2\2\5\1a\7\1b\10\0"), "its scale is 0");
	refused(begun(&r), CPS_TAG_RESOURCE, BYTES("\2\2\4\1"), "a number for a text");
	refused(begun(&r), CPS_TAG_RESOURCE, BYTES("\2\2\5\7a"), "it ends too early");
	refused(begun(&r), CPS_TAG_RESOURCE, BYTES("\2\1\5\5alloc\7\1b"),
		"a resource is described in two ways");
	refused(begun(&r), CPS_TAG_RESOURCE, BYTES("\2\0\5\3cpu\7\2ns\10\1"),
		"a resource is described in two ways");
	refused(begun(&r), CPS_TAG_COUNTED, BYTES("\2\1\1"), "a resource is unknown");
	refused(begun(&r), CPS_TAG_COUNTED, BYTES("\1\1"), "corrupt record of counts");
	refused(begun(&r), CPS_TAG_FREED, BYTES("\1\0\0"), "a number or a time is out of range");
	refused(begun(&r), CPS_TAG_FREED, BYTES("\1\1\0"), "a number or a time is out of range");
	refused(begun(&r), CPS_TAG_FREED, BYTES("\1\2"), "corrupt record of freed memory");
	refused(begun(&r), CPS_TAG_FREED, BYTES("\1\2\xff\xff\xff\xff\xff\xff\xff\xff\xff\1"),
		"is out of range");
	bytes_free(&r);
}

Test(resources, and_atoms_that_cannot_be)
{
	struct bytes r = {0};

	refused(begun(&r), CPS_TAG_ATOM, BYTES("\2\4\6\1\10\1"),
		"corrupt atom record: its number is too large");
	refused(begun(&r), CPS_TAG_ATOM, BYTES("\2\1\6\2\10\1"), "its resource is unknown");
	refused(begun(&r), CPS_TAG_ATOM, BYTES("\2\1\10\1"), "no resource counts it");
	refused(begun(&r), CPS_TAG_ATOM, BYTES("\2\1\6\1\10\0"), "its grain is out of range");
	refused(begun(&r), CPS_TAG_ATOM, BYTES("\2\1\6\1\10\x80\x80\x80\x80\x10"),
		"its grain is out of range");
	refused(begun(&r), CPS_TAG_ATOM, BYTES("\2\1\6\0\6\1\10\1"),
		"its resources differ in unit or scale");
	resource_atom(begun(&r), 1, "io", "1", 1, 0);
	resource_atom(&r, 1, "io", "1", 1, 0);
	refused(&r, CPS_TAG_ATOM, BYTES("\2\1\6\1\10\1"), "it was something else before");
	bytes_record(begun(&r), CPS_TAG_SAMPLES, BYTES("\1\0\0\1\4\2\0\0"));
	refused(&r, CPS_TAG_ATOM, BYTES("\2\0\6\1\10\1"), "it was something else before");
	bytes_free(&r);
}

/* Items of version 4 in rows. */
Test(resources, and_samples_that_cannot_be)
{
	struct bytes r = {0};

	refused(begun(&r), CPS_TAG_SAMPLES, BYTES("\1\0\0\1\5\2\0\0"),
		"a sample is of an unknown atom");
	refused(begun(&r), CPS_TAG_SAMPLES, BYTES("\1\0\0\1\x80\x80\x80\x80\x40\2\0\0"),
		"does not fit 32 bits");
	refused(begun(&r), CPS_TAG_SAMPLES, BYTES("\1\0\0\5\4\20\1\2\0\0"), "unknown mark");
	refused(begun(&r), CPS_TAG_SAMPLES, BYTES("\1\0\0\5\4\10\0\2\0\0"),
		"a block's number is out of range");
	refused(begun(&r), CPS_TAG_SAMPLES, BYTES("\1\0\0\5\4\10"), "ends too early");
	bytes_free(&r);
}

/* In columns: an atom without a record; the second of two atoms would have a negative weight if the
 * first one's were its previous one. */
Test(resources, and_columns_that_cannot_be)
{
	static const char head[] = "\1\0\0\1\1\1" /* grain and step 1, anew */
				   "\2\4\2\2\0\0\0\0\0\0\0\0\0\2\0\0"
				   "\3\3";
	struct bytes r = {0}, p = {0};

	bytes_put(&p, BYTES(head));
	bytes_put(&p, BYTES("\1\4\1\5\2\0\0\0\0\0"));
	refused(begun(&r), CPS_TAG_COLUMNAR, (char *)p.at, p.n, "a sample is of an unknown atom");
	resource_atom(begun(&r), 1, "", "1", 1, 0);
	p.n = sizeof(head) - 1;
	bytes_put(&p, BYTES("\1\4\1\5\2\1\0\0\0\0"));
	refused(&r, CPS_TAG_COLUMNAR, (char *)p.at, p.n, "a sample's weight is out of range");
	bytes_free(&r), bytes_free(&p);
}

/* Before version 4 marks have no numbers, and the records mean nothing. */
Test(resources, are_nothing_in_an_older_recording)
{
	struct bytes r = {0}, file = {0};
	struct event_log log;

	resource_process(&r, 2);
	resource_add(&r, 7, "alloc", "bytes", 1);
	writer_stream(&file, &r, 1000, false);
	cr_assert_eq(event_log_decode_bytes(&log, file.at, file.n), 0, "%s", log.text);
	event_log_free(&log);
	file.n = 0;
	bytes_record(&r, CPS_TAG_SAMPLES, BYTES("\1\0\0\5\4\10\1\2\0\0"));
	writer_stream(&file, &r, 1000, false);
	cr_assert_eq(event_log_decode_bytes(&log, file.at, file.n), -1);
	cr_assert(strstr(log.text, "unknown mark"), "%s", log.text);
	event_log_free(&log);
	bytes_free(&r), bytes_free(&file);
}
