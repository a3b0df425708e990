/* SPDX-License-Identifier: MIT */
/*
 * decode_fields.h - reads lists of numbered fields, as several records of the stream are.
 *
 * In: bytes. Out: members of a structure.
 */
#ifndef DECODE_FIELDS_H
#define DECODE_FIELDS_H

#include "read/cursor.h"

enum decode_field_kind { FIELD_NUMBER, FIELD_TEXT };

/* A table of fields ends with one whose number is 0. */
struct decode_field {
	unsigned number;
	enum decode_field_kind kind; /* a uint64_t, or a struct event_text */
	size_t offset;		     /* where it goes */
};

/* Read one field into `into`. *number is the field's number; unknown fields are skipped. */
bool decode_field_read(struct cursor *c, const struct decode_field *table, void *into,
		       uint64_t *number);

#endif
