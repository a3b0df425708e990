/* SPDX-License-Identifier: MIT */
/* test_patterns.c - which names the values of an option mean. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "base/patterns.h"

enum { MARK = 2 };

static const char *const functions[] = {
	"main",
	"qsort",
	"qsort_r",
	"std::map<int, char>::find(int, char)",
	"f(int, int)",
	"operator<",
	"A::operator,(B, C)",
	"operator<<(A&, int)",
	"operator[]",
	"fn(u8) -> u8, really",
	"a,b",
	"[incomplete]",
	"[libc.so.6+0x1234]",
	"1234",
	"tab\there",
	"caf\xc3\xa9",
	"\xff",
	"",
	"nul\0tail",
	"work (p.py)",
	"framework (q.py)",
	"run (p.py)",
	"run (q.py)",
	"runner (p.py)",
};

static size_t length(size_t i)
{
	return strlen(functions[i]) + (strcmp(functions[i], "nul") == 0 ? 5 : 0);
}

#define N_FUNCTIONS (sizeof(functions) / sizeof(functions[0]))

/* All functions but the empty one are names; some strings are not. Names may have any bytes. */
static struct strings *names(unsigned char marks[N_FUNCTIONS + 1])
{
	struct strings *s = strings_new();

	for (size_t i = 0; i < N_FUNCTIONS; i++) {
		cr_assert_eq(strings_add(s, functions[i], length(i)), i);
		marks[i] = *functions[i] ? NAME_MATCH_NAME : 0;
	}
	cr_assert_eq(strings_add(s, "/usr/lib/main.so", 16), N_FUNCTIONS);
	marks[N_FUNCTIONS] = 0;
	return s;
}

/* What matches, separated by bars; or the error. Values are separated by semicolons. */
static const char *matches(struct patterns *p, const char *values)
{
	static char text[2048];
	unsigned char marks[N_FUNCTIONS + 1];
	struct strings *s = names(marks);
	char copy[512], *value, *rest = copy;
	struct error err = {0};

	snprintf(copy, sizeof(copy), "%s", values);
	while ((value = strsep(&rest, ";")))
		cr_assert_eq(patterns_add(p, value, &err), 0);
	*text = '\0';
	if (patterns_match(p, s, marks, N_FUNCTIONS + 1, MARK, &err)) {
		cr_assert(err.is_usage);
		strcpy(text, err.text);
	} else {
		for (size_t i = 0; i <= N_FUNCTIONS; i++)
			if (marks[i] & MARK)
				sprintf(text + strlen(text), "%s%s", *text ? "|" : "",
					strings_get(s, (uint32_t)i, NULL));
	}
	strings_free(s);
	return text;
}

static void mean(const char *values, const char *want)
{
	struct patterns p = {.option = "--focus"};

	cr_assert_str_eq(matches(&p, values), want, "%s: %s", values, matches(&p, values));
	patterns_clear(&p);
}

Test(patterns, a_name_means_itself_alone)
{
	mean("qsort", "qsort");
	mean("main;qsort_r", "main|qsort_r");
	mean("main,qsort_r", "main|qsort_r");
	mean("std::map<int, char>::find(int, char)", "std::map<int, char>::find(int, char)");
	mean("f(int, int),main", "main|f(int, int)");
	mean("operator<", "operator<");
	mean("operator[]", "operator[]");
	mean("a,b", "a,b");
	mean("[libc.so.6+0x1234]", "[libc.so.6+0x1234]");
	mean("fn(u8) -> u8, really", "fn(u8) -> u8, really");
}

/* Seen to fail: "work" meant "framework (q.py)", too. */
Test(patterns, a_name_may_lack_its_file)
{
	mean("work", "work (p.py)");
	mean("run", "run (p.py)|run (q.py)");
	mean("run (q.py)", "run (q.py)");
	mean("unner", "runner (p.py)");
}

Test(patterns, commas_inside_brackets_do_not_split)
{
	mean("operator<,main", "main|operator<");
	mean("operator<<(A&, int),main", "main|operator<<(A&, int)");
	mean("A::operator,(B, C),main", "main|A::operator,(B, C)");
	mean("Z::operator,(B, C),main", "main");
	mean("main,a\\(,qsort", "main|qsort");
	mean("^[,m],x{1,2}y,^q.{4,6}$", "main|qsort|qsort_r");
	mean("fn\\(u8\\) -> u8,^m", "main|fn(u8) -> u8, really");
}

Test(patterns, expressions_are_searched)
{
	mean("sort", "qsort|qsort_r");
	mean("^(main|.*_r)$", "main|qsort_r");
	mean("^std::", "std::map<int, char>::find(int, char)");
	mean("b$", "a,b");
	mean("tab.here", "tab\there");
	mean("^caf..$", "caf\xc3\xa9");
	mean("^.$", "\xff");
	mean("tail", "nul");
	mean("nothing", "");
	mean("\\.so$", "");
}

/* The brackets would be a set of letters, which nearly all names have. */
Test(patterns, names_in_brackets_are_no_expressions)
{
	mean("[incomplete]", "[incomplete]");
	mean("[unknown]", "");
	mean("[mo]rt", "qsort|qsort_r");
}

Test(patterns, what_is_neither)
{
	mean("w(", "--focus: \"w(\" is no name, and not a regular expression: Unmatched ( or \\(");
	mean("main,*a", "--focus: \"*a\" is no name, and not a regular expression: Invalid "
			"preceding regular expression");
	mean("main,,qsort", "--focus: a name is empty");
	mean("", "--focus: a name is empty");
	mean("main,", "--focus: a name is empty");
}

/* As threads' ids: 123 is not part of 1234. */
Test(patterns, numbers)
{
	struct patterns p = {.option = "--thread", .numbers_are_ids = true};

	cr_assert_str_eq(matches(&p, "123,1234,mai"), "main|1234");
	cr_assert(patterns_has_number(&p, 123));
	cr_assert(patterns_has_number(&p, 1234));
	cr_assert_not(patterns_has_number(&p, 12));
	cr_assert_not(patterns_has_number(&p, 0));
	patterns_clear(&p);
	matches(&p, "99999999999999999999999,18446744073709551616,0");
	cr_assert_not(patterns_has_number(&p, UINT64_MAX));
	cr_assert(patterns_has_number(&p, 0));
	patterns_clear(&p);
}

Test(patterns, what_has_matched)
{
	struct patterns p = {.option = "--focus"};

	cr_assert_not(patterns_matched(&p));
	matches(&p, "nothing,main,[unknown];zz,y;qsort;a,b");
	cr_assert(patterns_matched(&p));
	cr_assert_str_eq(patterns_unmatched(&p, 0), "nothing");
	cr_assert_str_eq(patterns_unmatched(&p, 1), "[unknown]");
	cr_assert_str_eq(patterns_unmatched(&p, 2), "zz");
	cr_assert_null(patterns_unmatched(&p, 3), "y is in many, and so is not here");
	patterns_forget(&p);
	cr_assert_not(patterns_matched(&p));
	cr_assert_str_eq(patterns_unmatched(&p, 1), "main");
	cr_assert_str_eq(patterns_value(&p, 0), "nothing,main,[unknown]");
	cr_assert_str_eq(patterns_value(&p, 1), "zz,y");
	cr_assert_str_eq(patterns_value(&p, 3), "a,b");
	cr_assert_null(patterns_value(&p, 4));
	patterns_clear(&p);
	cr_assert_null(patterns_value(&p, 0));
}

/* ---- files ------------------------------------------------------------------------------------- */

struct asked {
	const char *files; /* those that there are, each between bars */
	char log[256];	   /* the texts that were asked for */
};

static int mark_file(void *context, const char *text, struct error *err)
{
	struct asked *a = context;
	char name[64];

	(void)err;
	snprintf(name, sizeof(name), "|%s|", text);
	strcat(strcat(a->log, *a->log ? " " : ""), text);
	return strstr(a->files, name) != NULL;
}

/* The value; what it means of all names; which files were asked for, and whether it means anything. */
static void asks(const char *value, bool are_names, const char *want, const char *log, bool matched)
{
	struct asked a = {.files = "|libc.so.6|qsort|x.c|prog|[incomplete]|"};
	const struct patterns_files files = {mark_file, &a, are_names};
	struct patterns p = {.option = "--focus"};
	unsigned char marks[N_FUNCTIONS + 1];
	struct strings *s = names(marks);
	char text[512] = "";
	struct error err;

	cr_assert_eq(patterns_add(&p, value, &err), 0);
	cr_assert_eq(patterns_match_or(&p, s, marks, N_FUNCTIONS + 1, MARK, &files, &err), 0);
	for (size_t i = 0; i <= N_FUNCTIONS; i++)
		if (marks[i] & MARK)
			sprintf(text + strlen(text), "%s%s", *text ? "|" : "",
				strings_get(s, (uint32_t)i, NULL));
	cr_expect_str_eq(text, want, "%s: %s", value, text);
	cr_expect_str_eq(a.log, log, "%s: %s", value, a.log);
	cr_expect_eq(patterns_matched(&p), matched, "%s", value);
	strings_free(s);
	patterns_clear(&p);
}

/* A whole name comes before a file, and a file that looks like one before parts of names. Seen to fail: libc.so.6 meant the
 * functions without a name alone. */
Test(patterns, files)
{
	asks("qsort", false, "qsort", "", true);
	asks("qsort", true, "", "qsort", true);
	asks("libc.so.6", false, "", "libc.so.6", true);
	asks("libc.so", false, "[libc.so.6+0x1234]", "libc.so", true);
	asks("x.c", false, "", "x.c", true);
	asks("^q.*t$", false, "qsort", "^q.*t$", true);
	asks("prog", false, "", "prog", true);
	asks("sort", false, "qsort|qsort_r", "", true);
	asks("nothing", false, "", "nothing", false);
	asks("nothing.c", false, "", "nothing.c", false);
	asks("[incomplete]", false, "[incomplete]", "[incomplete]", true);
	asks("main,libc.so.6", false, "main", "libc.so.6", true);
}
