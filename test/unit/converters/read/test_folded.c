/* SPDX-License-Identifier: MIT */
/*
 * test_folded.c - folded stacks: what a line means, and which lines are refused.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "event_log.h"
#include "read/decode.h"
#include "stream_writer.h"

/* Exactly these samples, as lines "WEIGHT FRAME...". */
static void expect(const char *text, size_t n, const char *lines)
{
	struct event_log log;
	struct bytes seen = {0};

	cr_assert_eq(event_log_decode_bytes(&log, text, n), 0, "%s", log.text);
	for (char *line = strtok(log.text, "\n"); line; line = strtok(NULL, "\n")) {
		unsigned long long weight, hits;
		int at;

		cr_assert_neq(strncmp(line, "BROKEN", 6), 0, "%s", line);
		if (sscanf(line, "sample 0 at 0: %llu x%llu mark 0:%n", &weight, &hits, &at) != 2)
			continue;
		cr_assert_eq(weight, hits);
		char *piece;
		int length = asprintf(&piece, "%llu%s\n", weight, line + at);
		bytes_put(&seen, piece, (size_t)length);
		free(piece);
	}
	bytes_byte(&seen, '\0');
	cr_assert_str_eq((char *)seen.at, lines);
	cr_assert(log.over && !log.was_cut);
	bytes_free(&seen);
	event_log_free(&log);
}

static void expect_text(const char *text, const char *lines)
{
	expect(text, strlen(text), lines);
}

static void refuse(const char *text, size_t n, const char *message)
{
	struct event_log log;

	cr_assert_eq(event_log_decode_bytes(&log, text, n), -1, "%s", log.text);
	cr_assert(strstr(log.text, message), "%s", log.text);
	event_log_free(&log);
}

Test(folded, lines)
{
	expect_text("a;b;c 3\na;b 1\na;d 2\n",
		    "3 \"a\" \"b\" \"c\"\n1 \"a\" \"b\"\n2 \"a\" \"d\"\n");
	expect_text("main 1", "1 \"main\"\n"); /* no line feed at the end */
	expect_text("a 1\r\nb;c 2\r\n", "1 \"a\"\n2 \"b\" \"c\"\n");
	expect_text("\n\na 1\n\r\n\nb 2\n\n", "1 \"a\"\n2 \"b\"\n");
}

Test(folded, names_are_verbatim)
{
	expect_text(" a b ;; c  9\n", "9 \" a b \" \"\" \" c \"\n");
	expect_text("\n 7\n", "7 \"\"\n");
	expect_text("; 7\n", "7 \"\" \"\"\n");
	expect_text("operator<(int, long);std::f [clone .1] 5\n",
		    "5 \"operator<(int, long)\" \"std::f [clone .1]\"\n");
	expect_text("\xc3\xa4;\xff\x01\t 5\n", "5 \"\xc3\xa4\" \"\xff\x01\t\"\n");
	expect_text("CPSAMPLER;x 4\n", "4 \"CPSAMPLER\" \"x\"\n");
	expect_text("1 2 3\na 4\n", "3 \"1 2\"\n4 \"a\"\n");
}

/* Seen to fail with the first count in the name. */
Test(folded, comparisons_are_refused)
{
	static const char text[] = "a;b 1 2\n\na 0 3\n";

	refuse(text, sizeof(text) - 1, "each line has two counts");
	expect_text("a;b 1 2\na 3\n", "2 \"a\" \"b 1\"\n3 \"a\"\n");
}

Test(folded, counts)
{
	expect_text("a 0\n", "0 \"a\"\n");
	expect_text("a 007\n", "7 \"a\"\n");
	expect_text("a 9223372036854775808\n", "9223372036854775808 \"a\"\n");
	expect_text("a 18446744073709551615\n", "18446744073709551615 \"a\"\n");
	refuse("b 1\na 18446744073709551616\n", 27, "line 2: overflow");
	refuse("b 1\na 18446744073709551615\n", 27, "line 2: overflow");
	refuse("b 1\n\na;c\n", 9, "line 3: no space and count at its end at byte 5");
	refuse("b 1\na;c \n", 9, "line 2: no count after the last space at byte 4");
	refuse("b 1\na -1\n", 9, "line 2: what follows the last space is not a count at byte 4");
	refuse("b 1\na 1.5\n", 10, "not a count");
	refuse("b 1\na 1\t\n", 9, "not a count");
	refuse("b 1\nabc", 7, "line 2");
}

Test(folded, kept_frames_end_where_both_lines_end_one)
{
	expect_text("a;b 1\na;bc 2\na;b;c 3\na;b 4\na 5\nab 6\na;;b 7\na; 8\n",
		    "1 \"a\" \"b\"\n2 \"a\" \"bc\"\n3 \"a\" \"b\" \"c\"\n4 \"a\" \"b\"\n5 \"a\"\n"
		    "6 \"ab\"\n7 \"a\" \"\" \"b\"\n8 \"a\" \"\"\n");
}

static int log_keep(void *context, const struct event_sample *e, struct error *err)
{
	struct bytes *keeps = context;

	(void)err;
	bytes_byte(keeps, (unsigned char)('0' + e->keep));
	return 0;
}

/* As many frames are kept as can be: the profile's speed depends on it. */
Test(folded, all_frames_are_kept_that_can_be)
{
	static const char text[] = "a;b;c 1\na;b;c 1\na;b 1\na;b;d 1\na;bb;d 1\na;;d 1\na; 1\na 1\n"
				   "a;b 1\nb 1\n";
	struct bytes keeps = {0};
	struct event_sink sink = {.context = &keeps, .sample = log_keep};
	struct error err;

	writer_file(writer_path("keep"), text, sizeof(text) - 1);
	cr_assert_eq(decode_file(writer_path("keep"), &sink, &err), 0);
	bytes_byte(&keeps, '\0');
	cr_assert_str_eq((char *)keeps.at, "0322112110");
	bytes_free(&keeps);
}

/* Stacks that grow out of the buffer that they are kept in. */
Test(folded, growing_lines)
{
	struct bytes text = {0}, lines = {0}, logged = {0};
	char count[32];

	bytes_put(&text, "outermost", 9);
	bytes_put(&logged, " \"outermost\"", 12);
	struct bytes all = {0};
	for (unsigned i = 1; i <= 300; i++) {
		bytes_put(&all, text.at, text.n);
		bytes_put(&all, count, (size_t)sprintf(count, " %u\n", i));
		bytes_put(&lines, count, (size_t)sprintf(count, "%u", i));
		bytes_put(&lines, logged.at, logged.n);
		bytes_byte(&lines, '\n');
		size_t n = (size_t)sprintf(count, ";f%u", i);
		bytes_put(&text, count, n);
		bytes_put(&logged, count, (size_t)sprintf(count, " \"f%u\"", i));
	}
	bytes_byte(&lines, '\0');
	expect((char *)all.at, all.n, (char *)lines.at);
	bytes_free(&text);
	bytes_free(&lines);
	bytes_free(&logged);
	bytes_free(&all);
}

/* A random stack of short names over few letters, so that lines share beginnings of all kinds. */
static size_t random_line(char *line, char *logged, unsigned count)
{
	unsigned frames = 1 + (unsigned)rand() % 6;
	char *to = line, *log = logged;

	log += sprintf(log, "%u", count);
	for (unsigned i = 0; i < frames; i++) {
		char name[4];
		unsigned n = (unsigned)rand() % 3;
		for (unsigned k = 0; k < n; k++)
			name[k] = (char)('a' + rand() % 2);
		name[n] = '\0';
		to += sprintf(to, "%s%s", i ? ";" : "", name);
		log += sprintf(log, " \"%s\"", name);
	}
	to += sprintf(to, " %u\n", count);
	sprintf(log, "\n");
	return (size_t)(to - line);
}

Test(folded, many_random_lines)
{
	struct bytes text = {0}, lines = {0};
	char line[64], logged[64];

	srand(1);
	for (unsigned i = 0; i < 20000; i++) {
		size_t n = random_line(line, logged, i);
		bytes_put(&text, line, n);
		bytes_put(&lines, logged, strlen(logged));
	}
	bytes_byte(&lines, '\0');
	expect((char *)text.at, text.n, (char *)lines.at);
	bytes_free(&text);
	bytes_free(&lines);
}

/* Lines longer than what detection sees, than a piece of input, and names of 10,000 bytes. */
Test(folded, long_lines)
{
	enum { FRAMES = 100, NAME = 10000 };
	struct bytes text = {0};
	struct event_log log;

	for (unsigned repeat = 0; repeat < 3; repeat++) {
		for (unsigned i = 0; i < FRAMES; i++) {
			for (unsigned k = 0; k < NAME; k++)
				bytes_byte(&text,
					   (unsigned char)('a' + (i == FRAMES / 2 ? repeat : 0)));
			bytes_byte(&text, i == FRAMES - 1 ? ' ' : ';');
		}
		bytes_put(&text, "17\n", 3);
	}
	cr_assert_eq(event_log_decode_bytes(&log, text.at, text.n), 0);
	cr_assert(!strstr(log.text, "BROKEN"));
	cr_assert(log.samples == 3 && log.weight == 51 && log.depth == FRAMES);
	cr_assert_eq(log.frames[FRAMES - 1].name.length, NAME);
	cr_assert_eq(log.frames[FRAMES / 2].name.bytes[NAME - 1], 'c');
	event_log_free(&log);
	bytes_put(&text, "no count", 8);
	refuse((char *)text.at, text.n, "line 4");
	bytes_free(&text);
}

Test(folded, what_is_no_folded_text)
{
	refuse("", 0, "is empty");
	refuse("hello\n", 6, "not a recording of libcpsample, nor what gprof prints");
	refuse("a;b\n", 4, "nor folded stacks");
	refuse("a\0;b 1\n", 7, "nor folded stacks");
	refuse("\n\n", 2, "nor folded stacks");
	refuse("a x\nb 1\n", 8, "nor folded stacks");
	refuse("\x1f\x8b\x08\0\0", 5, "it ends too early at byte 5 of the gzip file");
	refuse("\177ELF\2\1\1", 7, "is a program");
	refuse("CPJOURNL", 8, "is the journal of a recording");
	refuse("CPSCALLS\1", 9, "has the calls of a recording");
}
