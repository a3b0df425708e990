/* SPDX-License-Identifier: MIT */
/*
 * line.c - says something to the user, on a terminal in lines of 80 columns.
 */
#include "base/line.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/utf8.h"

#define COLUMNS 80

/* Each character of UTF-8 counts as one. */
static size_t columns_of(const char *text, size_t bytes)
{
	size_t n = 0;

	for (size_t i = 0; i < bytes; i++)
		n += ((unsigned char)text[i] & 0xc0) != 0x80;
	return n;
}

void line_break(char *lines, const char *text)
{
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
	lines[used] = '\0';
}

/* Several processes may say something at a time, so that it is written at once. */
void line_say(const char *format, ...)
{
	char text[LINE_TEXT_BYTES], lines[LINE_BYTES + 1];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	utf8_clean(text);
	if (isatty(STDERR_FILENO))
		line_break(lines, text);
	else
		strcpy(lines, text);
	strcat(lines, "\n");
	fputs(lines, stderr);
}
