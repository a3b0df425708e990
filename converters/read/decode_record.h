/* SPDX-License-Identifier: MIT */
/*
 * decode_record.h - decodes the records other than samples.
 *
 * In: bytes. Out: members of a structure.
 */
#ifndef READ_DECODE_RECORD_H
#define READ_DECODE_RECORD_H

#include "read/input.h"

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
