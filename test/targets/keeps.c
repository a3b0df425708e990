/* SPDX-License-Identifier: MIT */
/*
 * keeps.c - frees a part of what it allocates.
 *
 * keeps N [kill]: `keep` gets N blocks of 1000 bytes, of which half are freed; `drop` gets N of 3000 bytes, all of
 * which are freed; and `grow` reallocates one block N times. With `kill` it is killed
 * then. Ends with 5.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void release(void *block)
{
	__asm__ volatile("" : "+r"(block) : : "memory");
	free(block);
}

static void *keep(void)
{
	return malloc(1000);
}

static void drop(void)
{
	release(malloc(3000));
}

static void *grow(void *block, size_t i)
{
	return realloc(block, 2000 + i % 100 * 40);
}

int main(int argc, char **argv)
{
	size_t n = argc > 1 ? strtoul(argv[1], NULL, 10) : 1;
	void **kept = calloc(n, sizeof(*kept)), *block = NULL;

	for (size_t i = 0; kept && i < n; i++) {
		kept[i] = keep();
		drop();
		block = grow(block, i);
	}
	for (size_t i = 0; kept && i < n; i += 2)
		release(kept[i]);
	release(block);
	if (argc > 2 && strcmp(argv[2], "kill") == 0)
		raise(SIGKILL);
	return 5;
}
