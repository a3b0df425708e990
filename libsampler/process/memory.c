/* SPDX-License-Identifier: MIT */
/*
 * memory.c - the C library's memory and string functions, written again for the recorder alone.
 *
 * In: as in C. Out: as in C. A program or a library may have functions of these names, and a
 * sanitizer does. They come before the C library's, and check what they are given. In the handler
 * that would report races in our buffers that are none, and would enter a runtime that has just
 * been interrupted. The functions here are hidden, and are linked into libcpsample.so only, so that
 * our calls, and those of zlib, end here (doc/decisions/0007). The empty asm keeps the compiler
 * from replacing a loop by a call of the function that it is in.
 */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "arch/arch.h"

#define OURS	__attribute__((visibility("hidden")))
#define KEEP(p) __asm__ volatile("" : "+r"(p) : : "memory")

enum { LONG = 128 };

OURS void *memcpy(void *restrict to, const void *restrict from, size_t n)
{
	unsigned char *t = to;
	const unsigned char *f = from;

	if (n >= LONG) {
		cps_long_copy(t, f, n);
		return to;
	}
	for (; n >= 8; n -= 8, t += 8, f += 8) {
		__builtin_memcpy(t, f, 8);
		KEEP(t);
	}
	while (n--) {
		*t++ = *f++;
		KEEP(t);
	}
	return to;
}

OURS void *memmove(void *to, const void *from, size_t n)
{
	unsigned char *t = to;
	const unsigned char *f = from;

	if ((uintptr_t)t - (uintptr_t)f >= n)
		return memcpy(to, from, n);
	for (uint64_t word; n >= 8; n -= 8) {
		__builtin_memcpy(&word, f + n - 8, 8);
		__builtin_memcpy(t + n - 8, &word, 8);
		KEEP(t);
	}
	while (n--) {
		t[n] = f[n];
		KEEP(t);
	}
	return to;
}

OURS void *memset(void *to, int c, size_t n)
{
	cps_long_fill(to, c, n);
	return to;
}

OURS int memcmp(const void *a, const void *b, size_t n)
{
	const unsigned char *x = a, *y = b;

	for (; n; n--, x++, y++) {
		if (*x != *y)
			return *x - *y;
		KEEP(x);
	}
	return 0;
}

OURS size_t strnlen(const char *text, size_t most)
{
	size_t n = 0;

	while (n < most && text[n]) {
		n++;
		KEEP(n);
	}
	return n;
}

OURS size_t strlen(const char *text)
{
	return strnlen(text, SIZE_MAX);
}

OURS int strcmp(const char *a, const char *b)
{
	while (*a && *a == *b) {
		a++;
		b++;
		KEEP(a);
	}
	return (unsigned char)*a - (unsigned char)*b;
}
