/* SPDX-License-Identifier: MIT */
/*
 * decode_fields.c - reads one field of a list.
 *
 * In: a cursor, a table of fields. Out: the member that the table names.
 */
#include "read/decode_fields.h"

#include <string.h>

bool decode_field_read(struct cursor *c, const struct decode_field *table, void *into,
		       uint64_t *number)
{
	uint64_t key, value = 0;
	struct event_text text;

	if (!cursor_varint(c, &key))
		return false;
	enum decode_field_kind kind = key & 1 ? FIELD_TEXT : FIELD_NUMBER;
	if (kind == FIELD_TEXT ? !cursor_text(c, &text) : !cursor_varint(c, &value))
		return false;
	*number = key >> 1;
	while (table->number && table->number != *number)
		table++;
	if (!table->number)
		return true;
	if (table->kind != kind)
		return cursor_fail(c, "a text stands for a number, or a number for a text");
	if (kind == FIELD_TEXT)
		memcpy((char *)into + table->offset, &text, sizeof(text));
	else
		memcpy((char *)into + table->offset, &value, sizeof(value));
	return true;
}
