/* SPDX-License-Identifier: MIT */
/*
 * path_name.h - function names inside "a;b;c", where a semicolon separates.
 *
 * Show room. In: a name of any bytes. Out: a name that cannot break the line.
 */
#ifndef PATH_NAME_H
#define PATH_NAME_H

#include <stddef.h>

/* Copy with ';' as ':' and control characters as '?'. The length stays. */
void path_name_copy(char *to, const char *from, size_t n);

/* One byte of it. */
static inline char path_name_byte(char byte)
{
	unsigned char c = (unsigned char)byte;

	return (char)(c == ';' ? ':' : c < ' ' || c == 0x7f ? '?' : c);
}

#endif
