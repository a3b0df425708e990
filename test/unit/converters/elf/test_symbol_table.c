/* SPDX-License-Identifier: MIT */
/* test_symbol_table.c - of the symbols that cover an address the right one is meant. */
#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "elf/symbol_table.h"
#include "scarce_memory.h"

/* ---- address sort ---------------------------------------------------------------------------- */
/* Elements that begin with an address come into the order of a comparison. */

#define MOST 3000u

struct element {
	uint64_t start;
	unsigned second, third;
};

static int compare(const void *left, const void *right, void *context)
{
	const struct element *a = left, *b = right;

	(*(size_t *)context)++;
	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	if (a->second != b->second)
		return a->second < b->second ? -1 : 1;
	return (a->third > b->third) - (a->third < b->third);
}

/* As many as that, of which so many bits differ. Returns how often two were compared. */
static size_t check(size_t n, unsigned low, unsigned bits)
{
	static struct element elements[MOST], expected[MOST];
	size_t calls = 0, unused = 0;

	for (size_t i = 0; i < n; i++) {
		uint64_t some = (uint64_t)rand() << 33 ^ (uint64_t)rand() << 11 ^ (uint64_t)rand();

		some = bits ? some >> (64 - bits) << low : 0;
		elements[i] = (struct element){UINT64_C(0x400000) ^ some, (unsigned)rand() % 4,
					       (unsigned)i};
	}
	memcpy(expected, elements, sizeof(elements));
	qsort_r(expected, n, sizeof(*expected), compare, &unused);
	cr_assert_eq(address_sort(elements, sizeof(*elements), n, compare, &calls), 0);
	cr_assert(!memcmp(elements, expected, n * sizeof(*elements)), "%zu elements of %u bits", n,
		  bits);
	return calls;
}

Test(address_sort, any_number_of_any_bits)
{
	static const size_t sizes[] = {0, 1, 2, 5, 127, 128, 129, 1000, MOST};

	srand(5);
	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++)
		for (unsigned bits = 0; bits <= 64; bits++)
			check(sizes[i], bits < 40 ? (unsigned)rand() % (64 - bits) : 0, bits);
}

Test(address_sort, what_differs_is_not_compared)
{
	srand(6);
	cr_assert_lt(check(MOST, 0, 64), 10);
}

Test(address_sort, what_is_in_order_stays)
{
	uint64_t elements[MOST];
	size_t calls = 0;

	for (size_t i = 0; i < MOST; i++)
		elements[i] = i << 20;
	cr_assert_eq(address_sort(elements, sizeof(*elements), MOST, compare, &calls), 0);
	for (size_t i = 0; i < MOST; i++)
		cr_assert_eq(elements[i], i << 20);
	cr_assert_eq(calls, 0);
}

/* Whichever allocation fails, either that is said, or the elements are in order. */
Test(address_sort, scarce_memory_is_an_error)
{
	bool has_failed = MEMORY_CAN_BE_SCARCE;
	uint64_t elements[MOST];
	size_t calls = 0;

	for (size_t k = 0; has_failed; k++) {
		int rc;

		for (size_t i = 0; i < MOST; i++)
			elements[i] = (MOST - i) << 20;
		scarce_begin(k);
		rc = address_sort(elements, sizeof(*elements), MOST, compare, &calls);
		has_failed = scarce_end();
		cr_assert_eq(rc != 0, has_failed);
		cr_assert_eq(memory.held, 0);
		for (size_t i = 1; rc == 0 && i < MOST; i++)
			cr_assert_lt(elements[i - 1], elements[i]);
	}
}

/* ---- address ranges -------------------------------------------------------------------------- */
/* Of ranges that nest, overlap and repeat, each address has the one that is meant. */

struct range {
	uint64_t start, end;
	unsigned worth; /* of equal ranges the highest is meant */
};

static int address_ranges_compare(const void *left, const void *right)
{
	const struct range *a = left, *b = right;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	if (a->end != b->end)
		return a->end > b->end ? -1 : 1;
	return (a->worth > b->worth) - (a->worth < b->worth);
}

/* The last one that covers the address, by looking at all. */
static uint32_t meant(const struct range *ranges, uint32_t n, uint64_t address)
{
	for (uint32_t i = n; i-- > 0;)
		if (ranges[i].start <= address && address < ranges[i].end)
			return i;
	return ADDRESS_RANGES_NONE;
}

static void address_ranges_check(struct range *ranges, uint32_t n, uint64_t from, uint64_t to)
{
	struct address_ranges p;

	qsort(ranges, n, sizeof(*ranges), address_ranges_compare);
	cr_assert_eq(address_ranges_cut(&p, ranges, sizeof(*ranges), n), 0);
	for (uint64_t a = from; a != to; a++)
		cr_assert_eq(address_ranges_find(&p, a), meant(ranges, n, a), "at %lu of %u ranges",
			     (unsigned long)a, n);
	address_ranges_clear(&p);
	cr_assert_eq(address_ranges_find(&p, from), ADDRESS_RANGES_NONE);
}

/* So many that they are found by stretches of addresses, which may be next to empty, or whole. */
Test(address_ranges, many_ranges_however_far_apart)
{
	struct range ranges[300];
	struct address_ranges p;

	srand(18);
	for (int round = 0; round < 200; round++) {
		uint32_t n = 100 + (uint32_t)rand() % 200;
		unsigned bits = 1 + (unsigned)rand() % 63;

		for (uint32_t i = 0; i < n; i++) {
			uint64_t some = ((uint64_t)rand() << 33 ^ (uint64_t)rand() << 5) >> bits;

			ranges[i].start = i % 4 ? 5000 + some : 1 + (uint64_t)rand() % 10000;
			ranges[i].end = ranges[i].start + 1 + (uint64_t)rand() % 1000;
			ranges[i].worth = 0;
		}
		qsort(ranges, n, sizeof(*ranges), address_ranges_compare);
		cr_assert_eq(address_ranges_cut(&p, ranges, sizeof(*ranges), n), 0);
		for (uint32_t i = 0; i < 4 * n; i++) {
			uint64_t edge = i % 2 ? ranges[i / 4].start : ranges[i / 4].end;
			uint64_t a = edge + (uint64_t)(i % 3) - 1;

			cr_assert_eq(address_ranges_find(&p, a), meant(ranges, n, a));
		}
		cr_assert_eq(address_ranges_find(&p, 0), ADDRESS_RANGES_NONE);
		cr_assert_eq(address_ranges_find(&p, UINT64_MAX), ADDRESS_RANGES_NONE);
		address_ranges_clear(&p);
	}
}

Test(address_ranges, random_ranges)
{
	struct range ranges[24];

	srand(17);
	for (int round = 0; round < 3000; round++) {
		uint32_t n = (uint32_t)rand() % 24;

		for (uint32_t i = 0; i < n; i++) {
			ranges[i].start = 100 + (uint64_t)rand() % 40;
			ranges[i].end = ranges[i].start + 1 + (uint64_t)rand() % 20;
			ranges[i].worth = (unsigned)rand() % 3;
		}
		address_ranges_check(ranges, n, 90, 170);
	}
}

Test(address_ranges, ends_of_the_address_space)
{
	struct range ranges[] = {
		{0, UINT64_MAX, 0}, {UINT64_MAX - 5, UINT64_MAX, 0}, {0, 3, 0}, {1, 2, 0}};

	address_ranges_check(ranges, 4, UINT64_MAX - 9, UINT64_MAX);
	address_ranges_check(ranges, 4, 0, 10);
}

Test(address_ranges, none)
{
	struct address_ranges p;

	cr_assert_eq(address_ranges_cut(&p, NULL, 16, 0), 0);
	cr_assert_eq(address_ranges_find(&p, 0), ADDRESS_RANGES_NONE);
	cr_assert_eq(address_ranges_find(&p, UINT64_MAX), ADDRESS_RANGES_NONE);
	address_ranges_clear(&p);
}

/* ---- symbol table ---------------------------------------------------------------------------- */
/* Of the symbols that cover an address the right one is meant. */

/* A table whose names are the words of `names`. */
static void start(struct symbol_table *t, const char *names)
{
	memset(t, 0, sizeof(*t));
	t->n_sources = 1;
	t->sources[0].bytes = strlen(names);
	t->sources[0].names = (unsigned char *)strdup(names);
	for (unsigned char *p = t->sources[0].names; *p; p++)
		*p = *p == ' ' ? '\0' : *p;
}

static void add(struct symbol_table *t, uint64_t from, uint64_t to, uint32_t text,
		unsigned char rank)
{
	struct symbol s = {
		.start = from, .end = to, .text = text, .rank = rank, .name = STRINGS_NONE};

	cr_assert_eq(symbol_table_add(t, &s), 0);
}

static const char *at(const struct symbol_table *t, uint64_t address)
{
	static char text[64];
	const struct symbol *s = symbol_table_covering(t, address);
	size_t n;

	if (!s)
		return "";
	snprintf(text, sizeof(text), "%s", symbol_table_text(t, s, &n));
	text[n] = '\0';
	return text;
}

Test(symbol_table, nothing)
{
	struct symbol_table t = {0};

	cr_assert_eq(symbol_table_finish(&t), 0);
	cr_assert_null(symbol_table_covering(&t, 0));
	cr_assert_null(symbol_table_label(&t, 0));
	symbol_table_free(&t);
}

Test(symbol_table, the_innermost_is_meant)
{
	struct symbol_table t;

	start(&t, "outer inner late");
	add(&t, 150, 250, 12, 0);
	add(&t, 120, 130, 6, 0);
	add(&t, 100, 200, 0, 0);
	cr_assert_eq(symbol_table_finish(&t), 0);
	cr_assert_str_eq(at(&t, 99), "");
	cr_assert_str_eq(at(&t, 100), "outer");
	cr_assert_str_eq(at(&t, 120), "inner");
	cr_assert_str_eq(at(&t, 130), "outer");
	cr_assert_str_eq(at(&t, 150), "late");
	cr_assert_str_eq(at(&t, 249), "late");
	cr_assert_str_eq(at(&t, 250), "");
	symbol_table_free(&t);
}

/* The better of two names for one range, whichever comes first in the file. */
static void prefer(const char *better, unsigned char better_rank, const char *worse,
		   unsigned char worse_rank)
{
	char names[128];

	snprintf(names, sizeof(names), "%s %s", better, worse);
	for (int turn = 0; turn < 2; turn++) {
		struct symbol_table t;
		uint32_t second = (uint32_t)strlen(better) + 1;

		start(&t, names);
		add(&t, 10, 20, turn ? second : 0, turn ? worse_rank : better_rank);
		add(&t, 10, 20, turn ? 0 : second, turn ? better_rank : worse_rank);
		add(&t, 30, 30, turn ? second : 0, turn ? worse_rank : better_rank);
		add(&t, 30, 30, turn ? 0 : second, turn ? better_rank : worse_rank);
		cr_assert_eq(symbol_table_finish(&t), 0);
		cr_assert_eq(symbol_table_covering(&t, 15)->text, 0, "%s before %s", better, worse);
		cr_assert_eq(symbol_table_label(&t, 30)->text, 0);
		cr_assert_null(symbol_table_label(&t, 29));
		cr_assert_null(symbol_table_label(&t, 31));
		symbol_table_free(&t);
	}
}

Test(symbol_table, equal_ranges)
{
	prefer("_long_name", 8, "a", 5);
	prefer("_long_name", 5, "a", 3);
	prefer("_long_name", 2, "a", 0);
	prefer("longer", 4, "_a", 5);
	prefer("longer", 5, "a", 4);
	prefer("longer", 0, "_a", 0);
	prefer("_longer", 0, "__a", 0);
	prefer("ab", 0, "abc", 0);
	prefer("ab", 0, "ac", 0);
	prefer("ab@@V_1", 0, "abc", 0);
}

Test(symbol_table, marks_and_strays_are_no_symbols)
{
	struct symbol_table t;

	start(&t, "$x $d.1 .L5 $dollar f");
	for (uint32_t text = 0; text < 40; text++)
		add(&t, text, text + 1, text, 0);
	cr_assert_eq(symbol_table_finish(&t), 0);
	cr_assert_str_eq(at(&t, 0), "", "$x");
	cr_assert_str_eq(at(&t, 2), "", "the end of a name");
	cr_assert_str_eq(at(&t, 3), "", "$d.1");
	cr_assert_str_eq(at(&t, 8), "", ".L5");
	cr_assert_str_eq(at(&t, 12), "$dollar");
	cr_assert_str_eq(at(&t, 20), "f");
	cr_assert_str_eq(at(&t, 21), "", "behind the names");
	symbol_table_free(&t);
}

Test(symbol_table, versions_are_cut)
{
	struct symbol_table t;
	const char *names = "memcpy@@GLIBC_2.14 f@V @odd";

	start(&t, names);
	add(&t, 0, 1, 0, 0);
	add(&t, 1, 2, 19, 0);
	add(&t, 2, 3, 23, 0);
	cr_assert_eq(symbol_table_finish(&t), 0);
	cr_assert_str_eq(at(&t, 0), "memcpy");
	cr_assert_str_eq(at(&t, 1), "f");
	cr_assert_str_eq(at(&t, 2), "@odd");
	symbol_table_free(&t);
}

/* The rule, by a plain search: the last to start, then the first to end. */
static const struct symbol *symbol_table_meant(const struct symbol *all, size_t n, uint64_t address)
{
	const struct symbol *best = NULL;

	for (size_t i = 0; i < n; i++) {
		if (address < all[i].start || address >= all[i].end)
			continue;
		if (!best || all[i].start > best->start ||
		    (all[i].start == best->start && all[i].end < best->end))
			best = &all[i];
	}
	return best;
}

Test(symbol_table, as_a_plain_search_finds)
{
	struct symbol all[40];

	srand(1);
	for (int round = 0; round < 2000; round++) {
		size_t n = (size_t)(rand() % 40);
		struct symbol_table t;

		start(&t, "f");
		for (size_t i = 0; i < n; i++) {
			all[i].start = (uint64_t)(rand() % 60);
			all[i].end = all[i].start + 1 + (uint64_t)(rand() % (round % 50 + 1));
			add(&t, all[i].start, all[i].end, 0, 0);
		}
		cr_assert_eq(symbol_table_finish(&t), 0);
		for (uint64_t a = 0; a < 120; a++) {
			const struct symbol *wanted = symbol_table_meant(all, n, a);
			const struct symbol *got = symbol_table_covering(&t, a);

			cr_assert_eq(!wanted, !got, "round %d, address %" PRIu64, round, a);
			cr_assert(!got || (got->start == wanted->start && got->end == wanted->end),
				  "round %d, address %" PRIu64, round, a);
		}
		symbol_table_free(&t);
	}
}
