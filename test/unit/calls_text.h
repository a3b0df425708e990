/* SPDX-License-Identifier: MIT */
/*
 * calls_text.h - what decoders of call graphs make of a text.
 */
#ifndef CALLS_TEXT_H
#define CALLS_TEXT_H

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "event_log.h"
#include "stream_writer.h"

/* Exactly these selfs and calls, as lines of event_log.h; a whole file, or one that was cut. */
static void expect_calls(const char *text, const char *lines, bool was_cut)
{
	struct event_log log;
	struct bytes seen = {0};

	cr_assert_eq(event_log_decode_bytes(&log, text, strlen(text)), 0, "%s", log.text);
	cr_assert(!strstr(log.text, "BROKEN"), "%s", log.text);
	cr_assert_eq(log.was_cut, was_cut, "%s", log.text);
	for (char *line = strtok(log.text, "\n"); line; line = strtok(NULL, "\n")) {
		if (strncmp(line, "self", 4) != 0 && strncmp(line, "call", 4) != 0)
			continue;
		bytes_put(&seen, line, strlen(line));
		bytes_byte(&seen, '\n');
	}
	bytes_byte(&seen, '\0');
	cr_assert_str_eq((char *)seen.at, lines);
	bytes_free(&seen);
	event_log_free(&log);
}

__attribute__((unused)) static void expect(const char *text, const char *lines)
{
	expect_calls(text, lines, false);
}

__attribute__((unused)) static void expect_cut(const char *text, const char *lines)
{
	expect_calls(text, lines, true);
}

/* The log has this line, or a part of one. */
__attribute__((unused)) static void expect_log(const char *text, const char *part)
{
	struct event_log log;

	cr_assert_eq(event_log_decode_bytes(&log, text, strlen(text)), 0, "%s", log.text);
	cr_assert(strstr(log.text, part), "%s", log.text);
	event_log_free(&log);
}

__attribute__((unused)) static void refuse(const char *text, const char *message)
{
	struct event_log log;

	cr_assert_eq(event_log_decode_bytes(&log, text, strlen(text)), -1, "%s", log.text);
	cr_assert(strstr(log.text, message), "%s", log.text);
	event_log_free(&log);
}

#endif
