/* SPDX-License-Identifier: MIT */
/* test_text.c - names are what the interpreter's strings say, whatever these hold. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "python/functions.h"

static uint8_t unicode_type[8];
static const struct cps_python_layout layout = {.string_ascii = 48, .string_other = 72};
static struct cps_python_types types = {1, (uintptr_t)unicode_type, 2, &layout};

struct string {
	struct cps_python_unicode head;
	uint64_t wide[4];
	uint8_t bytes[4096];
};

/* A string of n characters of so many bytes each. */
static void make(struct string *s, unsigned width, const void *characters, size_t n)
{
	memset(s, 0, sizeof(*s));
	s->head.type = (uintptr_t)unicode_type;
	s->head.length = (int64_t)n;
	s->head.state = width << 2 | CPS_PYTHON_UNICODE_COMPACT;
	memcpy(s->bytes, characters, n * width);
}

static void is_name(unsigned width, const void *characters, size_t n, const char *file,
		    unsigned line, const char *want)
{
	struct cps_python_text name, path;
	static struct string a, b;
	char text[CPS_PYTHON_NAME_BYTES];

	make(&a, width, characters, n);
	make(&b, 1, file, strlen(file));
	for (int is_alive = 0; is_alive < 2; is_alive++) {
		cr_assert(cps_python_text_get(&name, (uintptr_t)&a, &types, false, is_alive));
		cr_assert(cps_python_text_get(&path, (uintptr_t)&b, &types, true, is_alive));
		cr_assert_eq(cps_python_text_name(text, &name, &path, line), strlen(want));
		cr_assert_str_eq(text, want);
	}
}

Test(text, names_and_files)
{
	is_name(1, "f", 1, "/usr/lib/x.py", 1, "f (x.py)");
	is_name(1, "f", 1, "x.py", 1, "f (x.py)");
	is_name(1, "f", 1, "", 1, "f ()");
	is_name(1, "", 0, "/", 1, " ()");
	is_name(1, "<module>", 8, "/a/json/__init__.py", 1, "<module> (json/__init__.py)");
	is_name(1, "<module>", 8, "json/__main__.py", 1, "<module> (json/__main__.py)");
	is_name(1, "<module>", 8, "__init__.py", 1, "<module> (__init__.py)");
	is_name(1, "f.<locals>.<lambda>", 19, "/x.py", 4000000000u,
		"f.<locals>.<lambda> (x.py:4000000000)");
	is_name(1, "f", 1, "<frozen a/b>", 1, "f (<frozen a/b>)");
}

Test(text, widths)
{
	is_name(1, "gr\xf6\xdf", 4, "x.py", 1, "größ (x.py)");
	is_name(2, (const uint16_t[]){0x3b1, 0x20ac, 'x'}, 3, "x.py", 1, "α€x (x.py)");
	is_name(4, (const uint32_t[]){0x1f40d, 'x'}, 2, "x.py", 1, "🐍x (x.py)");
}

/* A name is one line of text in valid UTF-8. */
Test(text, hostile_characters)
{
	is_name(1, "a\nb\x1b\x7f\x9b", 6, "x.\n", 1, "a?b??? (x.?)");
	is_name(2, (const uint16_t[]){0xd800, 0xdfff, 0xffff}, 3, "x", 1, "??\xef\xbf\xbf (x)");
	is_name(4, (const uint32_t[]){0x110000, UINT32_MAX}, 2, "x", 1, "?? (x)");
}

Test(text, long_texts)
{
	char name[400], want[1000], file[400];

	memset(name, 'n', sizeof(name));
	memset(file, 'd', sizeof(file));
	strcpy(file + 390, "/x.py");
	snprintf(want, sizeof(want), "%.128s... (x.py)", name);
	is_name(1, name, sizeof(name), file, 1, want);
}

Test(text, what_is_no_string)
{
	struct cps_python_text text;
	static struct string s;

	for (int is_alive = 0; is_alive < 2; is_alive++) {
		make(&s, 3, "", 0);
		cr_assert_not(cps_python_text_get(&text, (uintptr_t)&s, &types, false, is_alive));
		make(&s, 1, "", 0);
		s.head.length = -1;
		cr_assert_not(cps_python_text_get(&text, (uintptr_t)&s, &types, false, is_alive));
		make(&s, 1, "", 0);
		s.head.type++;
		cr_assert_not(cps_python_text_get(&text, (uintptr_t)&s, &types, false, is_alive));
		make(&s, 1, "", 0);
		s.head.state &= ~CPS_PYTHON_UNICODE_COMPACT;
		cr_assert_not(cps_python_text_get(&text, (uintptr_t)&s, &types, false, is_alive));
	}
	cr_assert_not(cps_python_text_get(&text, 8, &types, false, false));
	cr_assert_not(cps_python_text_get(&text, (uintptr_t)&s + 1, &types, false, true));
}

/* Texts that differ somewhere differ in their sums. */
Test(text, sums)
{
	struct cps_python_text one, other;
	static struct string a, b;
	char bytes[60];

	for (size_t n = 1; n < sizeof(bytes); n++) {
		memset(bytes, 'x', n);
		make(&a, 1, bytes, n);
		cr_assert(cps_python_text_get(&one, (uintptr_t)&a, &types, false, true));
		for (size_t i = 0; i <= n; i++) {
			memset(bytes, 'x', n + 1);
			bytes[i] = 'y';
			make(&b, 1, bytes, n + (i == n));
			cr_assert(cps_python_text_get(&other, (uintptr_t)&b, &types, false, true));
			cr_assert_neq(cps_python_text_sum(&one), cps_python_text_sum(&other));
		}
	}
}
