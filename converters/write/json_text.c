/* SPDX-License-Identifier: MIT */
/*
 * json_text.c - writes texts as JSON has them (RFC 8259).
 *
 * In: any bytes. Out: strings of JSON.
 */
#include "write/json_text.h"

#include "base/utf8.h"

/* Beyond U+FFFF JSON has two surrogates. */
static void put_code(struct out *o, uint32_t code)
{
	if (code < 0x10000)
		out_format(o, "\\u%04x", code);
	else
		out_format(o, "\\u%04x\\u%04x", 0xd7c0 + (code >> 10), 0xdc00 + (code & 0x3ff));
}

void json_text(struct out *o, const char *text, size_t n)
{
	size_t i, length;

	out_text(o, "\"");
	for (i = 0; i < n; i += length) {
		unsigned char c = (unsigned char)text[i];

		length = utf8_length(text + i, n - i);
		if (length == 0) {
			out_format(o, "\\\\x%02x", c);
			length = 1;
		} else if (c == '"' || c == '\\') {
			out_format(o, "\\%c", c);
		} else if (utf8_control_length(text + i, n - i)) {
			put_code(o, utf8_code(text + i, length));
		} else {
			out_bytes(o, text + i, length);
		}
	}
	out_text(o, "\"");
}

void json_text_string(struct out *o, const struct strings *s, uint32_t number)
{
	size_t n = 0;
	const char *bytes = number == STRINGS_NONE ? "" : strings_get(s, number, &n);

	json_text(o, bytes, n);
}
