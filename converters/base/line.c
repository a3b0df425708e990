/* SPDX-License-Identifier: MIT */
/*
 * line.c - breaks what is said to the user at 80 columns.
 */
#include "base/line.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"

#define COLUMNS	   80
#define TEXT_BYTES 8192

/* Each character of UTF-8 counts as one. */
static size_t columns_of(const char *text, size_t bytes)
{
	size_t n = 0;

	for (size_t i = 0; i < bytes; i++)
		n += ((unsigned char)text[i] & 0xc0) != 0x80;
	return n;
}

/* It is written at once, since several processes may say something at a time. */
static void print(const char *text)
{
	char lines[TEXT_BYTES * 3];
	size_t used = 0, column = 0;

	for (const char *word = text; *word;) {
		size_t gap = strspn(word, " "), bytes = gap + strcspn(word + gap, " ");

		if (column && gap && column + columns_of(word, bytes) > COLUMNS) {
			memcpy(lines + used, "\n ", 2);
			used += 2;
			column = 1;
			word += gap - 1; /* the second space */
			bytes -= gap - 1;
		}
		memcpy(lines + used, word, bytes);
		used += bytes;
		column += columns_of(word, bytes);
		word += bytes;
	}
	lines[used++] = '\n';
	fwrite(lines, 1, used, stderr);
}

void line_say(const char *format, ...)
{
	char text[TEXT_BYTES];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	utf8_clean(text);
	print(text);
}
