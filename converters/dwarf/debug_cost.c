/* SPDX-License-Identifier: MIT */
/*
 * debug_cost.c - computes the sizes of the tables that units of debug information refer to.
 *
 * In: the sections of an image. Out: bytes, or whether they are within bounds.
 */
#include "dwarf/debug_cost.h"

#include <string.h>

/* The limit is this multiple of the image's size. Abbreviations usually take a hundredth of the
 * debug information. Where many units share a table, which counts for each of them, the sum may
 * reach the size of all the debug information. */
#define ABBREVIATIONS_MAX 4u

#define FORM_WITH_VALUE 0x21u /* DW_FORM_implicit_const: the abbreviation has the value */

/* Read a LEB128 number (DWARF 5, 7.6) and step over it. Bits beyond the 64th are dropped. */
static uint64_t read_number(const struct debug_section *s, uint64_t *at)
{
	uint64_t value = 0;
	unsigned shift = 0;
	unsigned char byte = 0x80;

	for (; *at < s->n && byte & 0x80; shift += 7) {
		byte = s->bytes[(*at)++];
		if (shift < 64)
			value |= (uint64_t)(byte & 0x7f) << shift;
	}
	return value;
}

/* The size in bytes of the abbreviation table at the offset (DWARF 5, 7.5.3). Counting stops once
 * it is beyond `max`. */
static uint64_t abbreviation_bytes(const struct debug_section *s, uint64_t offset, uint64_t max)
{
	uint64_t at = offset, name, form;

	while (at < s->n && at - offset <= max && read_number(s, &at)) {
		read_number(s, &at); /* the tag */
		at++;		     /* whether it has children */
		do {
			name = read_number(s, &at);
			form = read_number(s, &at);
			if (form == FORM_WITH_VALUE)
				read_number(s, &at);
		} while ((name || form) && at < s->n && at - offset <= max);
	}
	return offset < s->n ? at - offset : 0;
}

bool debug_cost_is_bounded(const struct debug_image *d)
{
	uint64_t left = ABBREVIATIONS_MAX * d->n_bytes, bytes = 0;
	Dwarf_Off at = 0, next, table, last = UINT64_MAX;
	size_t head;

	/* Neighbouring units often share a table, so the size of the last one is kept. */
	for (; dwarf_next_unit(d->dwarf, at, &next, &head, NULL, &table, NULL, NULL, NULL, NULL) ==
		       0 &&
	       next > at;
	     at = next) {
		if (table != last)
			bytes = abbreviation_bytes(&d->abbreviations, table, left);
		last = table;
		if (bytes > left)
			return false;
		left -= bytes;
	}
	return true;
}

/* A line table begins with its length (DWARF 5, 7.4): 4 bytes, or 4 bytes of all ones that 8 bytes
 * of length follow. */
uint64_t debug_cost_lines(const struct debug_image *d, uint64_t offset)
{
	uint64_t room = offset < d->lines.n ? d->lines.n - offset : 0, bytes = 0;
	uint32_t first;

	if (room < sizeof(first) + sizeof(bytes))
		return 0;
	memcpy(&first, d->lines.bytes + offset, sizeof(first));
	if (first == UINT32_MAX)
		memcpy(&bytes, d->lines.bytes + offset + sizeof(first), sizeof(bytes));
	else
		bytes = first;
	return bytes < room ? bytes : 0;
}
