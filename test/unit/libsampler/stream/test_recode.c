/* SPDX-License-Identifier: MIT */
/*
 * test_recode.c - columnar batches say the same as the batch that they were made of.
 *
 * The recorder's recoding and the decoder are compared with batches that stream_writer.c has
 * written.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "demo_stream.h"
#include "event_log.h"
#include "libsampler/stream/recode.h"
#include "random_items.h"

/* The same samples twice. */
struct twins {
	struct bytes batches, columns; /* records */
	unsigned n, anew;	       /* batches; records that do not build on others */
	struct batch_writer w;
	struct writer_item item;
};

static void twins_begin(struct twins *t)
{
	t->batches.n = t->columns.n = 0;
	t->n = t->anew = 0;
	demo_process(&t->batches);
	demo_process(&t->columns);
	cps_columnar_forget();
}

static void twins_free(struct twins *t)
{
	bytes_free(&t->batches);
	bytes_free(&t->columns);
}

static void batch_begin(struct twins *t, enum writer_style style, uint64_t time_us)
{
	memset(&t->item, 0, sizeof(t->item));
	batch_writer_begin(&t->w, style, 1 + t->n % 3, t->n, time_us);
}

/* Where the sixth number of the record's payload is, which says whether the record begins anew. */
static bool begins_anew(const struct cps_piece *head)
{
	const uint8_t *p = head->bytes;

	for (int number = 0; number < 7; number++) /* ..., sequence, time, grain, step */
		while (*p++ & 0x80)
			;
	return *p;
}

static size_t recode(const struct bytes *payload, struct cps_piece *pieces)
{
	return cps_recode(payload->at, payload->n, NULL, pieces);
}

static void batch_end(struct twins *t)
{
	struct cps_piece pieces[CPS_RECODE_PIECES];
	size_t n = recode(&t->w.payload, pieces);

	cr_assert_eq(n, CPS_RECODE_PIECES);
	t->anew += begins_anew(&pieces[0]);
	for (size_t i = 0; i < n; i++)
		bytes_put(&t->columns, pieces[i].bytes, pieces[i].n);
	bytes_record(&t->batches, CPS_TAG_SAMPLES, t->w.payload.at, t->w.payload.n);
	batch_writer_free(&t->w);
	t->n++;
}

static void decode(const struct bytes *records, struct event_log *log)
{
	struct bytes file = {0};

	writer_stream(&file, records, 100000, true);
	cr_assert_eq(event_log_decode_bytes(log, file.at, file.n), 0, "%s", log->text);
	cr_assert(!strstr(log->text, "BROKEN"), "%s", log->text);
	bytes_free(&file);
}

static void twins_are_equal(struct twins *t, const char *what, unsigned seed)
{
	struct event_log batches, columns;

	decode(&t->batches, &batches);
	decode(&t->columns, &columns);
	cr_assert_gt(batches.samples, 0);
	cr_assert_str_eq(batches.text, columns.text, "%s, seed %u", what, seed);
	event_log_free(&batches);
	event_log_free(&columns);
}

static void random_batch(struct twins *t, uint32_t step)
{
	unsigned items = below(200);

	batch_begin(t, below(3), (random_wide() >> 8) / step * step);
	for (unsigned i = 0; i < items; i++) {
		random_item(&t->item);
		t->item.time_us = t->item.time_us / step * step;
		batch_writer_item(&t->w, &t->item);
	}
	batch_end(t);
}

Test(recode, random_batches_are_the_same)
{
	static struct twins t;

	for (unsigned seed = 0; seed < 100; seed++) {
		uint32_t grain = seed % 2 ? 1u << below(10) : 1, step = grain << seed / 2 % 3;

		srand(seed);
		cps_columnar_set_grain(grain, step);
		twins_begin(&t);
		random_batch(&t, step);
		for (unsigned i = below(6); i; i--)
			random_batch(&t, step);
		twins_are_equal(&t, "random", seed);
		twins_free(&t);
	}
	cps_columnar_set_grain(1, 1);
}

Test(recode, times_are_rounded_down_and_weights_are_not)
{
	static struct twins t;
	struct event_log log;

	cps_columnar_set_grain(16, 32);
	twins_begin(&t);
	batch_begin(&t, WRITER_SHORT, 1600);
	for (unsigned i = 1; i < 5; i++) {
		t.item.depth = 1;
		t.item.weight = 100 + i;
		t.item.time_us = 17 * i;
		t.item.tail = i == 4;
		batch_writer_item(&t.w, &t.item);
	}
	batch_end(&t);
	decode(&t.columns, &log);
	cr_assert(strstr(log.text, "sample 0 at 1600: 101000 x1 "), "%s", log.text);
	cr_assert(strstr(log.text, "sample 0 at 1632: 102000 x1 "), "%s", log.text);
	cr_assert(strstr(log.text, "sample 0 at 1632: 103000 x1 "), "%s", log.text);
	cr_assert(strstr(log.text, "sample 0 at 1664: 104000 x0 "), "%s", log.text);
	event_log_free(&log);
	twins_free(&t);
	cps_columnar_set_grain(1, 1);
}

/* Three samples of the same stack, of the last two of which some was taken back. What follows in the batch is a
 * difference from the weight that was written. */
Test(recode, what_was_taken_back_is_missing)
{
	struct cps_piece pieces[CPS_RECODE_PIECES];
	struct cps_latest latest = {.n = 0};
	static struct twins t;
	struct event_log log;
	size_t n;

	twins_begin(&t);
	batch_begin(&t, WRITER_SHORT, 0);
	for (unsigned i = 0; i < 3; i++) {
		t.item.depth = 1;
		t.item.weight = 100;
		t.item.time_us = 1000 + i;
		batch_writer_item(&t.w, &t.item);
		cps_latest_add(&latest, 0, 100);
	}
	cr_assert_eq(cps_latest_take(&latest, 0, 130), 130);
	n = cps_recode(t.w.payload.at, t.w.payload.n, &latest, pieces);
	for (size_t i = 0; i < n; i++)
		bytes_put(&t.columns, pieces[i].bytes, pieces[i].n);
	batch_writer_free(&t.w);
	decode(&t.columns, &log);
	cr_assert(strstr(log.text, "sample 0 at 1000: 100000 x1 "), "%s", log.text);
	cr_assert(strstr(log.text, "sample 0 at 1001: 70000 x1 "), "%s", log.text);
	cr_assert(strstr(log.text, "sample 0 at 1002: 0 x1 "), "%s", log.text);
	event_log_free(&log);
	twins_free(&t);
}

/* Twelve batches of 4,000 addresses, some of which come again. */
Test(recode, more_addresses_than_are_remembered)
{
	static struct twins t;

	srand(1);
	twins_begin(&t);
	for (unsigned batch = 0; batch < 12; batch++) {
		batch_begin(&t, WRITER_SHORT, 0);
		for (unsigned i = 0; i < 2000; i++) {
			t.item.depth = 2;
			t.item.stack[0] = (struct writer_frame){below(2), below(90000)};
			t.item.stack[1] =
				(struct writer_frame){below(2), (uint64_t)below(90000) << 20};
			batch_writer_item(&t.w, &t.item);
		}
		batch_end(&t);
	}
	cr_assert(t.anew > 1 && t.anew < 4, "%u", t.anew);
	twins_are_equal(&t, "many addresses", 1);
	twins_free(&t);
}

/* The same addresses are inside of stacks and at their ends, and some stacks have no frames. */
Test(recode, leaves_that_are_none)
{
	static struct twins t;

	for (unsigned seed = 0; seed < 50; seed++) {
		srand(seed);
		twins_begin(&t);
		batch_begin(&t, WRITER_SHORT, 0);
		for (unsigned i = 0; i < 300; i++) {
			t.item.depth = below(12);
			for (unsigned k = 0; k < t.item.depth; k++)
				t.item.stack[k] = (struct writer_frame){0, below(2 + seed % 3)};
			batch_writer_item(&t.w, &t.item);
		}
		batch_end(&t);
		twins_are_equal(&t, "leaves", seed);
		twins_free(&t);
	}
}

Test(recode, runs_are_short)
{
	static struct twins t;
	struct cps_piece pieces[CPS_RECODE_PIECES];
	size_t sum = 0;

	twins_begin(&t);
	batch_begin(&t, WRITER_SHORT, 0);
	for (unsigned i = 0; i < 400; i++) {
		t.item.depth = WRITER_DEPTH;
		for (unsigned k = 0; k < WRITER_DEPTH; k++)
			t.item.stack[k] = (struct writer_frame){0, 7 + (k == 1 && i % 2)};
		batch_writer_item(&t.w, &t.item);
	}
	for (size_t i = 0, n = recode(&t.w.payload, pieces); i < n; i++)
		sum += pieces[i].n;
	cr_assert_lt(sum, 400 * 20);
	cps_columnar_forget();
	batch_end(&t);
	twins_are_equal(&t, "runs", 0);
	twins_free(&t);
}

/* The journal's bytes may be damaged. Such a batch is left as it is, and the next record does not
 * build on earlier ones. */
Test(recode, a_batch_that_makes_no_sense)
{
	static struct twins t;
	struct cps_piece pieces[CPS_RECODE_PIECES];
	unsigned refused = 0;

	for (unsigned seed = 0; seed < 400; seed++) {
		srand(seed);
		twins_begin(&t);
		random_batch(&t, 1);
		batch_begin(&t, WRITER_SHORT, 0);
		for (unsigned i = 0; i < 40; i++) {
			random_item(&t.item);
			batch_writer_item(&t.w, &t.item);
		}
		t.w.payload.at[below((unsigned)t.w.payload.n)] ^= (unsigned char)(1u << below(8));
		if (!recode(&t.w.payload, pieces)) {
			refused++;
			batch_writer_free(&t.w);
			random_batch(&t, 1);
			cr_assert_eq(t.anew, 2);
			twins_are_equal(&t, "after a wrong one", seed);
		} else {
			batch_writer_free(&t.w);
		}
		twins_free(&t);
	}
	cr_assert_gt(refused, 50);
}

/* Sample number n of a program that has so many stacks, on three threads. */
static void known_item(struct writer_item *item, unsigned stack)
{
	item->thread = stack % 3;
	item->mark = stack % 7 == 0 ? CPS_MARK_BAD_MEMORY : CPS_MARK_COMPLETE;
	item->depth = 4;
	for (unsigned i = 0; i < item->depth; i++, stack /= 30)
		item->stack[i] = (struct writer_frame){0, 0x1000 + 16 * (stack % 30) + i};
}

/* Some stacks were used recently, some long ago, and some are recorded in full although they are
 * known. */
Test(recode, stacks_that_come_again)
{
	static struct twins t;
	struct event_log log;
	unsigned stack = 0;

	srand(2);
	cps_columnar_set_grain(8, 8);
	twins_begin(&t);
	for (unsigned batch = 0; batch < 4; batch++) {
		batch_begin(&t, WRITER_SHORT, 0);
		for (unsigned i = 0; i < 3000; i++) {
			stack = below(8) ? stack / 20 * 20 + below(20) : below(1500);
			known_item(&t.item, stack);
			t.item.tail = below(50) == 0;
			t.item.weight = below(50) ? 800 : 801;
			batch_writer_item(&t.w, &t.item);
		}
		batch_end(&t);
	}
	twins_are_equal(&t, "again", 2);
	decode(&t.columns, &log);
	cr_assert(log.again > 9000 && log.again < 11000, "%llu", (unsigned long long)log.again);
	event_log_free(&log);
	twins_free(&t);
	cps_columnar_set_grain(1, 1);
}

/* A stack that is used all the time still counts as recent when its number is given to another
 * one. */
Test(recode, a_number_that_is_given_again)
{
	static struct twins t;
	unsigned n = 0;

	twins_begin(&t);
	while (n < CPS_STACKS + 2000) {
		batch_begin(&t, WRITER_SHORT, 0);
		for (unsigned i = 0; i < 4000; i++) {
			known_item(&t.item, i % 3 ? 7 + ++n : n % 2 ? 7 : 3);
			batch_writer_item(&t.w, &t.item);
		}
		batch_end(&t);
	}
	twins_are_equal(&t, "a number that is given again", 0);
	twins_free(&t);
}

/* There are more stacks than numbers: a stack that comes again is known only if few others came in
 * between. */
Test(recode, more_stacks_than_are_remembered)
{
	static const unsigned rounds[] = {CPS_STACKS - 6000, CPS_STACKS + 700};
	static struct twins t;
	struct event_log log;

	for (unsigned r = 0; r < 2; r++) {
		unsigned n = 0;

		twins_begin(&t);
		while (n < 2 * rounds[r]) {
			batch_begin(&t, WRITER_SHORT, 0);
			for (unsigned i = 0; i < 4000 && n < 2 * rounds[r]; i++) {
				known_item(&t.item, n++ % rounds[r]);
				batch_writer_item(&t.w, &t.item);
			}
			batch_end(&t);
		}
		twins_are_equal(&t, "many stacks", r);
		decode(&t.columns, &log);
		if (r)
			cr_assert_eq(log.again, 0);
		else /* except those whose bucket of the hash table was full */
			cr_assert_gt(log.again, rounds[r] * 9 / 10);
		event_log_free(&log);
		twins_free(&t);
	}
}

/* ---- damaged records ------------------------------------------------------------------------- */

static void payload_make(struct bytes *payload)
{
	static struct twins t;
	const unsigned char *p;
	uint64_t length = 0;

	srand(3);
	twins_begin(&t);
	t.columns.n = 0;
	batch_begin(&t, WRITER_SHORT, 0);
	for (unsigned i = 0; i < 60; i++) {
		random_item(&t.item);
		batch_writer_item(&t.w, &t.item);
	}
	batch_end(&t);
	p = t.columns.at + 1;
	for (unsigned shift = 0;; shift += 7) {
		length |= (uint64_t)(*p & 0x7f) << shift;
		if (!(*p++ & 0x80))
			break;
	}
	bytes_put(payload, p, length);
	twins_free(&t);
}

Test(recode, damage_is_an_error_or_another_sample)
{
	struct bytes payload = {0}, copy = {0};
	struct event_log log;
	unsigned errors = 0;

	payload_make(&payload);
	cr_assert_eq(demo_decode(&log, CPS_TAG_COLUMNAR, &payload), 0, "%s", log.text);
	event_log_free(&log);
	for (size_t at = 0; at < payload.n; at++) {
		copy.n = 0;
		bytes_put(&copy, payload.at, payload.n);
		copy.at[at] ^= (unsigned char)(1u << at % 8);
		errors += demo_decode(&log, CPS_TAG_COLUMNAR, &copy) != 0;
		cr_assert(!strstr(log.text, "BROKEN"), "%s", log.text);
		event_log_free(&log);
	}
	cr_assert_gt(errors, payload.n / 10);
	for (size_t n = 0; n < payload.n; n++) {
		copy.n = 0;
		bytes_put(&copy, payload.at, n);
		cr_assert_eq(demo_decode(&log, CPS_TAG_COLUMNAR, &copy), -1, "%zu bytes", n);
		event_log_free(&log);
	}
	bytes_free(&payload);
	bytes_free(&copy);
}
