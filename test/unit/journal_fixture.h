/* SPDX-License-Identifier: MIT */
/*
 * journal_fixture.h - the demo stream beside a journal that a test makes.
 */
#ifndef JOURNAL_FIXTURE_H
#define JOURNAL_FIXTURE_H

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "demo_stream.h"
#include "event_log.h"
#include "libsampler/format.h"

#define BUFFER_BYTES 4096

/* The demo stream has batches 0, 1 and 2 of buffer 1. */
struct recording {
	struct bytes file, journal;
	struct bytes records, batch;	 /* what buffers 0 and 1 hold */
	struct writer_buffer buffers[3]; /* buffer 2 is empty */
	uint64_t id;
	char path[4096], journal_path[5000];
	struct event_log log;
};

__attribute__((unused)) static void begin(struct recording *r, bool finished)
{
	*r = (struct recording){.id = DEMO_JOURNAL};
	demo_stream(&r->file, 100, finished);
	snprintf(r->path, sizeof(r->path), "%s", writer_path("demo.cps"));
	snprintf(r->journal_path, sizeof(r->journal_path), "%s.journal", r->path);
}

__attribute__((unused)) static void finish(struct recording *r)
{
	unlink(r->journal_path);
	bytes_free(&r->file);
	bytes_free(&r->journal);
	bytes_free(&r->records);
	bytes_free(&r->batch);
}

/* What buffer 1 holds. */
__attribute__((unused)) static void hold(struct recording *r, unsigned sequence, unsigned items)
{
	r->batch.n = 0;
	demo_batch_payload(&r->batch, sequence, items);
	r->buffers[1] = (struct writer_buffer){r->batch.at, r->batch.n, sequence};
}

__attribute__((unused)) static void hold_record(struct recording *r, unsigned tag,
						const void *payload, size_t n)
{
	bytes_record(&r->records, tag, payload, n);
	r->buffers[0] = (struct writer_buffer){r->records.at, r->records.n, 0};
}

__attribute__((unused)) static void make_journal(struct recording *r)
{
	r->journal.n = 0;
	writer_journal(&r->journal, r->id, BUFFER_BYTES, r->buffers, 3);
}

/* Decode the first n bytes of the stream beside the journal as it is; how many samples? */
__attribute__((unused)) static uint64_t decode(struct recording *r, size_t n, const char *why)
{
	writer_file(r->path, r->file.at, n);
	writer_file(r->journal_path, r->journal.at, r->journal.n);
	cr_assert_eq(event_log_decode(&r->log, r->path), 0, "%s", r->log.text);
	cr_assert(!strstr(r->log.text, "BROKEN"), "%s", r->log.text);
	cr_assert(!why || strstr(r->log.text, why), "%s", r->log.text);
	event_log_free(&r->log);
	return r->log.samples;
}

__attribute__((unused)) static uint64_t decode_all(struct recording *r, const char *why)
{
	make_journal(r);
	return decode(r, r->file.n, why);
}

__attribute__((unused)) static void set32(struct recording *r, size_t offset, uint32_t value)
{
	for (unsigned i = 0; i < 4; i++)
		r->journal.at[offset + i] = (unsigned char)(value >> 8 * i);
}

__attribute__((unused)) static void decode_says(struct recording *r, const char *why)
{
	cr_assert_eq(decode(r, r->file.n, why), DEMO_SAMPLES);
}

#endif
