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
