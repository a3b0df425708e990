/* SPDX-License-Identifier: MIT */
/*
 * test_live_heap.c - what was allocated and not freed at a moment.
 *
 * Seen to fail: the latest moment with most taken for the peak, keep not limited by samples that were
 * not pushed, no check of a forged source (the file is read until memory is out).
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "event_log.h"
#include "libsampler/format.h"
#include "read/decode.h"
#include "resource_stream.h"

/* The samples of the resource after `declines` others, or the error; to be freed by event_log_free. */
static void read_live(struct event_log *log, const struct bytes *records, unsigned declines,
		      struct event_at at)
{
	struct bytes file = {0};
	struct error err = {0};
	const char *path = writer_path("in");

	resource_file(&file, records, 1000, true);
	writer_file(path, file.at, file.n);
	event_log_init(log);
	log->declines = declines;
	log->sink.at = at;
	log->was_cut = decode_file(path, &log->sink, &err) != 0;
	if (log->was_cut)
		cr_assert(strstr(err.text, "/in: two samples have the block 1"), "%s", err.text);
	cr_assert(!strstr(log->text, "BROKEN"), "%s", log->text);
	bytes_free(&file);
}

static void is_live(const struct bytes *records, unsigned declines, struct event_at at,
		    const char *want)
{
	struct event_log log;
	char lines[4000] = "";

	read_live(&log, records, declines, at);
	for (char *line = strtok(log.text, "\n"); line; line = strtok(NULL, "\n"))
		if (strstr(line, "alloc-live") || strstr(line, "sample"))
			strcat(strcat(lines, line), "\n");
	cr_assert_str_eq(lines, want);
	event_log_free(&log);
}

#define LIVE	"process 77 alloc-live bytes 1 demo \n"
#define COMPUTE "sample 1 at 200: 64 x1 mark 0 block 1: ?+1000 ?+1010\n"
#define GROW	"sample 1 at 500: 1000 x1 mark 0 block 2: ?+1000 ?+1030\n"
#define MAIN	"sample 1 at 800: 1 x1 mark 0 block 3: ?+1000\n"

Test(live_heap, at_a_moment)
{
	struct bytes records = {0};

	resource_demo(&records);
	is_live(&records, 3, (struct event_at){EVENT_AT_END, 0, 0}, LIVE COMPUTE MAIN);
	is_live(&records, 3, (struct event_at){EVENT_AT_PEAK, 0, 0}, LIVE COMPUTE GROW MAIN);
	is_live(&records, 3, (struct event_at){EVENT_AT_TIME, 199999, 0}, LIVE);
	is_live(&records, 3, (struct event_at){EVENT_AT_TIME, 200000, 0}, LIVE COMPUTE);
	is_live(&records, 3, (struct event_at){EVENT_AT_TIME, 2999999, 0}, LIVE COMPUTE GROW MAIN);
	is_live(&records, 3, (struct event_at){EVENT_AT_TIME, 3000000, 0}, LIVE COMPUTE MAIN);
	is_live(&records, 4, (struct event_at){EVENT_AT_END, 0, 0}, "");
	bytes_free(&records);
}

static void freed(struct bytes *records, uint64_t time_us, int64_t number)
{
	struct bytes p = {0};

	bytes_varint(&p, time_us);
	bytes_zigzag(&p, number);
	bytes_varint(&p, 0);
	bytes_record(records, CPS_TAG_FREED, p.at, p.n);
	bytes_free(&p);
}

/* Blocks of 100, 300, 300 and 50 bytes at 100, 200, 300 and 400 us. */
static void make_blocks(struct bytes *records, uint64_t second)
{
	static struct batch_writer w;

	resource_process(records, 2);
	resource_add(records, 1, "alloc", "bytes", 1);
	resource_atom(records, 1, "", "1", 1, 0);
	freed(records, 250, 2); /* before its sample */
	batch_writer_begin(&w, WRITER_SHORT, 1, 0, 0);
	resource_sample(&w, 1, 100, "10 20", 1);
	resource_sample(&w, 1, 300, "10 20 30", second);
	resource_sample(&w, 1, 300, "10 20 30 40", 3);
	resource_sample(&w, 1, 50, "10 20 30 40", 4);
	bytes_record(records, CPS_TAG_SAMPLES, w.payload.at, w.payload.n);
	batch_writer_free(&w);
	freed(records, 350, 3);
	freed(records, 900, 7); /* which has no sample */
}

/* At 200 and at 300 us 400 bytes are live: the first such moment is the peak. At the end the stack
 * of block 4 has no frames in common with the one pushed before but those of both. */
Test(live_heap, peak_is_the_first_moment_with_most)
{
	struct bytes records = {0};

	make_blocks(&records, 2);
	is_live(&records, 2, (struct event_at){EVENT_AT_PEAK, 0, 0},
		LIVE "sample 1 at 100: 100 x1 mark 0 block 1: ?+10 ?+20\n"
		     "sample 1 at 200: 300 x1 mark 0 block 2: ?+10 ?+20 ?+30\n");
	is_live(&records, 2, (struct event_at){EVENT_AT_END, 0, 0},
		LIVE "sample 1 at 100: 100 x1 mark 0 block 1: ?+10 ?+20\n"
		     "sample 1 at 400: 50 x1 mark 0 block 4: ?+10 ?+20 ?+30 ?+40\n");
	bytes_free(&records);
}

Test(live_heap, a_number_that_comes_twice)
{
	struct bytes records = {0};
	struct event_log log;

	make_blocks(&records, 1);
	read_live(&log, &records, 2, (struct event_at){EVENT_AT_END, 0, 0});
	cr_assert(log.was_cut);
	event_log_free(&log);
	bytes_free(&records);
}

/* A forged file whose live memory is to be found in itself would be read again and again. */
Test(live_heap, forged_source)
{
	struct bytes records = {0}, file = {0}, p = {0};
	const char *path = writer_path("in");
	struct event_log log;
	struct error err = {0};

	resource_process(&records, 2);
	bytes_field(&p, CPS_RESOURCE_ID, 1);
	bytes_field_text(&p, CPS_RESOURCE_NAME, "alloc");
	bytes_field_text(&p, CPS_RESOURCE_UNIT, "bytes");
	bytes_field(&p, CPS_RESOURCE_SCALE, 1);
	bytes_field(&p, CPS_RESOURCE_FLAGS, CPS_RESOURCE_IS_LIVE);
	bytes_record(&records, CPS_TAG_RESOURCE, p.at, p.n);
	resource_file(&file, &records, 1000, true);
	writer_file(path, file.at, file.n);
	event_log_init(&log);
	log.declines = 1;
	cr_assert_neq(decode_file(path, &log.sink, &err), 0);
	cr_assert(strstr(err.text, "/in: the resource alloc is said to be live itself"), "%s",
		  err.text);
	event_log_free(&log);
	bytes_free(&p);
	bytes_free(&file);
	bytes_free(&records);
}

/* Without numbers there is nothing to offer. */
Test(live_heap, needs_numbers)
{
	static struct batch_writer w;
	struct bytes records = {0};

	resource_process(&records, 2);
	resource_add(&records, 1, "alloc", "bytes", 1);
	resource_atom(&records, 1, "", "1", 1, 0);
	batch_writer_begin(&w, WRITER_SHORT, 1, 0, 0);
	resource_sample(&w, 1, 100, "10 20", 0);
	bytes_record(&records, CPS_TAG_SAMPLES, w.payload.at, w.payload.n);
	batch_writer_free(&w);
	is_live(&records, 2, (struct event_at){EVENT_AT_END, 0, 0}, "");
	bytes_free(&records);
}
