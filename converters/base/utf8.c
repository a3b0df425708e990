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

/* Code points that have no shape of their own, or change the order of others: the first and the last of each range, as
 * in page/text.js. */
static const uint32_t unseen[][2] = {
	{0x0, 0x1f},	  {0x7f, 0x9f},	    {0xad, 0xad},     {0x61c, 0x61c},	{0x115f, 0x1160},
	{0x17b4, 0x17b5}, {0x180e, 0x180e}, {0x200b, 0x200f}, {0x2028, 0x202f}, {0x2060, 0x206f},
	{0x3164, 0x3164}, {0xfeff, 0xfeff}, {0xffa0, 0xffa0}, {0xfff9, 0xfffc}, {0xe0000, 0xe0fff},
};

uint32_t utf8_code(const char *text, size_t length)
{
	uint32_t code = (unsigned char)text[0];

	if (length > 1)
		code &= 0x7fu >> length;
	for (size_t i = 1; i < length; i++)
		code = code << 6 | ((unsigned char)text[i] & 0x3f);
	return code;
}

size_t utf8_control_length(const char *text, size_t n)
{
	size_t length;
	uint32_t code;

	if (text[0] >= ' ' && text[0] < 0x7f)
		return 0;
	length = utf8_length(text, n);
	if (!length)
		return 0;
	code = utf8_code(text, length);
	for (size_t i = 0; i < sizeof(unseen) / sizeof(*unseen); i++)
		if (code >= unseen[i][0] && code <= unseen[i][1])
			return length;
	return 0;
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
