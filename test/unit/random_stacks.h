/* SPDX-License-Identifier: MIT */
/*
 * random_stacks.h - folded text of random stacks, for tests of what must hold of any profile.
 */
#ifndef RANDOM_STACKS_H
#define RANDOM_STACKS_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

/* The fewer names, the more recursion; the later ones are odd. */
static const char *const random_names[] = {
	"a", "b", "main", "c d", "x::y<int, char>(z*)", "\xc3\xa9", "[q]", " e ", "\xff", "a b",
};

#define RANDOM_NAMES (sizeof(random_names) / sizeof(random_names[0]))

/* `stacks` lines, up to `depth` frames each of the first n_names names; every fifth count is 0, and
 * with `huge` two of them are above 2^60. Seed with srand. free() it. */
__attribute__((unused)) static char *random_stacks(int stacks, int depth, int n_names, bool huge)
{
	char *text = NULL;
	size_t n = 0;
	FILE *f = open_memstream(&text, &n);
	int i, k;

	for (i = 0; i < stacks; i++) {
		unsigned long long count = (unsigned)i % 5 * ((unsigned)i % 7 + 1);

		for (k = rand() % depth; k >= 0; k--)
			fprintf(f, "%s%s", random_names[rand() % n_names], k ? ";" : "");
		if (huge && (i == 3 || i == 4))
			count += 1ull << 60;
		fprintf(f, " %llu\n", count);
	}
	fclose(f);
	return text;
}

#endif
