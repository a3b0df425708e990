/* SPDX-License-Identifier: MIT */
/* test_short_text.c - names without arguments and parameters. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "symbols/short_names.h"

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
