/* SPDX-License-Identifier: MIT */
/*
 * test_line.c - what is said to the user fits a terminal of 80 columns, but for words that are longer.
 *
 * Seen to fail: with bytes counted in the place of characters; with a word broken that is longer than a line.
 */
#include <criterion/criterion.h>
#include <criterion/redirect.h>
#include <stdio.h>
#include <string.h>

#include "base/line.h"

#define TEN "123456789 "
#define LONG                                                                                       \
	"/a/name/of/a/file/that/is/longer/than/a/line/of/eighty/columns/and/so/is/the/only/one/"   \
	"in/it"

Test(line, is_as_it_is_where_it_fits, .init = cr_redirect_stderr)
{
	line_say("%s%d", TEN TEN TEN TEN TEN TEN TEN "12345678", 90);
	cr_assert_stderr_eq_str(TEN TEN TEN TEN TEN TEN TEN "1234567890\n");
}

Test(line, is_broken_between_words, .init = cr_redirect_stderr)
{
	line_say("%s%s", TEN TEN TEN TEN TEN TEN TEN, "12345678901 next");
	cr_assert_stderr_eq_str(TEN TEN TEN TEN TEN TEN "123456789\n  12345678901 next\n");
}

Test(line, words_stay_whole, .init = cr_redirect_stderr)
{
	line_say("a: %s: no such file", LONG);
	cr_assert_stderr_eq_str("a:\n  " LONG ":\n  no such file\n");
}

Test(line, characters_count, .init = cr_redirect_stderr)
{
	char text[200] = "";

	for (int i = 0; i < 78; i++)
		strcat(text, "\xc3\xa4");
	line_say("%s b", text);
	strcat(text, " b\n");
	cr_assert_stderr_eq_str(text);
}

Test(line, says_nothing_to_the_terminal, .init = cr_redirect_stderr)
{
	line_say("a\x1b[2J\nb\xc2\x9b");
	cr_assert_stderr_eq_str("a?[2J?b??\n");
}
