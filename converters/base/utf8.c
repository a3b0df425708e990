/* SPDX-License-Identifier: MIT */
/*
 * utf8.c - distinguishes UTF-8 from other bytes.
 */
#include "base/utf8.h"

#include <string.h>

size_t utf8_length(const char *text, size_t n)
{
	const unsigned char *s = (const unsigned char *)text;
	unsigned char low = 0x80, high = 0xbf;
	size_t length = s[0] < 0x80 ? 1 : s[0] < 0xc2 ? 0 : s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : 4;
	size_t i;

	if (length == 0 || length > n || s[0] > 0xf4)
		return 0;
	/* The range of the second byte excludes overlong forms, surrogates and code points above
	 * U+10FFFF. */
	low = s[0] == 0xe0 ? 0xa0 : s[0] == 0xf0 ? 0x90 : low;
	high = s[0] == 0xed ? 0x9f : s[0] == 0xf4 ? 0x8f : high;
	for (i = 1; i < length; i++) {
		if (s[i] < low || s[i] > high)
			return 0;
		low = 0x80;
		high = 0xbf;
	}
	return length;
}

size_t utf8_control_length(const char *text, size_t n)
{
	const unsigned char *s = (const unsigned char *)text;

	if (s[0] < ' ' || s[0] == 0x7f)
		return 1;
	return s[0] == 0xc2 && n > 1 && s[1] >= 0x80 && s[1] <= 0x9f ? 2 : 0;
}

void utf8_clean(char *text)
{
	size_t length, n = strlen(text);

	for (; n; text += length, n -= length) {
		length = utf8_control_length(text, n);
		memset(text, '?', length);
		if (!length)
			length = 1;
	}
}
