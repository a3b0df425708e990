/* SPDX-License-Identifier: MIT */
/* test_name_list.c - lists of words: quotes, and lines that are not too long. */
#include "out_text.h"
#include "write/name_list.h"

static void words_are(const char *const *names, int column, const char *want)
{
	struct strings *s = strings_new();
	struct out *o = open_text();
	struct name_list w;

	name_list_begin(&w, o, s, column);
	for (; *names; names++)
		name_list_add(&w, strings_add(s, *names, strlen(*names)), "", "");
	text_is(o, want);
	strings_free(s);
}

Test(name_list, that_are_none_stand_in_quotes)
{
	words_are((const char *const[]){"a", "b c", "f(int)", "say\"", "", "\xc3\xa9", "a\\b",
					"a \\b", NULL},
		  0, "a \"b c\" \"f(int)\" \"say\\\"\" \"\" \xc3\xa9 a\\b \"a \\\\b\"");
}

#define TEN    "0123456789"
#define TWENTY TEN TEN
#define SIXTY  TWENTY TWENTY TWENTY

/* A line has 80 columns; what follows begins below the first word. */
Test(name_list, lines)
{
	words_are((const char *const[]){SIXTY, TEN, "12345", "x", NULL}, 3,
		  SIXTY " " TEN " 12345\n   x");
	words_are((const char *const[]){SIXTY, TEN, "123456", "x", NULL}, 3,
		  SIXTY " " TEN "\n   123456 x");
}

/* It may stand on a line of its own and be too long for that. */
Test(name_list, long_names)
{
	words_are((const char *const[]){"a", SIXTY SIXTY, "b", NULL}, 10,
		  "a\n          " SIXTY SIXTY "\n          b");
	words_are((const char *const[]){SIXTY SIXTY, "b", NULL}, 10, SIXTY SIXTY "\n          b");
}

/* Far to the right there is no room for most names: they begin further to the left. Seen to fail: when they did not. */
Test(name_list, long_names_far_to_the_right)
{
	static const char column[] = "                                                            ";

	words_are((const char *const[]){"a", TEN TEN "a", SIXTY SIXTY, "b", NULL}, 60,
		  "a\n                                                           " TEN TEN
		  "a\n      " SIXTY SIXTY "\n                                                  "
		  "          b");
	words_are((const char *const[]){"a", TEN "123456789", "b", NULL}, strlen(column),
		  "a\n                                                            " TEN
		  "123456789\n                                                            b");
}

/* An e with an accent has two bytes and one column, a control character four. */
Test(name_list, columns)
{
	static const char ten[] = "\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9"
				  "\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9";

	words_are((const char *const[]){SIXTY, ten, "12345678", "x", NULL}, 0,
		  SIXTY " \xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9"
			"\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9 12345678\nx");
	words_are((const char *const[]){SIXTY, TEN, "12345\x01", NULL}, 0,
		  SIXTY " " TEN "\n12345\\x01");
}

/* So have quotes and backslashes. */
Test(name_list, columns_of_quotes)
{
	words_are((const char *const[]){SIXTY, TEN "123456 ", NULL}, 0,
		  SIXTY " \"" TEN "123456 \"");
	words_are((const char *const[]){SIXTY, TEN "1234567 ", NULL}, 0,
		  SIXTY "\n\"" TEN "1234567 \"");
	words_are((const char *const[]){SIXTY, TEN "12345\\ ", NULL}, 0,
		  SIXTY "\n\"" TEN "12345\\\\ \"");
}

/* A parenthesis belongs to its word. */
Test(name_list, parentheses)
{
	struct strings *s = strings_new();
	struct out *o = open_text();
	struct name_list w;

	name_list_begin(&w, o, s, 0);
	name_list_add(&w, strings_add(s, SIXTY, 60), "", "");
	name_list_add(&w, strings_add(s, TWENTY, 19), "(", "");
	name_list_add(&w, strings_add(s, "b", 1), "", ")");
	text_is(o, SIXTY "\n(" TEN "012345678 b)");
	strings_free(s);
}
