/* SPDX-License-Identifier: MIT */
/*
 * dot_text.c - writes quoted strings of the DOT language.
 *
 * Show room. In: names of any bytes. Out: a double-quoted string that Graphviz accepts.
 */
#include "dot_text.h"

#include <stdarg.h>
#include <stdio.h>

/* Bytes of the UTF-8 sequence that begins here, 0 if it is none (RFC 3629). */
static size_t utf8_length(const unsigned char *s, size_t n)
{
	unsigned char low = 0x80, high = 0xbf;
	size_t length = s[0] < 0x80 ? 1 : s[0] < 0xc2 ? 0 : s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : 4;
	size_t i;

	if (length == 0 || length > n || s[0] > 0xf4)
		return 0;
	/* Overlong forms, surrogates and what lies beyond U+10FFFF show in the second byte. */
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

static void write_escaped(struct out *o, const char *bytes, size_t n)
{
	size_t i = 0;

	while (i < n) {
		unsigned char c = (unsigned char)bytes[i];
		size_t length = utf8_length((const unsigned char *)bytes + i, n - i);

		if (c == '"' || c == '\\')
			out_text(o, "\\");
		if (c < ' ' || c == 0x7f || length == 0) {
			out_format(o, "\\\\x%02x", c);
			length = 1;
		} else {
			out_bytes(o, bytes + i, length);
		}
		i += length;
	}
}

void dot_quote(struct out *o, const struct strings *s, uint32_t name, const char *format, ...)
{
	const char *bytes;
	char more[256];
	va_list args;
	size_t n;

	bytes = strings_get(s, name, &n);
	out_text(o, "\"");
	write_escaped(o, bytes, n);
	if (format) {
		va_start(args, format);
		vsnprintf(more, sizeof(more), format, args);
		va_end(args);
		out_text(o, more);
	}
	out_text(o, "\"");
}
