/* SPDX-License-Identifier: MIT */
/* test_short_names.c - short names of C++ and Rust. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "symbols/demangle.h"
#include "symbols/short_names.h"

/* ---- short names ----------------------------------------------------------------------------- */
/* Short names of C++, of which no two are alike. */

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

/* ---- short text ------------------------------------------------------------------------------ */
/* Names without arguments and parameters. */

static void strips(const char *name, const char *want)
{
	char text[300] = "";
	size_t n = short_text_strip(text, name, strlen(name));

	cr_assert_lt(n, sizeof(text));
	text[n] = '\0';
	cr_assert_str_eq(text, want, "%s gives %s, not %s", name, text, want);
}

Test(short_text, arguments_and_parameters)
{
	strips("main", "main");
	strips("f(int, char const*)", "f");
	strips("ns::f<int, g<char> >(void (*)(int)) const", "ns::f");
	strips("std::vector<int, std::allocator<int> >::push_back(int&&)",
	       "std::vector::push_back");
	strips("main::{lambda(int)#1}::operator()(int) const", "main::{lambda#1}::operator()");
	strips("f(int)::local::g() const &", "f::local::g");
	strips("f(int) [clone .cold]", "f [clone .cold]");
	strips("std::function<void (int)>::operator()(int) const", "std::function::operator()");
	strips("core::ptr::drop_in_place::<alloc::string::String>", "core::ptr::drop_in_place");
	strips("core::ptr::drop_in_place<T>", "core::ptr::drop_in_place");
}

Test(short_text, what_only_looks_like_it)
{
	strips("", "");
	strips("(anonymous namespace)::f(int)", "(anonymous namespace)::f");
	strips("a::(anonymous namespace)::f", "a::(anonymous namespace)::f");
	strips("operator<<(std::ostream&, T<int>)", "operator<<");
	strips("A<int>::operator<(A<int> const&) const", "A::operator<");
	strips("operator<=>(A, B)", "operator<=>");
	strips("A::operator->()", "A::operator->");
	strips("bool a::operator< <int>(int)", "bool a::operator<");
	strips("operator<< <int>(int)", "operator<<");
	strips("<alloc::vec::Vec<T> as Display>::fmt", "<alloc::vec::Vec as Display>::fmt");
	strips("<module>", "<module>");
	strips("f.<locals>.<lambda>", "f.<locals>.<lambda>");
	strips("py::<module>:/home/me (1)/x<y>.py", "py::<module>:/home/me (1)/x<y>.py");
	strips("[libc.so.6+0x10]", "[libc.so.6+0x10]");
	strips("f<a->b>(int)", "f");
	strips("f (lib(1).c)", "f (lib.c)");
	strips("a(b", "a(b");
	strips("a)b", "a)b");
	strips("a<b", "a<b");
	strips("a<b)c>", "a<b)c>");
}

/* Deep and broken nesting takes no longer. */
Test(short_text, hostile)
{
	const size_t n = 1000000;
	char *name = malloc(n), *to = malloc(n);
	size_t i;

	memset(name, '<', n / 2);
	memset(name + n / 2, ')', n / 2);
	cr_assert_eq(short_text_strip(to, name, n), n);
	for (i = 0; i < n; i++)
		name[i] = "<("[i & 1];
	cr_assert_eq(short_text_strip(to, name, n), n);
	memset(name, '(', n / 2);
	cr_assert_eq(short_text_strip(to, name, n), n);
	*name = 'f';
	name[n - 1] = ' ';
	memset(name + 1, '(', n / 2 - 1);
	memset(name + n / 2, ')', n / 2 - 1);
	cr_assert_eq(short_text_strip(to, name, n), 2);
	free(name);
	free(to);
}
