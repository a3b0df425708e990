/* SPDX-License-Identifier: MIT */
/*
 * test_line.c - what is said to the user fits a terminal of 80 columns, but for words that are longer.
 *
 * Seen to fail: with bytes counted in the place of characters; with a word broken that is longer than a line.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/line.h"

#define TEN "123456789 "
#define LONG                                                                                       \
	"/a/name/of/a/file/that/is/longer/than/a/line/of/eighty/columns/and/so/is/the/only/one/"   \
	"in/it"

static void expect(const char *text, const char *expected)
{
	char lines[LINE_BYTES];

	line_break(lines, text);
	cr_assert_str_eq(lines, expected);
}

Test(line, is_as_it_is_where_it_fits)
{
	expect(TEN TEN TEN TEN TEN TEN TEN "1234567890", TEN TEN TEN TEN TEN TEN TEN "1234567890");
}

Test(line, is_broken_between_words)
{
	expect(TEN TEN TEN TEN TEN TEN TEN "12345678901 next",
	       TEN TEN TEN TEN TEN TEN "123456789\n  12345678901 next");
}

Test(line, words_stay_whole)
{
	expect("a: " LONG ": no such file", "a:\n  " LONG ":\n  no such file");
}

Test(line, characters_count)
{
	char text[200] = "";

	for (int i = 0; i < 78; i++)
		strcat(text, "\xc3\xa4");
	strcat(text, " b");
	expect(text, text);
}

/* No text takes more than the room that line_break asks for. */
Test(line, needs_no_more_room)
{
	char text[LINE_TEXT_BYTES], lines[LINE_BYTES];

	for (size_t i = 0; i < sizeof(text) - 1; i++)
		text[i] = i % 80 ? 'x' : ' ';
	text[sizeof(text) - 1] = '\0';
	line_break(lines, text);
	cr_assert(strlen(lines) < sizeof(lines));
}

/* Where there is no terminal a line stays one, so that it can be searched. */
Test(line, is_cleaned_and_whole)
{
	char said[200] = "";
	FILE *file = tmpfile();

	cr_assert(file && dup2(fileno(file), STDERR_FILENO) == STDERR_FILENO);
	line_say("a\x1b[2J\nb\xc2\x9b%s", TEN TEN TEN TEN TEN TEN TEN TEN);
	cr_assert(pread(fileno(file), said, sizeof(said) - 1, 0) > 0);
	fclose(file);
	cr_assert_str_eq(said, "a?[2J?b??" TEN TEN TEN TEN TEN TEN TEN TEN "\n");
}
