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

#include "pipeline/progress.h"

static const char *program = "cpconv";

void message_program(const char *name)
{
	program = name;
}

void message(const char *format, ...)
{
	va_list args;

	progress_end();
	fprintf(stderr, "%s: ", program);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
}
