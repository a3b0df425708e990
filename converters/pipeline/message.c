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

#include "base/utf8.h"
#include "pipeline/progress.h"

static const char *program = "cpconv";

void message_program(const char *name)
{
	program = name;
}

void message(const char *format, ...)
{
	char *text = NULL;
	va_list args;

	progress_end();
	va_start(args, format);
	if (vasprintf(&text, format, args) >= 0) {
		utf8_clean(text); /* it may have names of files */
		fprintf(stderr, "%s: %s\n", program, text);
		free(text);
	}
	va_end(args);
}
