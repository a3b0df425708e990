/* SPDX-License-Identifier: MIT */
/*
 * debug_cost.c - sizes of the tables that units of debug information refer to.
 *
 * In: the sections of an image. Out: bytes.
 */
#include "dwarf/debug_cost.h"

#include <string.h>

/* Abbreviations are a hundredth of the information. Where many units share a table, they may come
 * to as much as all of it. */
#define ABBREVIATIONS_MAX 4u

#define FORM_WITH_VALUE 0x21u /* DW_FORM_implicit_const: the abbreviation has the value */

/* A number (DWARF 5, 7.6), as far as it fits. */
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

/* Bytes of the table that begins there (DWARF 5, 7.5.3); stops beyond `max`. */
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

	/* Neighbours often share a table. */
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

/* The length comes first (DWARF 5, 7.4): 4 bytes, or these all ones and 8 more. */
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
