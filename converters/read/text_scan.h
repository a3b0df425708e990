/* SPDX-License-Identifier: MIT */
/*
 * text_scan.h - a text input, line by line, and a line from left to right.
 *
 * Used by the decoders of texts.
 */
#ifndef TEXT_SCAN_H
#define TEXT_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "read/input.h"

/* Begins as all zero but for `in` and `err`; text_scan_clear frees what it holds, not the input. */
struct text_scan {
	struct input *in;
	struct error *err;
	const char *at, *end; /* what is left of the line at hand */
	uint64_t number;      /* of that line, from 1 */
	uint64_t offset;      /* where it begins */
	bool is_whole;	      /* it had a line feed */
	/* What was taken from the input and is still to be split; a line that came in pieces. */
	const char *piece, *piece_end;
	char *carry;
	size_t n_carry, carry_size;
	size_t line_bytes; /* of the line at hand, with its line feed */
};

void text_scan_clear(struct text_scan *s);

/* Take the next line, of any bytes, without its line feed or CR LF. 1, 0 at the end, -1 on error. The
 * line is valid until the next one is taken. */
int text_scan_line(struct text_scan *s);

/* Set the error "FILE: line N: WRONG at byte OFFSET". Returns -1. */
int text_scan_wrong(struct text_scan *s, const char *wrong);

/* Pass over spaces and tabs. Returns how many there were. */
size_t text_scan_spaces(struct text_scan *s);
/* Pass over this text, if it comes next. */
bool text_scan_text(struct text_scan *s, const char *text);
/* Pass over what is neither space nor tab. Returns its length. */
size_t text_scan_token(struct text_scan *s);
/* Take the digits that come next. NULL, or what is wrong: there is none, or the number does not fit
 * 64 bits. */
const char *text_scan_count(struct text_scan *s, uint64_t *count);

#endif
