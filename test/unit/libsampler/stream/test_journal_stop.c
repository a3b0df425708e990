/* SPDX-License-Identifier: MIT */
/* test_journal_stop.c - what a journal says of losses and of why recording stopped. */
#include "journal_fixture.h"

/* The journal's totals of a killed process are used where they are larger than a record's. Seen to fail: where only
 * the entry of buffer 0 is read. */
Test(journal, tells_losses)
{
	const size_t more = 64 + 64 * 3 + 8; /* of the entry behind those of the buffers */
	struct recording r;

	begin(&r, false); /* its stream has lost 3 for reason 1 */
	make_journal(&r);
	set32(&r, 64 + 8 + 8 * 1, 3);
	set32(&r, 64 + 8 + 8 * 4, 7);
	decode_says(&r, "mark 0: 0+1000 1+1002 0+1004\nloss 4 7\ncut");
	set32(&r, 64 + 8 + 8 * 1, 4);
	set32(&r, 64 + 64 + 8, 9); /* not of buffer 0 */
	decode_says(&r, "\nloss 1 4\nloss 4 7\ncut");
	hold_record(&r, CPS_TAG_LOSS, "\4\10", 2);
	make_journal(&r);
	set32(&r, 64 + 8 + 8 * 4, 7);
	set32(&r, 64 + 8 + 8 * 6, 1);
	set32(&r, more, 9); /* means nothing */
	set32(&r, more + 8, 2);
	set32(&r, more + 8 * 6, 5); /* a reason that no version has */
	decode_says(&r, "\nloss 4 8\nloss 6 1\nloss 7 2\nloss 12 5\ncut");
	set32(&r, more + 8 * 6 + 4, 0x80000000);
	set32(&r, 64 + 8 + 8 * 6 + 4, 0x80000000);
	decode_says(&r, "\nloss 4 8\nloss 7 2\ncut the process was killed by a signal, or ended by "
			"a system "
			"call past the C library; its journal is "
			"damaged: its losses are impossible\n");
	finish(&r);
}

Test(journal, tells_a_stop)
{
	struct recording r;

	begin(&r, false);
	make_journal(&r);
	set32(&r, 32, CPS_STOP_WRITE);
	set32(&r, 36, 28);
	decode_says(&r, "cut recording stopped before the program did; its journal was read\n"
			"stop 6 28\n");
	set32(&r, 36, UINT32_MAX);
	decode_says(&r, "\nstop 6 0\n");
	set32(&r, 32, UINT32_MAX);
	decode_says(&r, "\nstop 4294967295 0\n");
	finish(&r);
}

/* What children used is in the end record, or if there is none, in the journal. */
Test(journal, tells_of_children)
{
	struct recording r;

	begin(&r, false);
	make_journal(&r);
	set32(&r, 56, 7);
	set32(&r, 60, 1);
	decode_says(&r, "\nchildren 4294967303\n");
	finish(&r);
}

/* A journal whose disk is slow lags behind, which only an end in order makes good. */
Test(journal, tells_a_rest)
{
	struct recording r;

	begin(&r, false);
	make_journal(&r);
	set32(&r, 48, 700);
	decode_says(&r, "cut the process was killed by a signal, or ended by a system call past "
			"the C library; its journal was read, but the disk was "
			"slow, and up to 700 ms at the end are missing\n");
	set32(&r, 32, CPS_STOP_WRITE);
	decode_says(&r, "its journal was read\nstop 6 0\n");
	finish(&r);
}

/* The disk is full: what is not in the stream is in the journal, which stays. */
Test(journal, counts_after_a_stop)
{
	struct bytes records = {0};
	struct recording r;

	begin(&r, false);
	bytes_free(&r.file);
	demo_records(&records, false);
	bytes_record(&records, CPS_TAG_END, "\6\137\12\6\14\34", 6);
	writer_stream(&r.file, &records, 100, true);
	hold(&r, 3, 17);
	cr_assert_eq(decode_all(&r, "\nend 0 0 95 0 stop 6 28\n"), DEMO_SAMPLES + 17);
	cr_assert_eq(decode(&r, r.file.n - 1,
			    "cut the file ends before its last checksum; its journal was read\n"
			    "stop 6 28\n"),
		     DEMO_SAMPLES + 17);
	r.batch.n = 0;
	r.buffers[1] = (struct writer_buffer){NULL, 0, 0};
	make_journal(&r);
	set32(&r, 32, CPS_STOP_CLOCK); /* the end record has precedence */
	decode_says(&r, "\nend 0 0 95 0 stop 6 28\n");
	set32(&r, 128, UINT32_MAX);
	decode_says(&r, " stop 6 28 its journal is damaged: a buffer holds more than it can\n");
	set32(&r, 24, 0);
	decode_says(&r, " stop 6 28 the journal beside it is another recording's\n");
	bytes_free(&records);
	finish(&r);
}

/* Programs of Go end past the C library, so that there is no end record. That is no sign of a kill if
 * nothing is missing. Seen to fail: with any journal, and with none. */
Test(journal, of_a_program_of_go)
{
	static const char killed[] = "cut the process was killed by a signal, or ended by a system";
	struct bytes records = {0}, payload = {0};
	struct recording r;

	begin(&r, false);
	bytes_free(&r.file);
	bytes_process(&payload, 77, 1000, DEMO_JOURNAL);
	bytes_field_text(&payload, CPS_PROCESS_RUNTIME, "Go");
	bytes_record(&records, CPS_TAG_PROCESS, payload.at, payload.n);
	demo_batch(&records, 0, 30);
	writer_stream(&r.file, &records, 100000, false);
	make_journal(&r);
	cr_assert_eq(decode(&r, r.file.n,
			    "cut the program ended past the C library, as Go's programs do, or was "
			    "killed; its journal was read\n"),
		     30);
	set32(&r, 48, 700);
	decode(&r, r.file.n, killed);
	set32(&r, 48, 0);
	set32(&r, 128, UINT32_MAX);
	decode(&r, r.file.n, "; its journal is damaged: a buffer holds more than it can\n");
	decode(&r, r.file.n, killed);
	set32(&r, 24, 0);
	decode(&r, r.file.n, killed);
	r.journal.n = 0;
	decode(&r, r.file.n, killed);
	bytes_free(&payload);
	bytes_free(&records);
	finish(&r);
}
