/* SPDX-License-Identifier: MIT */
/*
 * test_text_scan.c - texts as lines, and lines as numbers and words.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "read/input.h"
#include "stream_writer.h"

static struct text_scan scan_of(const char *text, size_t n, struct error *err)
{
	const char *path = writer_path("in.txt");

	writer_file(path, text, n);
	struct input *in = input_open(path, err);
	cr_assert(in, "%s", err->text);
	return (struct text_scan){.in = in, .err = err};
}

static void end(struct text_scan *s)
{
	struct input *in = s->in;

	cr_assert_eq(text_scan_line(s), 0);
	cr_assert_eq(text_scan_line(s), 0);
	text_scan_clear(s);
	input_close(in);
}

static void expect_line(struct text_scan *s, const char *text, size_t n, uint64_t number,
			uint64_t offset)
{
	cr_assert_eq(text_scan_line(s), 1);
	cr_assert_eq((size_t)(s->end - s->at), n);
	cr_assert_eq(memcmp(s->at, text, n), 0);
	cr_assert_eq(s->number, number);
	cr_assert_eq(s->offset, offset);
}

Test(text_scan, lines)
{
	struct error err;
	struct text_scan s = scan_of("a\r\n\n\0b\r\r\nc", 10, &err);

	expect_line(&s, "a", 1, 1, 0);
	cr_assert(s.is_whole);
	expect_line(&s, "", 0, 2, 3);
	expect_line(&s, "\0b\r", 3, 3, 4);
	expect_line(&s, "c", 1, 4, 9);
	cr_assert(!s.is_whole);
	end(&s);
	s = scan_of("", 0, &err);
	end(&s);
	s = scan_of("\n", 1, &err);
	expect_line(&s, "", 0, 1, 0);
	end(&s);
}

/* Lines of all lengths, so that pieces of the file end anywhere in them; the last is longer than any
 * piece. */
Test(text_scan, lines_that_come_in_pieces)
{
	enum { LINES = 1500, LAST = 1000000 };
	size_t n = 0, offset = 0;
	char *text = malloc(LINES * LINES + LAST);
	struct error err;

	for (size_t i = 0; i < LINES; i++) {
		memset(text + n, 'a' + (int)(i % 26), i);
		text[n + i] = '\n';
		n += i + 1;
	}
	memset(text + n, '.', LAST);
	n += LAST;
	struct text_scan s = scan_of(text, n, &err);
	for (size_t i = 0; i < LINES; i++) {
		expect_line(&s, text + offset, i, i + 1, offset);
		offset += i + 1;
	}
	expect_line(&s, text + offset, LAST, LINES + 1, offset);
	end(&s);
	free(text);
}

Test(text_scan, tokens)
{
	struct error err;
	uint64_t count;
	struct text_scan s = scan_of(
		"  \tkey=18446744073709551615 x\n18446744073709551616\n184467440737095516150\n", 72,
		&err);

	text_scan_line(&s);
	cr_assert_eq(text_scan_spaces(&s), 3);
	cr_assert_eq(text_scan_spaces(&s), 0);
	cr_assert(!text_scan_text(&s, "kex"));
	cr_assert(text_scan_text(&s, "key="));
	cr_assert_eq(text_scan_count(&s, &count), NULL);
	cr_assert_eq(count, UINT64_MAX);
	cr_assert(text_scan_count(&s, &count));
	text_scan_spaces(&s);
	cr_assert(!text_scan_text(&s, "xy"));
	cr_assert_eq(text_scan_token(&s), 1);
	cr_assert_eq(text_scan_token(&s), 0);
	cr_assert_eq(s.at, s.end);
	text_scan_line(&s);
	cr_assert_str_eq(text_scan_count(&s, &count), "overflow: a number does not fit 64 bits");
	text_scan_line(&s);
	cr_assert_str_eq(text_scan_count(&s, &count), "overflow: a number does not fit 64 bits");
	cr_assert_eq(text_scan_wrong(&s, "so"), -1);
	cr_assert(strstr(err.text, "in.txt: line 3: so at byte 51"), "%s", err.text);
	end(&s);
}
