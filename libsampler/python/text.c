/* SPDX-License-Identifier: MIT */
/*
 * text.c - reads strings of the interpreter, and writes names in UTF-8.
 *
 * In: string objects of one, two or four bytes a character. Out: bytes.
 */
#include <stddef.h>
#include <string.h>

#include "base/writer.h"
#include "python/reader.h"
#include "python/text.h"
#include "base/poison.h"

#define DOTS	   "..."
#define PAGE_BYTES 4096u

/* Copies the beginning of an object of unknown size, which most likely is all of it: each copy costs a
 * microsecond. Returns the number of bytes. */
static size_t copy_object(struct cps_python_text *text, uintptr_t object)
{
	size_t n = sizeof(text->copy), least = sizeof(struct cps_python_unicode);

	if (object & 7 || object < PAGE_BYTES)
		return 0;
	if (cps_copy(text->copy, object, n))
		return n;
	n = PAGE_BYTES - object % PAGE_BYTES; /* it may be the last one that is there */
	if (n < least || n > sizeof(text->copy))
		n = least;
	return cps_copy(text->copy, object, n) ? n : 0;
}

/* Sets what the head of a string says of it, and where the characters begin that are wanted. */
static bool take_head(struct cps_python_text *text, const struct cps_python_unicode *head,
		      const struct cps_python_types *types, bool is_end, uint64_t *at)
{
	text->width = CPS_PYTHON_UNICODE_KIND(head->state);
	text->length = (uint64_t)head->length;
	text->n = text->length < CPS_PYTHON_CHARACTERS ? (uint32_t)text->length
						       : CPS_PYTHON_CHARACTERS;
	*at = head->state & CPS_PYTHON_UNICODE_ASCII ? sizeof(*head)
						     : CPS_PYTHON_UNICODE_BYTES_OF_OTHER;
	if (is_end)
		*at += (text->length - text->n) * text->width;
	text->span = *at + (uint64_t)text->n * text->width;
	return head->type == types->unicode && head->state & CPS_PYTHON_UNICODE_COMPACT &&
	       head->length >= 0 && (text->width == 1 || text->width == 2 || text->width == 4);
}

bool cps_python_text_get(struct cps_python_text *text, uintptr_t object,
			 const struct cps_python_types *types, bool is_end, bool is_alive)
{
	struct cps_python_unicode head;
	size_t copied = is_alive ? 0 : copy_object(text, object);
	uint64_t at, bytes;

	if (copied)
		memcpy(&head, text->copy, sizeof(head));
	else if (!is_alive || !cps_python_read(&head, object, sizeof(head), true))
		return false;
	if (!take_head(text, &head, types, is_end, &at))
		return false;
	bytes = text->n * text->width;
	text->bytes = is_alive ? (const void *)(object + at) : (const uint8_t *)text->copy + at;
	if (is_alive || (at <= copied && bytes <= copied - at))
		return true;
	text->bytes = text->copy;
	return !bytes || cps_copy(text->copy, object + at, bytes);
}

bool cps_python_text_take(struct cps_python_text *text, const void *copy, size_t span,
			  const struct cps_python_types *types, bool is_end)
{
	struct cps_python_unicode head;
	uint64_t at;

	if (span < sizeof(head))
		return false;
	memcpy(&head, copy, sizeof(head));
	if (!take_head(text, &head, types, is_end, &at) || text->span > span || text->span < at)
		return false;
	text->bytes = (const uint8_t *)copy + at;
	return true;
}

uint64_t cps_python_text_sum(const struct cps_python_text *text)
{
	const uint8_t *p = text->bytes;
	size_t left = text->n * text->width;
	uint64_t sum = text->length << 3 | text->width, word;

	for (; left >= 8; p += 8, left -= 8) {
		memcpy(&word, p, 8);
		sum = (sum ^ word) * UINT64_C(0x9e3779b97f4a7c15);
		sum ^= sum >> 29;
	}
	for (word = 0; left; left--)
		word = word << 8 | *p++;
	sum = (sum ^ word) * UINT64_C(0x9e3779b97f4a7c15);
	return sum ^ sum >> 32;
}

static uint32_t character(const struct cps_python_text *text, uint32_t i)
{
	uint16_t two;
	uint32_t four;

	if (text->width == 1)
		return ((const uint8_t *)text->bytes)[i];
	if (text->width == 2) {
		memcpy(&two, (const uint8_t *)text->bytes + (size_t)2 * i, 2);
		return two;
	}
	memcpy(&four, (const uint8_t *)text->bytes + (size_t)4 * i, 4);
	return four;
}

/* Control characters and halves of pairs have no place in a name. */
static bool is_fit(uint32_t c)
{
	return c >= 0x20 && !(c >= 0x7f && c < 0xa0) && !(c >= 0xd800 && c < 0xe000) &&
	       c < 0x110000;
}

static uint8_t *put(uint8_t *p, uint32_t c)
{
	if (!is_fit(c))
		c = '?';
	if (c < 0x80) {
		*p++ = (uint8_t)c;
		return p;
	}
	if (c < 0x800) {
		*p++ = (uint8_t)(0xc0 | c >> 6);
	} else if (c < 0x10000) {
		*p++ = (uint8_t)(0xe0 | c >> 12);
		*p++ = (uint8_t)(0x80 | (c >> 6 & 0x3f));
	} else {
		*p++ = (uint8_t)(0xf0 | c >> 18);
		*p++ = (uint8_t)(0x80 | (c >> 12 & 0x3f));
		*p++ = (uint8_t)(0x80 | (c >> 6 & 0x3f));
	}
	*p++ = (uint8_t)(0x80 | (c & 0x3f));
	return p;
}

static uint8_t *put_from(uint8_t *p, const struct cps_python_text *text, uint32_t i)
{
	for (; i < text->n; i++)
		p = put(p, character(text, i));
	return p;
}

static uint8_t *put_bytes(uint8_t *p, const char *bytes)
{
	size_t n = strlen(bytes);

	memcpy(p, bytes, n);
	return p + n;
}

/* Whether these are the characters from i on, up to their end. */
static bool ends_with(const struct cps_python_text *text, const char *end, uint32_t *at)
{
	uint32_t n = (uint32_t)strlen(end);

	if (text->n < n || (text->n == CPS_PYTHON_CHARACTERS && text->length > text->n && !at))
		return false;
	for (uint32_t i = 0; i < n; i++)
		if (character(text, text->n - n + i) != (unsigned char)end[i])
			return false;
	if (at)
		*at = text->n - n;
	return true;
}

/* Where the last part of the path begins that is before `end`. */
static uint32_t last_part(const struct cps_python_text *path, uint32_t end)
{
	uint32_t i = end;

	while (i > 0 && character(path, i - 1) != '/')
		i--;
	return i;
}

static uint32_t file_begin(const struct cps_python_text *path)
{
	uint32_t at;

	if (ends_with(path, "/__init__.py", &at) || ends_with(path, "/__main__.py", &at))
		return last_part(path, at);
	/* A text that is no path, such as "<string>", may have a slash. */
	if (path->n && character(path, 0) == '<')
		return 0;
	return last_part(path, path->n);
}

uint32_t cps_python_text_name(char name[CPS_PYTHON_NAME_BYTES],
			      const struct cps_python_text *function,
			      const struct cps_python_text *file, uint32_t line)
{
	uint8_t *p = put_from((uint8_t *)name, function, 0);
	char digits[24];

	if (function->length > function->n)
		p = put_bytes(p, DOTS);
	p = put_bytes(p, " (");
	p = put_from(p, file, file_begin(file));
	if (ends_with(function, ">", NULL) && !ends_with(function, "<module>", NULL)) {
		p = put_bytes(p, ":");
		p = put_bytes(p, cps_digits(digits + sizeof(digits), line));
	}
	p = put_bytes(p, ")");
	*p = '\0';
	return (uint32_t)(p - (uint8_t *)name);
}
