/* SPDX-License-Identifier: MIT */
/*
 * dot_text.c - writes quoted strings of the DOT language.
 *
 * In: names of any bytes. Out: a double-quoted string that Graphviz accepts.
 */
#include "write/dot_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "write/caption.h"

#define LINE_MOST 96 /* bytes of a line of a label; a longer one makes the whole picture wide */
#define LINE_END  48 /* of these, at its end, where figures are */

void dot_text_escape(struct out *o, const char *bytes, size_t n)
{
	size_t i = 0;

	while (i < n) {
		unsigned char c = (unsigned char)bytes[i];
		size_t length = utf8_length(bytes + i, n - i);

		if (c == '"' || c == '\\')
			out_text(o, "\\");
		if (utf8_control_length(bytes + i, n - i) || length == 0) {
			length = length ? length : 1;
			for (size_t k = i; k < i + length; k++)
				out_format(o, "\\\\x%02x", (unsigned char)bytes[k]);
		} else {
			out_bytes(o, bytes + i, length);
		}
		i += length;
	}
}

void dot_text_quote(struct out *o, const struct strings *s, uint32_t name)
{
	size_t n;
	const char *bytes = strings_get(s, name, &n);

	out_text(o, "\"");
	dot_text_escape(o, bytes, n);
	out_text(o, "\"");
}

/* Write a line of a label. The middle of a long one is left out, between two characters. */
static void write_line(struct out *o, const char *bytes, size_t n)
{
	size_t begin = n, end = n;

	if (n > LINE_MOST) {
		begin = LINE_MOST - LINE_END - strlen(" ... ");
		end = n - LINE_END;
	}
	while (begin && begin < n && ((unsigned char)bytes[begin] & 0xc0) == 0x80)
		begin--;
	while (end < n && ((unsigned char)bytes[end] & 0xc0) == 0x80)
		end++;
	dot_text_escape(o, bytes, begin);
	out_text(o, begin < n ? " ... " : "");
	dot_text_escape(o, bytes + end, n - end);
	out_text(o, "\\l");
}

int dot_text_parts(struct out *o, const char *before, const struct view_input *in,
		   struct error *err)
{
	struct out *text = out_open_memory(err);
	char *lines;
	size_t n;

	if (!text)
		return -1;
	caption_parts(text, in);
	lines = out_take(text, &n, err);
	if (!lines)
		return -1;
	if (n)
		out_text(o, before);
	for (char *line = lines, *end; (end = strchr(line, '\n')); line = end + 1)
		write_line(o, line, (size_t)(end - line));
	free(lines);
	return 0;
}

/* ---- times ----------------------------------------------------------------------------------- */

#define DIGITS_MOST 99

/* What is between per cent sign and letter. */
struct conversion {
	int width, precision; /* precision -1: none is given */
	char letter;
};

/* Read a number below 100, or none. */
static const char *read_digits(const char *at, int *number)
{
	for (*number = 0; *at >= '0' && *at <= '9' && *number <= DIGITS_MOST; at++)
		*number = *number * 10 + (*at - '0');
	return at;
}

/* Read "%12.3f", which begins at `at`. Returns what is behind it; NULL: it is something else. */
static const char *read_conversion(const char *at, struct conversion *c)
{
	*c = (struct conversion){.precision = -1};
	at = read_digits(at + 1, &c->width);
	if (*at == '.')
		at = read_digits(at + 1, &c->precision);
	c->letter = *at;
	return c->width <= DIGITS_MOST && c->precision <= DIGITS_MOST && *at && strchr("efg", *at)
		       ? at + 1
		       : NULL;
}

bool dot_text_is_time(const char *format)
{
	struct conversion c;
	size_t n = 0;

	while (*format) {
		if (*format != '%') {
			format++;
			continue;
		}
		n += format[1] != '%';
		format = format[1] == '%' ? format + 2 : read_conversion(format, &c);
		if (!format)
			return false;
	}
	return n == 1;
}

static void write_seconds(struct out *o, const struct conversion *c, double seconds)
{
	char text[512];

	if (c->letter == 'e')
		snprintf(text, sizeof(text), "%*.*e", c->width, c->precision, seconds);
	else if (c->letter == 'f')
		snprintf(text, sizeof(text), "%*.*f", c->width, c->precision, seconds);
	else
		snprintf(text, sizeof(text), "%*.*g", c->width, c->precision, seconds);
	out_text(o, text);
}

void dot_text_time(struct out *o, const char *format, double seconds)
{
	struct conversion c;

	while (*format) {
		size_t n = strcspn(format, "%");

		dot_text_escape(o, format, n);
		format += n;
		if (*format && format[1] == '%') {
			out_text(o, "%");
			format += 2;
		} else if (*format) {
			format = read_conversion(format, &c);
			write_seconds(o, &c, seconds);
		}
	}
}
