/* SPDX-License-Identifier: MIT */
/*
 * text_scan.c - splits a text input into lines.
 *
 * In: pieces of a file. Out: lines. A line that lies in one piece is not copied.
 */
#include "read/text_scan.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

void text_scan_clear(struct text_scan *s)
{
	free(s->carry);
	*s = (struct text_scan){0};
}

/* Keep the beginning of a line until the rest has come. */
static int carry_add(struct text_scan *s, const char *text, size_t n)
{
	if (!array_reserve(&s->carry, &s->carry_size, s->n_carry + n, 1))
		return error_memory(s->err);
	if (n)
		memcpy(s->carry + s->n_carry, text, n);
	s->n_carry += n;
	return 0;
}

/* The line consists of the bytes kept before, and of those before `stop`. */
static int line_set(struct text_scan *s, const char *stop, bool is_whole)
{
	s->is_whole = is_whole;
	s->at = s->piece;
	s->end = stop;
	if (s->n_carry) {
		if (carry_add(s, s->piece, (size_t)(stop - s->piece)))
			return -1;
		s->at = s->carry;
		s->end = s->carry + s->n_carry;
	}
	s->line_bytes = (size_t)(s->end - s->at) + s->is_whole;
	if (s->end > s->at && s->end[-1] == '\r')
		s->end--;
	s->number++;
	s->piece = stop + s->is_whole;
	return 1;
}

/* Take the next piece. 1: there is one, 0: the input is over, -1: error. */
static int piece_next(struct text_scan *s)
{
	const unsigned char *bytes;
	size_t n;

	if (input_next(s->in, &bytes, &n, s->err))
		return -1;
	s->piece = (const char *)bytes;
	s->piece_end = s->piece + n;
	return n > 0;
}

int text_scan_line(struct text_scan *s)
{
	s->offset += s->line_bytes;
	s->line_bytes = 0;
	s->n_carry = 0;
	for (;;) {
		size_t n = (size_t)(s->piece_end - s->piece);
		const char *stop = n ? memchr(s->piece, '\n', n) : NULL;

		if (stop)
			return line_set(s, stop, true);
		if (n && carry_add(s, s->piece, n))
			return -1;
		int more = piece_next(s);
		if (more < 0)
			return -1;
		if (!more)
			return s->n_carry ? line_set(s, s->piece, false) : 0;
	}
}

int text_scan_wrong(struct text_scan *s, const char *wrong)
{
	return error_set(s->err, "%s: line %llu: %s at byte %llu", input_name(s->in),
			 (unsigned long long)s->number, wrong, (unsigned long long)s->offset);
}

static bool is_space(char c)
{
	return c == ' ' || c == '\t';
}

size_t text_scan_spaces(struct text_scan *s)
{
	const char *begin = s->at;

	while (s->at < s->end && is_space(*s->at))
		s->at++;
	return (size_t)(s->at - begin);
}

bool text_scan_text(struct text_scan *s, const char *text)
{
	size_t n = strlen(text);

	if ((size_t)(s->end - s->at) < n || memcmp(s->at, text, n))
		return false;
	s->at += n;
	return true;
}

size_t text_scan_token(struct text_scan *s)
{
	const char *begin = s->at;

	while (s->at < s->end && !is_space(*s->at))
		s->at++;
	return (size_t)(s->at - begin);
}

const char *text_scan_count(struct text_scan *s, uint64_t *count)
{
	const char *begin = s->at;

	for (*count = 0; s->at < s->end && *s->at >= '0' && *s->at <= '9'; s->at++)
		if (__builtin_mul_overflow(*count, 10, count) ||
		    __builtin_add_overflow(*count, (uint64_t)(*s->at - '0'), count))
			return "overflow: a number does not fit 64 bits";
	return s->at > begin ? NULL : "a number is missing";
}
