/* SPDX-License-Identifier: MIT */
/*
 * memory.c - the C library's memory and string functions, once more, for the recorder alone.
 *
 * Goes into libcpsample.so only. A program or a library may have such functions of its
 * own, and a sanitizer does: they come before the C library's, and look at what they are given. In
 * the handler that gives races in our buffers which are none, and enters a runtime that has just
 * been interrupted. Hidden, so that our calls, and those of zlib, end here. The empty asm keeps the
 * compiler from making a call of the function out of its loop.
 */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define OURS	__attribute__((visibility("hidden")))
#define KEEP(p) __asm__ volatile("" : "+r"(p) : : "memory")

enum { LONG = 128 };

OURS void *memcpy(void *restrict to, const void *restrict from, size_t n)
{
	unsigned char *t = to;
	const unsigned char *f = from;

	if (n >= LONG) {
		__asm__ volatile("rep movsb" : "+D"(t), "+S"(f), "+c"(n) : : "memory");
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
	unsigned char *t = to;

	__asm__ volatile("rep stosb" : "+D"(t), "+c"(n) : "a"(c) : "memory");
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
