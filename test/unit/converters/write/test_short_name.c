/* SPDX-License-Identifier: MIT */
/* test_short_name.c - names without arguments and parameters, and names on several lines. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "write/short_name.h"

static void strips(const char *name, const char *want)
{
	char text[300] = "";
	size_t n = short_name_strip(text, name, strlen(name));

	cr_assert_lt(n, sizeof(text));
	text[n] = '\0';
	cr_assert_str_eq(text, want, "%s gives %s, not %s", name, text, want);
}

Test(short_name, arguments_and_parameters)
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

Test(short_name, what_only_looks_like_it)
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
Test(short_name, hostile)
{
	const size_t n = 1000000;
	char *name = malloc(n), *to = malloc(n);
	size_t i;

	memset(name, '<', n / 2);
	memset(name + n / 2, ')', n / 2);
	cr_assert_eq(short_name_strip(to, name, n), n);
	for (i = 0; i < n; i++)
		name[i] = "<("[i & 1];
	cr_assert_eq(short_name_strip(to, name, n), n);
	memset(name, '(', n / 2);
	cr_assert_eq(short_name_strip(to, name, n), n);
	*name = 'f';
	name[n - 1] = ' ';
	memset(name + 1, '(', n / 2 - 1);
	memset(name + n / 2, ')', n / 2 - 1);
	cr_assert_eq(short_name_strip(to, name, n), 2);
	free(name);
	free(to);
}

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
