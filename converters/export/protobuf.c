/* SPDX-License-Identifier: MIT */
/*
 * protobuf.c - writes Protocol Buffers, packed by gzip.
 */
#include <libdeflate.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "export/protobuf.h"

/* ---- protobuf -------------------------------------------------------------------------------- */

#define VARINT_MOST 10 /* bytes of a number of 64 bits, with 7 of them in each */

enum wire_type { WIRE_VARINT = 0, WIRE_BYTES = 2 };

void protobuf_free(struct protobuf *b)
{
	free(b->bytes);
	*b = (struct protobuf){0};
}

/* Forget what was written, and keep the memory. */
static void protobuf_clear(struct protobuf *b)
{
	b->n = 0;
}

static bool reserve(struct protobuf *b, size_t more)
{
	size_t needed;

	if (__builtin_add_overflow(b->n, more, &needed) ||
	    !array_reserve(&b->bytes, &b->room, needed, 1))
		b->is_out_of_memory = true;
	return !b->is_out_of_memory;
}

void protobuf_packed(struct protobuf *b, uint64_t value)
{
	if (!reserve(b, VARINT_MOST))
		return;
	while (value >= 0x80) {
		b->bytes[b->n++] = (unsigned char)(value | 0x80);
		value >>= 7;
	}
	b->bytes[b->n++] = (unsigned char)value;
}

void protobuf_packed_bytes(struct protobuf *b, const void *bytes, size_t n)
{
	protobuf_packed(b, n);
	if (!n || !reserve(b, n))
		return;
	memcpy(b->bytes + b->n, bytes, n);
	b->n += n;
}

static void key(struct protobuf *b, unsigned field, enum wire_type type)
{
	protobuf_packed(b, (uint64_t)field << 3 | type);
}

void protobuf_number(struct protobuf *b, unsigned field, uint64_t value)
{
	if (!value)
		return;
	key(b, field, WIRE_VARINT);
	protobuf_packed(b, value);
}

void protobuf_bytes(struct protobuf *b, unsigned field, const void *bytes, size_t n)
{
	key(b, field, WIRE_BYTES);
	protobuf_packed_bytes(b, bytes, n);
}

void protobuf_message(struct protobuf *b, unsigned field, struct protobuf *inner)
{
	b->is_out_of_memory |= inner->is_out_of_memory;
	protobuf_bytes(b, field, inner->bytes, inner->n);
	protobuf_clear(inner);
}

/* ---- gzip ------------------------------------------------------------------------------------ */
/*
 * Compresses a message as a whole.
 *
 * In: the message's bytes. Out: a file of gzip.
 */

#define LEVEL 6 /* of compression */

int gzip_write(struct out *o, const struct protobuf *message, struct error *err)
{
	struct libdeflate_compressor *c = libdeflate_alloc_compressor(LEVEL);
	size_t most = c ? libdeflate_gzip_compress_bound(c, message->n) : 0;
	char *bytes = c ? malloc(most) : NULL;
	size_t n = bytes ? libdeflate_gzip_compress(c, message->bytes, message->n, bytes, most) : 0;

	if (n)
		out_bytes(o, bytes, n);
	free(bytes);
	if (c)
		libdeflate_free_compressor(c);
	return n ? 0 : error_memory(err);
}
