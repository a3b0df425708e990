/* SPDX-License-Identifier: MIT */
/*
 * path_name.c - makes a function name fit to stand between semicolons.
 *
 * Show room. In: a name of any bytes. Out: a name that cannot break the line.
 */
#include "write/path_name.h"

void path_name_copy(char *to, const char *from, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		to[i] = path_name_byte(from[i]);
}
