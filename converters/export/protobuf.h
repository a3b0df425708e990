/* SPDX-License-Identifier: MIT */
/*
 * protobuf.h - writes Protocol Buffers, packed by gzip.
 */
#ifndef EXPORT_PROTOBUF_H
#define EXPORT_PROTOBUF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/stop.h"
#include "write/out.h"

/* ---- protobuf -------------------------------------------------------------------------------- */
/*
 * Writes messages in the wire format of Protocol Buffers.
 *
 * In: fields. Out: bytes in memory.
 *
 * The format is small (protobuf.dev, Encoding): a field is a key, which is its number and its wire
 * type, and a value, which is a varint, or a length and that many bytes. A library for it would be
 * larger than this file.
 *
 * A buffer that memory was out for stays so, and is asked once, at the end.
 */

/* All zero: empty. The owner frees it with protobuf_free. */
struct protobuf {
	unsigned char *bytes;
	size_t n, room;
	bool is_out_of_memory;
};

void protobuf_free(struct protobuf *b);

/* A field of type int64, uint64 or bool. The default, 0, is not written. */
void protobuf_number(struct protobuf *b, unsigned field, uint64_t value);

/* A field of type string or bytes, also if it is empty. */
void protobuf_bytes(struct protobuf *b, unsigned field, const void *bytes, size_t n);

/* A field that is a message, or packed numbers: what is in `inner`, which is cleared. */
void protobuf_message(struct protobuf *b, unsigned field, struct protobuf *inner);

/* A number without a key, as packed fields have them; and a number of bytes, and these. */
void protobuf_packed(struct protobuf *b, uint64_t value);
void protobuf_packed_bytes(struct protobuf *b, const void *bytes, size_t n);

/* ---- gzip ------------------------------------------------------------------------------------ */
/*
 * Writes a message compressed by gzip (RFC 1952).
 */

/* 0, or -1 with the error: no memory. */
int gzip_write(struct out *o, const struct protobuf *message, struct error *err);

#endif
