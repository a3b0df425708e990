/* SPDX-License-Identifier: MIT */
/*
 * test_suggest.c - how far random names are from each other is what the definition says.
 *
 * Seen to fail: with the limit on edits, the length from which on they are not counted, and the
 * least length of a part of a name changed by one.
 */
#include <criterion/criterion.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "graph/function_names.h"

#define LONGEST 64 /* in longer names edits are not counted */

static unsigned below(unsigned n)
{
	return (unsigned)rand() % n;
}

static void random_name(char *name, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		name[i] = "abcABx"[below(6)];
	name[n] = '\0';
}

/* The fewest inserted, deleted, replaced bytes and swapped neighbours, by recursion. */
static unsigned edits(const char *a, const char *b)
{
	unsigned least, other;

	if (!*a || !*b)
		return (unsigned)(strlen(a) + strlen(b));
	if (*a == *b)
		return edits(a + 1, b + 1);
	least = edits(a + 1, b + 1);
	other = edits(a + 1, b);
	least = other < least ? other : least;
	other = edits(a, b + 1);
	least = other < least ? other : least;
	if (a[0] == b[1] && a[1] == b[0]) {
		other = edits(a + 2, b + 2);
		least = other < least ? other : least;
	}
	return least + 1;
}

static void is_as_defined(const char *wanted, const char *name)
{
	uint32_t got = suggest_distance(wanted, name);
	unsigned n = edits(wanted, name);

	if (!strcasecmp(wanted, name))
		cr_assert_eq(got, 0, "%s %s", wanted, name);
	else if (n <= 1 + strlen(wanted) / 4)
		cr_assert_eq(got, n, "%s %s", wanted, name);
	else if (*wanted && strcasestr(name, wanted))
		cr_assert(got > 1 + LONGEST / 4 && got < SUGGEST_FAR, "%s %s", wanted, name);
	else
		cr_assert_eq(got, SUGGEST_FAR, "%s %s", wanted, name);
}

Test(suggest, distances_are_as_defined)
{
	char wanted[8], name[16];

	srand(3);
	for (int i = 0; i < 20000; i++) {
		random_name(wanted, below(6));
		random_name(name, below(7));
		if (below(4) == 0) /* names that differ little, and longer ones */
			snprintf(name, sizeof(name), "%s%c%s", wanted, "aBx"[below(3)],
				 below(2) ? "ab" : "");
		is_as_defined(wanted, name);
	}
}

/* The definition is slow for long names; of these it is known what was changed. */
Test(suggest, long_names_may_have_more_edits)
{
	char wanted[LONGEST + 3], name[2 * LONGEST];

	srand(4);
	for (unsigned n = 1; n <= LONGEST + 2; n++) {
		bool counts = n <= LONGEST;
		unsigned allowed = 1 + n / 4, k;

		random_name(wanted, n);
		for (k = 1; k <= allowed + 1 && k <= n; k++) {
			strcpy(name, wanted);
			memset(name + n - k, '-',
			       k); /* replaces k bytes that are not in the alphabet */
			cr_assert_eq(suggest_distance(wanted, name),
				     counts && k <= allowed ? k : SUGGEST_FAR, "%u %u", n, k);
		}
		snprintf(name, sizeof(name), "%s--", wanted);
		if (n > LONGEST - 2)
			cr_assert(suggest_distance(wanted, name) > 1 + LONGEST / 4);
	}
}
