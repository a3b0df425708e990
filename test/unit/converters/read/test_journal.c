/* SPDX-License-Identifier: MIT */
/*
 * test_journal.c - what a journal adds to a stream that did not end.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "journal_fixture.h"

Test(journal, counts_what_the_stream_lacks)
{
	struct recording r;

	begin(&r, false);
	hold(&r, 3, 17);
	cr_assert_eq(decode_all(&r, "cut the process was killed by a signal, or ended by a system "
				    "call past the C library; its journal was read\n"),
		     DEMO_SAMPLES + 17);
	hold(&r, 2, 17);
	cr_assert_eq(decode_all(&r, "its journal was read\n"), DEMO_SAMPLES, "the stream has it");
	hold(&r, 2, 40);
	r.buffers[2] = (struct writer_buffer){r.batch.at, 0, 7};
	cr_assert_eq(decode_all(&r, "its journal was read\n"), DEMO_SAMPLES, "nothing committed");
	hold_record(&r, CPS_TAG_THREAD, "\11\1\0\2ab", 6);
	hold_record(&r, CPS_TAG_LOSS, "\1\4", 2);
	cr_assert_eq(decode_all(&r, "\nthread 9 1 ab\nloss 1 4\ncut"), DEMO_SAMPLES);
	finish(&r);
}

/* Make a journal whose buffer 1 has that many of its last bytes in its entry. */
static void make_with_latest(struct recording *r, uint32_t latest)
{
	size_t entry = 64 + 64, page = 64 + 64 * 4 + BUFFER_BYTES, n = r->buffers[1].n - latest;

	make_journal(r);
	set32(r, entry, (uint32_t)r->buffers[1].n | latest << 24);
	memcpy(r->journal.at + entry + 16, r->journal.at + page + n,
	       latest < CPS_JOURNAL_LATEST ? latest : CPS_JOURNAL_LATEST);
	memset(r->journal.at + page + n, 0x55, latest);
}

/* Seen to fail: with a reader that takes all bytes from the pages. */
Test(journal, the_last_bytes_may_stand_in_the_entry)
{
	struct recording r;

	begin(&r, false);
	hold(&r, 3, 17);
	for (uint32_t latest = 0; latest <= CPS_JOURNAL_LATEST; latest++) {
		make_with_latest(&r, latest);
		cr_assert_eq(decode(&r, r.file.n, "its journal was read\n"), DEMO_SAMPLES + 17);
	}
	make_with_latest(&r, CPS_JOURNAL_LATEST + 1);
	decode_says(&r, "a buffer holds more than it can");
	make_journal(&r);
	set32(&r, 64 + 64, 19 | 20u << 24);
	decode_says(&r, "a buffer holds more than it can");
	finish(&r);
}

/* Seen to fail: with a reader that knows one version. */
Test(journal, of_the_version_before)
{
	struct recording r;

	begin(&r, false);
	hold(&r, 3, 17);
	make_journal(&r);
	set32(&r, 8, CPS_JOURNAL_OLD_VERSION);
	cr_assert_eq(decode(&r, r.file.n, "its journal was read\n"), DEMO_SAMPLES + 17);
	finish(&r);
}

Test(journal, another_buffer_of_the_same_sequence)
{
	struct recording r;
	struct bytes batch = {0};

	begin(&r, false);
	demo_batch_payload(&batch, 2, 17);
	batch.at[0] = 2; /* the buffer's number */
	r.buffers[2] = (struct writer_buffer){batch.at, batch.n, 2};
	cr_assert_eq(decode_all(&r, "its journal was read\n"), DEMO_SAMPLES + 17);
	bytes_free(&batch);
	finish(&r);
}

Test(journal, is_ignored_after_a_clean_end)
{
	struct recording r;

	begin(&r, true);
	hold(&r, 3, 17);
	cr_assert_eq(decode_all(&r, "\nend 0 0 95 0\n"), DEMO_SAMPLES);
	cr_assert_eq(decode(&r, r.file.n - 1, "cut the file ends before its last checksum\n"),
		     DEMO_SAMPLES);
	finish(&r);
}

/* Cut the stream everywhere. The batch in which it is cut comes from the journal, once. */
Test(journal, replaces_a_torn_batch)
{
	struct recording r;
	unsigned torn = 0;

	begin(&r, false);
	hold(&r, 2, 40);
	make_journal(&r);
	for (size_t n = 1; n <= r.file.n; n++) {
		struct recording alone = r;
		unlink(r.journal_path);
		writer_file(r.path, r.file.at, n);
		event_log_decode(&alone.log, r.path);
		bool knows_journal = strstr(alone.log.text, "process 77");
		uint64_t before = alone.log.samples;
		event_log_free(&alone.log);
		uint64_t samples = decode(&r, n, NULL);
		if (!knows_journal)
			cr_assert_eq(samples, 0);
		else if (before >= 55) /* batches 0 and 1, and perhaps some of 2 */
			cr_assert_eq(samples, DEMO_SAMPLES);
		else
			cr_assert_eq(samples, before + 40);
		torn += before > 55 && before < DEMO_SAMPLES;
	}
	cr_assert_gt(torn, 10);
	finish(&r);
}

Test(journal, of_another_recording)
{
	struct recording r;

	begin(&r, false);
	hold(&r, 3, 17);
	r.id++;
	cr_assert_eq(decode_all(&r, "; the journal beside it is another recording's\n"),
		     DEMO_SAMPLES);
	r.id--;
	make_journal(&r);
	cr_assert_eq(decode(&r, 20, "; the journal beside it cannot be matched to it\n"), 0);
	finish(&r);
}

/* Wherever it is cut: no error, never more than the whole gives, the stream's samples always. */
Test(journal, cut_at_every_byte)
{
	struct recording r;
	uint64_t last = 0;

	begin(&r, false);
	hold_record(&r, CPS_TAG_LOSS, "\1\4", 2);
	hold(&r, 3, 17);
	make_journal(&r);
	for (size_t n = 0; n < r.journal.n; n++) {
		struct recording cut = r;
		cut.journal.n = n;
		bool whole = n >= 64 + 4 * 64 + BUFFER_BYTES + r.batch.n;
		uint64_t samples =
			decode(&cut, r.file.n,
			       whole ? "its journal was read\n" : "; its journal is damaged: it");
		cr_assert(samples >= DEMO_SAMPLES && samples <= DEMO_SAMPLES + 17);
		cr_assert_geq(samples, last);
		last = samples;
		if (n == 300)
			n = 64 + 4 * 64 + BUFFER_BYTES - 10; /* zeros */
		if (whole)
			break;
	}
	cr_assert_eq(last, DEMO_SAMPLES + 17);
	finish(&r);
}

/* No checksum guards a journal's batch, so that numbers may change; it must end, and well. */
Test(journal, any_byte_damaged)
{
	struct recording r;

	begin(&r, false);
	hold_record(&r, CPS_TAG_LOSS, "\1\4", 2);
	hold(&r, 3, 17);
	make_journal(&r);
	for (size_t i = 0; i < 64 + 3 * 64 + BUFFER_BYTES + r.batch.n; i++) {
		if (i == 300)
			i = 64 + 3 * 64 + BUFFER_BYTES;
		for (unsigned flip = 1; flip < 256; flip *= 2) {
			r.journal.at[i] ^= (unsigned char)flip;
			cr_assert_geq(decode(&r, r.file.n, NULL), DEMO_SAMPLES);
			r.journal.at[i] ^= (unsigned char)flip;
		}
	}
	finish(&r);
}

/* Two fields of the journal's head or table forged. */
static void forged2(size_t offset, uint32_t value, size_t offset2, uint32_t value2, const char *why)
{
	struct recording r;

	begin(&r, false);
	hold(&r, 3, 17);
	make_journal(&r);
	set32(&r, offset, value);
	set32(&r, offset2, value2);
	cr_assert_eq(decode(&r, r.file.n, why), DEMO_SAMPLES);
	finish(&r);
}

static void forged(size_t offset, uint32_t value, const char *why)
{
	forged2(offset, value, offset, value, why);
}

Test(journal, forged_fields)
{
	forged(0, 0, "; its journal is damaged: it has another file's head\n");
	forged(8, 1, "; its journal is damaged: it has an unknown version\n");
	forged(8, 4, "; its journal is damaged: it has an unknown version\n");
	forged(12, 0, "its layout is impossible");
	forged(12, UINT32_MAX, "its layout is impossible");
	forged(12, 1000, "its layout is impossible");
	forged(16, UINT32_MAX, "its layout is impossible");
	forged(16, CPS_RECORD_BYTES_MAX + 1, "its layout is impossible");
	forged(16, 0, "a buffer holds more than it can");
	forged(20, 0, "its layout is impossible");
	forged(20, 64 + 3 * 64 - 1, "its layout is impossible");
	forged(20, UINT32_MAX, "it ends too early");
	forged(52, 0, "its layout is impossible");
	forged(52, CPS_JOURNAL_ALIGN + 1, "its layout is impossible");
	forged(128, UINT32_MAX, "a buffer holds more than it can");
	forged(128, BUFFER_BYTES + 1, "a buffer holds more than it can");
	forged(132, 4, "a buffer holds another batch");
	/* A table that there is room for, but no recorder has. */
	forged2(12, 1u << 24, 20, UINT32_MAX, "its layout is impossible");
}

Test(journal, damage_does_not_hide_what_is_whole)
{
	struct recording r;
	struct bytes other = {0};

	begin(&r, false);
	hold(&r, 3, 17);
	demo_batch_payload(&other, 0, 5);
	other.at[0] = 2;
	r.buffers[2] = (struct writer_buffer){other.at, other.n - 1, 0}; /* inside its last item */
	cr_assert_eq(decode_all(&r, "damaged: a batch in it ends inside a sample"),
		     DEMO_SAMPLES + 17 + 4);
	hold_record(&r, CPS_TAG_LOSS, "\1", 1);
	cr_assert_eq(decode_all(&r, "damaged: it ends too early"), DEMO_SAMPLES + 17 + 4);
	r.records.at[2] ^= 1;
	cr_assert_eq(decode_all(&r, "damaged: a record in it is corrupt"), DEMO_SAMPLES + 17 + 4);
	bytes_free(&other);
	finish(&r);
}

/* Damage in one buffer says nothing about the next. */
Test(journal, a_buffer_after_a_damaged_one)
{
	struct recording r;
	struct bytes other = {0};

	begin(&r, false);
	hold(&r, 3, 17);
	bytes_put(&r.batch, "\0\0\0\1\x7f", 5); /* an unknown address */
	r.buffers[1] = (struct writer_buffer){r.batch.at, r.batch.n, 3};
	bytes_put(&other, "\2\0\0\1\0\2\0\1\4\0\1", 11);
	r.buffers[2] = (struct writer_buffer){other.at, other.n, 0};
	cr_assert_eq(decode_all(&r, "damaged: a frame"), DEMO_SAMPLES + 17 + 1);
	memcpy(other.at, "\1\11", 2); /* another buffer's number */
	r.buffers[2].sequence = 9;
	cr_assert_eq(decode_all(&r, "damaged: a frame"), DEMO_SAMPLES + 17);
	r.buffers[2].n = 0; /* the stream's own torn batch still counts */
	make_journal(&r);
	uint64_t samples = decode(&r, r.file.n - 30, "inside a record; its journal is damaged");
	cr_assert(samples > 55 + 17 && samples < DEMO_SAMPLES + 17);
	bytes_free(&other);
	finish(&r);
}

/* Buffer 0 has neither batches nor the first and the last record. */
static void out_of_place(unsigned tag, const char *payload, size_t n)
{
	struct recording r;

	begin(&r, false);
	hold_record(&r, tag, payload, n);
	hold_record(&r, CPS_TAG_LOSS, "\1\4", 2);
	cr_assert_eq(decode_all(&r, "loss 1 4\ncut the process was killed by a signal, or ended by "
				    "a system call past the C library; its journal "
				    "is damaged: a record in it is out of place\n"),
		     DEMO_SAMPLES);
	finish(&r);
}

Test(journal, records_out_of_place)
{
	out_of_place(CPS_TAG_PROCESS, "\11\3cpu\13\2ns", 9);
	out_of_place(CPS_TAG_SAMPLES, "\1\11\0\1\0\2\0\1\4\0\1", 11);
	out_of_place(CPS_TAG_END, "", 0);
}

/* A journal must be a file: opening anything else might wait for ever. */
Test(journal, that_is_no_file)
{
	struct recording r;

	begin(&r, false);
	writer_file(r.path, r.file.at, r.file.n);
	cr_assert_eq(mkfifo(r.journal_path, 0600), 0);
	cr_assert_eq(event_log_decode(&r.log, r.path), 0);
	cr_assert(strstr(r.log.text, "cut the process was killed by a signal, or ended by a system "
				     "call past the C library\n"),
		  "%s", r.log.text);
	event_log_free(&r.log);
	finish(&r);
}
