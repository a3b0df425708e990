/* SPDX-License-Identifier: MIT */
/*
 * message.c - writes messages to standard error, each on a line that begins with the program's
 * name.
 *
 * In: a text. Out: "PROGRAM: TEXT" on standard error.
 */
#include "pipeline/message.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "pipeline/progress.h"

#define COLUMNS 80u

static const char *program = "cpconv";
static bool is_mute;

void message_program(const char *name)
{
	program = name;
}

void message_mute(bool mute)
{
	is_mute = mute;
}

void message(const char *format, ...)
{
	char *text = NULL;
	va_list args;

	if (is_mute)
		return;
	progress_end();
	va_start(args, format);
	if (vasprintf(&text, format, args) >= 0) {
		utf8_clean(text); /* it may have names of files */
		fprintf(stderr, "%s: %s\n", program, text);
		free(text);
	}
	va_end(args);
}

/* How many bytes the next name of a list has, with the blank before it and the comma behind it. */
static size_t name_bytes(const char *list)
{
	const char *comma = strstr(list, ", ");

	return comma ? (size_t)(comma + 1 - list) : strlen(list);
}

/* Write the list with lines of 80 columns, of which the first has some text already. */
static void write_list(const char *list, size_t column)
{
	for (size_t n; *list; list += n) {
		n = name_bytes(list);
		if (column + n > COLUMNS) {
			fputs("\n ", stderr);
			column = 1;
		}
		fwrite(list, 1, n, stderr);
		column += n;
	}
}

void message_error(const struct error *err)
{
	size_t n = err->list;

	if (!n) {
		message("%s", err->text);
		return;
	}
	progress_end();
	fprintf(stderr, "%s: %.*s", program, (int)n, err->text);
	write_list(err->text + n, strlen(program) + strlen(": ") + n);
	fputc('\n', stderr);
}
