/* SPDX-License-Identifier: MIT */
/*
 * cursor.h - reads numbers and texts from a block of bytes.
 *
 * A function that fails returns false and sets `wrong`. It sets the very pointer CURSOR_SHORT if
 * the block ended too early, so that the caller can tell an incomplete block from a corrupt one.
 */
#ifndef CURSOR_H
#define CURSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libsampler/format.h"
#include "read/event.h"

struct cursor {
	const unsigned char *at, *end;
	const char *wrong;
};

extern const char CURSOR_SHORT[];

static inline bool cursor_fail(struct cursor *c, const char *wrong)
{
	c->wrong = wrong;
	return false;
}

/* A varint of more than one byte; there may be no byte left. */
static inline bool cursor_varint_long(struct cursor *c, uint64_t *value)
{
	const unsigned char *at = c->at;
	uint64_t v = 0;

	for (unsigned shift = 0; shift < 64; shift += 7) {
		if (at == c->end)
			return cursor_fail(c, CURSOR_SHORT);
		unsigned char byte = *at++;
		if (shift == 63 && byte > 1)
			break;
		v |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80)) {
			c->at = at;
			*value = v;
			return true;
		}
	}
	return cursor_fail(c, "a number does not fit 64 bits");
}

static inline bool cursor_varint(struct cursor *c, uint64_t *value)
{
	if (__builtin_expect(c->at != c->end && *c->at < 0x80, 1)) {
		*value = *c->at++;
		return true;
	}
	return cursor_varint_long(c, value);
}

static inline bool cursor_zigzag(struct cursor *c, int64_t *value)
{
	uint64_t v;

	if (!cursor_varint(c, &v))
		return false;
	*value = (int64_t)(v >> 1 ^ (0 - (v & 1)));
	return true;
}

static inline bool cursor_u32(struct cursor *c, uint32_t *value)
{
	uint64_t v;

	if (!cursor_varint(c, &v))
		return false;
	if (v > UINT32_MAX)
		return cursor_fail(c, "a number does not fit 32 bits");
	*value = (uint32_t)v;
	return true;
}

static inline bool cursor_text(struct cursor *c, struct event_text *text)
{
	uint64_t length;

	if (!cursor_varint(c, &length))
		return false;
	if (length > CPS_TEXT_MAX)
		return cursor_fail(c, "a text is too long");
	if (length > (size_t)(c->end - c->at))
		return cursor_fail(c, CURSOR_SHORT);
	*text = (struct event_text){(const char *)c->at, (size_t)length};
	c->at += length;
	return true;
}

#endif
