/* SPDX-License-Identifier: MIT */
/* test_perf_map.c - names of generated code by address, also out of maps that nobody has written. */
#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/perf_map.h"

static struct perf_map *map_of(const char *text, size_t n, size_t piece)
{
	struct perf_map *m = perf_map_new();

	for (size_t at = 0; at < n; at += piece)
		cr_assert_eq(perf_map_add(m, text + at, n - at < piece ? n - at : piece), 0);
	cr_assert_eq(perf_map_finish(m), 0);
	return m;
}

static const char *find(const struct perf_map *m, uint64_t address)
{
	size_t n;
	const char *name = perf_map_find(m, address, &n);

	cr_assert(!name || strlen(name) == n);
	return name ? name : "-";
}

static void names(const char *text, uint64_t address, const char *want)
{
	for (size_t piece = 1; piece < 40; piece += 5) {
		struct perf_map *m = map_of(text, strlen(text), piece);

		cr_assert_str_eq(find(m, address), want, "%s at %" PRIx64, text, address);
		perf_map_free(m);
	}
}

Test(perf_map, lines)
{
	const char *text = "7f00 10 LazyCompile:*fib /tmp/x.js:3\n0x7f20 0X8 JS:~main\tfile.js:1\n"
			   "7F30 1 \xc3\xa9t\xc3\xa9 ;x\n";

	names(text, 0x7eff, "-");
	names(text, 0x7f00, "LazyCompile:*fib /tmp/x.js:3");
	names(text, 0x7f0f, "LazyCompile:*fib /tmp/x.js:3");
	names(text, 0x7f10, "-");
	names(text, 0x7f20, "JS:~main\tfile.js:1");
	names(text, 0x7f27, "JS:~main\tfile.js:1");
	names(text, 0x7f28, "-");
	names(text, 0x7f30, "\xc3\xa9t\xc3\xa9 ;x");
	names("", 0, "-");
}

Test(perf_map, the_last_line_holds)
{
	names("100 10 a\n108 10 b\n", 0x107, "a");
	names("100 10 a\n108 10 b\n", 0x108, "b");
	names("108 10 b\n100 10 a\n", 0x10f, "a");
	names("108 10 b\n100 10 a\n", 0x110, "b");
	names("100 10 a\n100 10 b\n", 0x100, "b");
	names("100 100 a\n120 10 b\n", 0x12f, "b");
	names("100 100 a\n120 10 b\n", 0x130, "a");
	names("120 10 b\n100 100 a\n", 0x125, "a");
	names("100 10 a\n100 10 b\n100 10 a\n", 0x100, "a");
}

Test(perf_map, lines_that_are_none)
{
	names("100 10\n", 0x100, "-");
	names("100 10 \n", 0x100, "-");
	names("100 0 a\n", 0x100, "-");
	names("100 10 a", 0x100, "-");
	names("100 10 a\n100 10 cut", 0x100, "a");
	names("100  10 a\n", 0x100, "-");
	names(" 100 10 a\n", 0x100, "-");
	names("g00 10 a\n100 g a\n-100 10 a\n0x 10 a\n\n \n\t\n100 10 b\n", 0x100, "b");
	names("10000000000000100 10 a\n", 0x100, "-");
	names("100 10000000000000000 a\n", 0x100, "-");
	names("00000000000000000000100 00000000000000000010 a\n", 0x100, "a");
}

Test(perf_map, to_the_end_of_all_addresses)
{
	names("0 ffffffffffffffff a\n", 0, "a");
	names("0 ffffffffffffffff a\n", UINT64_MAX, "-");
	names("1 ffffffffffffffff a\n", UINT64_MAX, "a");
	names("fffffffffffffff0 ffffffffffffffff a\n", UINT64_MAX, "a");
	names("fffffffffffffff0 ffffffffffffffff a\n", 5, "-");
	names("0 ffffffffffffffff a\nffffffffffffffff 1 b\n", UINT64_MAX, "b");
	names("ffffffffffffffff 1 b\n1 ffffffffffffffff a\n", UINT64_MAX, "a");
}

Test(perf_map, any_bytes)
{
	static const char text[] = "100 10 a\0b\xff\n\0\0\0\n110 10 c\n";
	struct perf_map *m = map_of(text, sizeof(text) - 1, 3);
	size_t n;

	cr_assert_eq(memcmp(perf_map_find(m, 0x100, &n), "a\0b\xff", 4), 0);
	cr_assert_eq(n, 4);
	cr_assert_str_eq(find(m, 0x110), "c");
	perf_map_free(m);
}

/* A name may be as long as any text of the format; a longer line is none. */
Test(perf_map, long_lines)
{
	char *text = malloc(300000), *end = text;
	struct perf_map *m;

	end += sprintf(end, "100 10 ");
	memset(end, 'x', 65536);
	end += 65536;
	end += sprintf(end, "\n110 10 ");
	memset(end, 'y', 65537);
	end += 65537;
	end += sprintf(end, "\n120 10 ");
	memset(end, 'z', 100000);
	end += 100000;
	end += sprintf(end, "\n130 10 b\n");
	for (size_t piece = 1000; piece < 400000; piece *= 7) {
		m = map_of(text, (size_t)(end - text), piece);
		cr_assert_eq(strlen(find(m, 0x100)), 65536);
		cr_assert_str_eq(find(m, 0x110), "-");
		cr_assert_str_eq(find(m, 0x120), "-");
		cr_assert_str_eq(find(m, 0x130), "b");
		perf_map_free(m);
	}
	free(text);
}

/* Against a table of all addresses, filled line by line; enough lines to become pieces on the way. */
Test(perf_map, random_lines)
{
	enum { ADDRESSES = 3000, LINES = 200000 };
	static unsigned table[ADDRESSES];
	struct perf_map *m = perf_map_new();
	char line[64];

	srand(5);
	for (unsigned i = 1; i <= LINES; i++) {
		unsigned first = (unsigned)rand() % ADDRESSES, bytes = 1 + (unsigned)rand() % 40;
		int n = sprintf(line, "%x %x %u\n", first, bytes, i);

		cr_assert_eq(perf_map_add(m, line, (size_t)n), 0);
		for (unsigned k = first; k < first + bytes && k < ADDRESSES; k++)
			table[k] = i;
	}
	cr_assert_eq(perf_map_finish(m), 0);
	for (unsigned k = 0; k < ADDRESSES; k++) {
		sprintf(line, "%u", table[k]);
		cr_assert_str_eq(find(m, k), table[k] ? line : "-");
	}
	perf_map_free(m);
}

/* Nested ranges, the worst for the sweep: hours if it were quadratic. */
Test(perf_map, a_million_nested_lines)
{
	struct perf_map *m = perf_map_new();
	char line[64];

	for (unsigned i = 0; i < 1000000; i++) {
		int n = sprintf(line, "%x %x f%u\n", i, 4000000 - 2 * i, i % 7);
		cr_assert_eq(perf_map_add(m, line, (size_t)n), 0);
	}
	cr_assert_eq(perf_map_finish(m), 0);
	cr_assert_str_eq(find(m, 500000), "f4");
	cr_assert_str_eq(find(m, 3999999), "f0");
	cr_assert_str_eq(find(m, 4000000), "-");
	perf_map_free(m);
}
