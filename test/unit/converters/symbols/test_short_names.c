/* SPDX-License-Identifier: MIT */
/* test_short_names.c - short names of C++, of which no two are alike. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "symbols/demangle.h"
#include "symbols/short_names.h"

struct known {
	const char *mangled, *suffix; /* NULL: the name is only text */
	const char *name;	      /* if it is only text */
	const char *shown;
};

static void add(struct short_names *s, struct strings *strings, const struct known *k,
		uint32_t *name)
{
	char text[512];
	char *readable;

	if (!k->mangled) {
		*name = strings_add(strings, k->name, strlen(k->name));
		return;
	}
	readable = demangle_name(k->mangled, strlen(k->mangled));
	snprintf(text, sizeof(text), "%s%s", readable, k->suffix);
	free(readable);
	*name = strings_add(strings, text, strlen(text));
	cr_assert_eq(short_names_add(s, strings, *name, k->mangled, strlen(k->mangled), k->suffix),
		     0);
}

static void shows(const struct known *k, size_t n, bool text)
{
	struct strings *strings = strings_new();
	struct short_names s = {0};
	uint32_t names[8];

	for (size_t i = 0; i < n; i++)
		add(&s, strings, &k[i], &names[i]);
	cr_assert_eq(short_names_settle(&s, strings, names, n, text), 0);
	for (size_t i = 0; i < n; i++) {
		cr_assert_str_eq(strings_shown(strings, names[i], NULL), k[i].shown);
		for (size_t j = 0; j < i; j++)
			cr_assert_neq(strings_other(strings, names[i]),
				      strings_other(strings, names[j]));
	}
	short_names_clear(&s);
	strings_free(strings);
}

#define SHOWS(text, ...)                                                                           \
	shows((const struct known[]){__VA_ARGS__},                                                 \
	      sizeof((const struct known[]){__VA_ARGS__}) / sizeof(struct known), text)

Test(short_names, alone)
{
	SHOWS(false, {"_ZNSt6vectorIiSaIiEE9push_backEOi", "", NULL, "std::vector::push_back"},
	      {"_Z1fi", "@plt", NULL, "f@plt"}, {NULL, NULL, "main", "main"});
}

/* Two that would look the same get arguments, then parameters, then all that there is. */
Test(short_names, alike)
{
	SHOWS(false, {"_ZNSt6vectorIiSaIiEE5clearEv", "", NULL, "std::vector<int>::clear"},
	      {"_ZNSt6vectorIcSaIcEE5clearEv", "", NULL, "std::vector<char>::clear"},
	      {"_Z1fi", "", NULL, "f(int)"}, {"_Z1fc", "", NULL, "f(char)"},
	      {"_Z1fc", "@plt", NULL, "f@plt"}, {"_Z1gv", "", NULL, "g"});
	/* vector<vector<int>> and vector<vector<char>>. */
	SHOWS(false,
	      {"_ZNSt6vectorIS_IiEE5clearEv", "", NULL, "std::vector<std::vector<int> >::clear"},
	      {"_ZNSt6vectorIS_IcEE5clearEv", "", NULL, "std::vector<std::vector<char> >::clear"});
	/* A function of C has no other name. */
	SHOWS(false, {"_Z1fi", "", NULL, "f(int)"}, {NULL, NULL, "f", "f"});
}

/* Of names in other tools' files there is only the text. */
Test(short_names, text)
{
	SHOWS(true, {NULL, NULL, "ns::f<int>(char)", "ns::f"}, {NULL, NULL, "g(int)", "g(int)"},
	      {NULL, NULL, "g(char)", "g(char)"}, {NULL, NULL, "h(int)", "h(int)"},
	      {NULL, NULL, "h", "h"});
	SHOWS(false, {NULL, NULL, "ns::f<int>(char)", "ns::f<int>(char)"});
}

/* What a place in a function is shown as ends as its name does. */
Test(short_names, places)
{
	struct strings *strings = strings_new();
	struct short_names s = {0};
	uint32_t f = strings_add(strings, "f(int)", 6),
		 place = strings_add(strings, "f(int) a.c:1", 12),
		 other = strings_add(strings, "main a.c:1", 10);

	cr_assert_eq(short_names_add(&s, strings, f, "_Z1fi", 5, ""), 0);
	cr_assert_eq(short_names_add_place(&s, strings, place, f), 0);
	cr_assert_eq(short_names_add_place(&s, strings, other, strings_add(strings, "main", 4)), 0);
	cr_assert_str_eq(strings_shown(strings, place, NULL), "f a.c:1");
	cr_assert_str_eq(strings_shown(strings, other, NULL), "main a.c:1");
	short_names_clear(&s);
	strings_free(strings);
}
