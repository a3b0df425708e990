/* SPDX-License-Identifier: MIT */
/*
 * stop.c - an error text, and the wish of the user that what is being done ends.
 */
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/stop.h"
#include "base/utf8.h"

/* ---- error ----------------------------------------------------------------------------------- */

static int error_write(struct error *err, size_t at, const char *format, va_list args)
{
	if (vsnprintf(err->text + at, sizeof(err->text) - at, format, args) < 0)
		err->text[at] = '\0';
	/* File names come from untrusted inputs, and must not be able to control the terminal. */
	utf8_clean(err->text + at);
	return -1;
}

int error_set(struct error *err, const char *format, ...)
{
	va_list args;

	err->is_usage = false;
	err->is_set = true;
	err->list = 0;
	va_start(args, format);
	error_write(err, 0, format, args);
	va_end(args);
	return -1;
}

int error_usage(struct error *err, const char *format, ...)
{
	va_list args;

	err->is_usage = true;
	err->is_set = true;
	err->list = 0;
	va_start(args, format);
	error_write(err, 0, format, args);
	va_end(args);
	return -1;
}

int error_append(struct error *err, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	error_write(err, strnlen(err->text, sizeof(err->text) - 1), format, args);
	va_end(args);
	return -1;
}

void error_list(struct error *err)
{
	size_t n = strnlen(err->text, sizeof(err->text) - 1);

	if (!err->list)
		err->list = (unsigned)(n && err->text[n - 1] == ' ' ? n - 1 : n);
}

int error_memory(struct error *err)
{
	return error_set(err, "out of memory");
}

/* ---- stop ------------------------------------------------------------------------------------ */

static volatile sig_atomic_t requested;

void stop_request(void)
{
	requested = 1;
}

void stop_forget(void)
{
	requested = 0;
}

bool stop_is_requested(void)
{
	return requested;
}

int stop_check(struct error *err)
{
	return requested ? error_set(err, "interrupted") : 0;
}
