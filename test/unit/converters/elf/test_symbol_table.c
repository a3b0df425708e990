/* SPDX-License-Identifier: MIT */
/*
 * test_symbol_table.c - of the symbols that cover an address the right one is meant.
 */
#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "elf/symbol_table.h"

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
static const struct symbol *meant(const struct symbol *all, size_t n, uint64_t address)
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
			const struct symbol *wanted = meant(all, n, a);
			const struct symbol *got = symbol_table_covering(&t, a);

			cr_assert_eq(!wanted, !got, "round %d, address %" PRIu64, round, a);
			cr_assert(!got || (got->start == wanted->start && got->end == wanted->end),
				  "round %d, address %" PRIu64, round, a);
		}
		symbol_table_free(&t);
	}
}
