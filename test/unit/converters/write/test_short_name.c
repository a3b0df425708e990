/* SPDX-License-Identifier: MIT */
/* test_short_name.c - names on several lines. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "write/short_name.h"

static void wraps(const char *name, const char *want)
{
	char text[300] = "";
	size_t n = strlen(name), line;

	for (; n > 0; name += line, n -= line) {
		line = short_name_line(name, n, 32);
		cr_assert(line > 0 && line <= n);
		strncat(text, name, line);
		strcat(text, line < n ? "|" : "");
	}
	cr_assert_str_eq(text, want);
}

Test(short_name, columns)
{
	cr_assert_eq(short_name_columns(0), 32);
	cr_assert_eq(short_name_columns(100), 32);
	cr_assert_eq(short_name_columns(10000), 244, "%u", short_name_columns(10000));
}

Test(short_name, lines)
{
	wraps("", "");
	wraps("a::b::exactly_thirty_two_columns", "a::b::exactly_thirty_two_columns");
	wraps("std::__detail::_Executor<char>::_M_dfs(bool, long)",
	      "std::__detail::_Executor<char>|::_M_dfs(bool, long)");
	wraps("a function of several arguments, and more",
	      "a function of several |arguments, and more");
	wraps("a_name_without_a_good_place_to_end_in", "a_name_without_a_good_place_to_|end_in");
	wraps("ns::a_name_without_a_good_place_to_end_in",
	      "ns::a_name_without_a_good_place_|to_end_in");
	wraps("a_name_with_a_good::place_to_end_a_line_in",
	      "a_name_with_a_good|::place_to_end_a_line_in");
	wraps("anameofmorethanthirtytwolettersin_two_parts",
	      "anameofmorethanthirtytwolettersin_|two_parts");
	wraps("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
	      "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa|aaaaaa");
	wraps("\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9"
	      "\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9 b",
	      "\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9"
	      "\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9 b");
}
