/* SPDX-License-Identifier: MIT */
/*
 * test_columnar.c - what is wrong with a columnar batch is said.
 */
#include <criterion/criterion.h>
#include <string.h>

#include "demo_stream.h"
#include "libsampler/format.h"

static void refused(uint64_t tag, struct bytes *payload, const char *why)
{
	struct event_log log;

	cr_assert_eq(demo_decode(&log, tag, payload), -1, "%s", why);
	cr_assert(strstr(log.text, "corrupt record of samples: "), "%s", log.text);
	cr_assert(strstr(log.text, why), "not \"%s\" but %s", why, log.text);
	event_log_free(&log);
}

/* A record of `used` columns, which are given, or empty. */
static void some_columns_make(struct bytes *payload, uint64_t grain, bool anew, int used,
			      const char *const columns[CPS_COLUMNS], const size_t n[CPS_COLUMNS])
{
	payload->n = 0;
	bytes_varint(payload, 1);
	bytes_varint(payload, 0);
	bytes_varint(payload, 0);
	bytes_varint(payload, grain);
	bytes_varint(payload, grain);
	bytes_varint(payload, anew);
	for (int i = 0; i < used; i++)
		bytes_varint(payload, n[i]);
	for (int i = 0; i < used; i++)
		if (n[i])
			bytes_put(payload, columns[i], n[i]);
}

/* As version 2 of the format has it. */
static void columns_make(struct bytes *payload, uint64_t grain, bool anew,
			 const char *const columns[CPS_COLUMNS], const size_t n[CPS_COLUMNS])
{
	some_columns_make(payload, grain, anew, CPS_COLUMNS_2, columns, n);
}

#define COLUMN(which, text)                                                                        \
	columns[CPS_COLUMN_##which] = text, n[CPS_COLUMN_##which] = sizeof(text) - 1

Test(columnar, what_is_wrong_is_said)
{
	const char *columns[CPS_COLUMNS] = {0};
	size_t n[CPS_COLUMNS] = {0};
	struct bytes p = {0};

	columns_make(&p, 1, false, columns, n);
	refused(CPS_TAG_COLUMNAR_2, &p, "it builds on a record that is not there");
	columns_make(&p, 0, true, columns, n);
	refused(CPS_TAG_COLUMNAR_2, &p, "its grain or step is out of range");
	columns_make(&p, 1, true, columns, n);
	bytes_byte(&p, 0);
	refused(CPS_TAG_COLUMNAR_2, &p, "it has bytes behind its columns");
	COLUMN(CODE, "\0");
	columns_make(&p, 1, true, columns, n);
	refused(CPS_TAG_COLUMNAR_2, &p, "a column has too many bytes");
	COLUMN(HEAD, "\2");
	columns_make(&p, 1, true, columns, n);
	refused(CPS_TAG_COLUMNAR_2, &p, "a sample has no thread");
	COLUMN(HEAD, "\7");
	COLUMN(EXTRA, "\1\0");
	columns_make(&p, 1, true, columns, n);
	refused(CPS_TAG_COLUMNAR_2, &p, "a column ends too early");
	COLUMN(WEIGHT, "\2");
	COLUMN(TIME, "\0");
	columns_make(&p, 1, true, columns, n);
	refused(CPS_TAG_COLUMNAR_2, &p, "more frames leave the stack than it has");
	bytes_free(&p);
}

Test(columnar, what_is_wrong_with_frames_is_said)
{
	const char *columns[CPS_COLUMNS] = {0};
	size_t n[CPS_COLUMNS] = {0};
	struct bytes p = {0};

	COLUMN(CODE, "\0");
	COLUMN(HEAD, "\1");
	COLUMN(EXTRA, "\1\0");
	COLUMN(WEIGHT, "\2");
	COLUMN(TIME, "\0");
	columns_make(&p, 1, true, columns, n);
	refused(CPS_TAG_COLUMNAR_2, &p, "a frame has no such successor");
	COLUMN(CODE, "\23");
	COLUMN(NEAR, "\0");
	COLUMN(NEAR_HIGH, "\0");
	columns_make(&p, 1, true, columns, n);
	refused(CPS_TAG_COLUMNAR_2, &p, "a new address is near none");
	COLUMN(CODE, "\22");
	COLUMN(KNOWN, "\0");
	COLUMN(KNOWN_HIGH, "\0");
	columns_make(&p, 1, true, columns, n);
	refused(CPS_TAG_COLUMNAR_2, &p, "a frame's address is unknown");
	COLUMN(CODE, "\26");
	COLUMN(FAR, "\0");
	COLUMN(FAR_1, "\0");
	COLUMN(FAR_2, "\0");
	COLUMN(FAR_REST, "\1\x80\x80\x80\x80\x80\x40");
	columns_make(&p, 1, true, columns, n);
	refused(CPS_TAG_COLUMNAR_2, &p, "an address does not fit 64 bits");
	COLUMN(FAR_REST, "\x80\x80\4\0");
	columns_make(&p, 1, true, columns, n);
	refused(CPS_TAG_COLUMNAR_2, &p, "a frame's module number is too large");
	bytes_free(&p);
}

Test(columnar, what_is_wrong_with_numbers_is_said)
{
	const char *columns[CPS_COLUMNS] = {0};
	size_t n[CPS_COLUMNS] = {0};
	struct bytes p = {0};

	COLUMN(HEAD, "\1");
	COLUMN(WEIGHT, "\2");
	COLUMN(TIME, "\0");
	COLUMN(CODE, "\20");
	COLUMN(EXTRA, "\1\0\x80\x80\x80\x80\4");
	columns_make(&p, 1, true, columns, n);
	refused(CPS_TAG_COLUMNAR_2, &p, "a stack is too deep");
	COLUMN(EXTRA, "\11\0\3");
	COLUMN(HEAD, "\3");
	columns_make(&p, 2, true, columns, n);
	refused(CPS_TAG_COLUMNAR_2, &p, "a sample's weight is out of range");
	COLUMN(EXTRA, "\1\0");
	COLUMN(WEIGHT, "\1");
	columns_make(&p, 1, true, columns, n);
	refused(CPS_TAG_COLUMNAR_2, &p, "a sample's weight is out of range");
	COLUMN(WEIGHT, "\0");
	COLUMN(TIME, "\1");
	columns_make(&p, 1, true, columns, n);
	refused(CPS_TAG_COLUMNAR_2, &p, "a sample's time is out of range");
	bytes_free(&p);
}

/* Three samples of one frame: the stack is new, the latest one, and number 0. */
Test(columnar, what_is_wrong_with_stacks_that_come_again)
{
	const char *columns[CPS_COLUMNS] = {0};
	size_t n[CPS_COLUMNS] = {0};
	struct bytes p = {0};
	struct event_log log;

	COLUMN(AGAIN, "\0\1\377");
	COLUMN(HEAD, "\1");
	COLUMN(EXTRA, "\5\7\2");
	COLUMN(WEIGHT, "\20\0\0");
	COLUMN(TIME, "\0\0\0");
	COLUMN(CODE, "\26");
	COLUMN(FAR, "\2");
	COLUMN(FAR_1, "\0");
	COLUMN(FAR_2, "\0");
	COLUMN(FAR_REST, "\1\0");
	COLUMN(NUMBER, "\0");
	COLUMN(NUMBER_HIGH, "\0");
	some_columns_make(&p, 1, true, CPS_COLUMNS, columns, n);
	cr_assert_eq(demo_decode(&log, CPS_TAG_COLUMNAR, &p), 0, "%s", log.text);
	cr_assert_eq(log.again, 2);
	cr_assert(strstr(log.text, "sample 7 at 24: 8000 x1 mark 2: 0+1\n"), "%s", log.text);
	event_log_free(&log);
	COLUMN(NUMBER, "\1");
	some_columns_make(&p, 1, true, CPS_COLUMNS, columns, n);
	refused(CPS_TAG_COLUMNAR, &p, "a stack's number is unknown");
	COLUMN(NUMBER_HIGH, "");
	some_columns_make(&p, 1, true, CPS_COLUMNS, columns, n);
	refused(CPS_TAG_COLUMNAR, &p, "a column ends too early");
	COLUMN(AGAIN, "\0\1\2");
	COLUMN(NUMBER, "");
	some_columns_make(&p, 1, true, CPS_COLUMNS, columns, n);
	refused(CPS_TAG_COLUMNAR, &p, "a stack is not among the recent ones");
	bytes_free(&p);
}
