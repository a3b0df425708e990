/* SPDX-License-Identifier: MIT */
/*
 * input.h - reads a file or a pipe in pieces, and text line by line.
 */
#ifndef READ_INPUT_H
#define READ_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/stop.h"
#include "libsampler/format.h"
#include "read/event.h"

/* ---- cursor ---------------------------------------------------------------------------------- */
/*
 * Reads numbers and texts from a block of bytes.
 *
 * A function that fails returns false and sets `wrong`. It sets the very pointer CURSOR_SHORT if
 * the block ended too early, so that the caller can tell an incomplete block from a corrupt one.
 */

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

/* ---- input ----------------------------------------------------------------------------------- */
/*
 * A file or standard input as a sequence of bytes with a name and an offset.
 */

struct input;

/* Open PATH for reading, "-" is standard input. It may be that of a recording in a pack
 * (pack_file.h). Directories are refused. NULL on error. */
struct input *input_open(const char *path, struct error *err);
void input_close(struct input *in);

/* The name for messages: the path, or "(standard input)". */
const char *input_name(const struct input *in);

/* The id of the user who owns the file. False: that says nothing, because the input was packed. */
bool input_owner(const struct input *in, uint64_t *user);

/* What was known of the process when the input was packed (enum pack_life); 0: it is in no pack. */
char input_life(const struct input *in);

/* How many bytes were handed out so far. */
uint64_t input_offset(const struct input *in);

/* Look at the next *n bytes (at most 4096) without taking them; *n becomes how many there are,
 * fewer at the end. -1: reading failed and there are none. If reading failed behind some bytes,
 * the input_next after them returns the error. */
int input_peek(struct input *in, const unsigned char **bytes, size_t *n, struct error *err);

/*
 * Take the next piece, as long as convenient; *n = 0 at the end. The bytes belong to the input and
 * are valid until the next call. Returns 0, or -1 when reading failed.
 */
int input_next(struct input *in, const unsigned char **bytes, size_t *n, struct error *err);

/* Set a function that is called after each read of any input with the number of bytes; NULL:
 * none. */
void input_observe(void (*read)(size_t bytes));

/* ---- text scan ------------------------------------------------------------------------------- */
/*
 * A text input, line by line, and a line from left to right.
 *
 * Used by the decoders of texts.
 */

/* Begins as all zero but for `in` and `err`; text_scan_clear frees what it holds, not the input. */
struct text_scan {
	struct input *in;
	struct error *err;
	const char *at, *end; /* the rest of the line at hand */
	uint64_t number;      /* the number of that line, from 1 */
	uint64_t offset;      /* where it begins */
	bool is_whole;	      /* the line ended with a line feed */
	/* The part of the input that is not split into lines yet, and the beginning of a line that
	 * comes in several pieces. */
	const char *piece, *piece_end;
	char *carry;
	size_t n_carry, carry_size;
	size_t line_bytes; /* of the line at hand, with its line feed */
};

void text_scan_clear(struct text_scan *s);

/* Take the next line, without its line feed or CR LF; it may have any bytes. 1: there is one, 0:
 * the input is over, -1: error. The line is valid until the next one is taken. */
int text_scan_line(struct text_scan *s);

/* Set the error "FILE: line N: WRONG at byte OFFSET". Returns -1. */
int text_scan_wrong(struct text_scan *s, const char *wrong);

/* Skip spaces and tabs. Returns how many there were. */
size_t text_scan_spaces(struct text_scan *s);
/* Skip this text if it comes next. Returns whether it did. */
bool text_scan_text(struct text_scan *s, const char *text);
/* Skip what is neither space nor tab. Returns its length. */
size_t text_scan_token(struct text_scan *s);
/* Take the digits that come next as a number. NULL, or what is wrong: there are none, or the number
 * does not fit 64 bits. */
const char *text_scan_count(struct text_scan *s, uint64_t *count);

#endif
