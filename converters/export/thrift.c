/* SPDX-License-Identifier: MIT */
/*
 * thrift.c - writes Thrift's compact protocol.
 *
 * In: fields of structs. Out: bytes.
 */
#include "export/thrift.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

/* A list of fewer elements has their number in its first byte. */
#define SHORT_LIST 15u

static void put_bytes(struct thrift *t, const void *bytes, size_t n)
{
	t->is_out_of_memory |= !array_reserve(&t->bytes, &t->size, t->n + n, 1);
	if (t->is_out_of_memory || !n)
		return;
	memcpy(t->bytes + t->n, bytes, n);
	t->n += n;
}

static void put_byte(struct thrift *t, unsigned byte)
{
	const unsigned char b = (unsigned char)byte;

	put_bytes(t, &b, 1);
}

static void put_varint(struct thrift *t, uint64_t value)
{
	for (; value > 0x7f; value >>= 7)
		put_byte(t, (unsigned)(value & 0x7f) | 0x80);
	put_byte(t, (unsigned)value);
}

static void put_zigzag(struct thrift *t, int64_t value)
{
	put_varint(t, (uint64_t)value << 1 ^ (value < 0 ? UINT64_MAX : 0));
}

/* A byte has the type, and how far the number is from that of the field before. All fields that Parquet has
 * are near enough. */
static void put_field(struct thrift *t, int field, enum thrift_type type)
{
	int *last = &t->last[t->depth];

	put_byte(t, (unsigned)(field - *last) << 4 | (unsigned)type);
	*last = field;
}

void thrift_i32(struct thrift *t, int field, int32_t value)
{
	put_field(t, field, THRIFT_I32);
	put_zigzag(t, value);
}

void thrift_i64(struct thrift *t, int field, int64_t value)
{
	put_field(t, field, THRIFT_I64);
	put_zigzag(t, value);
}

void thrift_text(struct thrift *t, int field, const char *text)
{
	put_field(t, field, THRIFT_TEXT);
	thrift_element_text(t, text);
}

void thrift_list(struct thrift *t, int field, enum thrift_type of, size_t n)
{
	put_field(t, field, THRIFT_LIST);
	put_byte(t, (unsigned)(n < SHORT_LIST ? n : SHORT_LIST) << 4 | (unsigned)of);
	if (n >= SHORT_LIST)
		put_varint(t, n);
}

void thrift_element_i32(struct thrift *t, int32_t value)
{
	put_zigzag(t, value);
}

void thrift_element_text(struct thrift *t, const char *text)
{
	size_t n = strlen(text);

	put_varint(t, n);
	put_bytes(t, text, n);
}

void thrift_begin(struct thrift *t, int field)
{
	if (field)
		put_field(t, field, THRIFT_STRUCT);
	t->last[++t->depth] = 0;
}

void thrift_end(struct thrift *t)
{
	put_byte(t, 0);
	t->depth--;
}

void thrift_free(struct thrift *t)
{
	free(t->bytes);
	*t = (struct thrift){0};
}
