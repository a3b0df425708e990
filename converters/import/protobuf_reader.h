/* SPDX-License-Identifier: MIT */
/*
 * protobuf_reader.h - the fields of a message of Protocol Buffers, one after the other.
 *
 * In: bytes. Out: fields. Nothing is believed of the bytes.
 */
#ifndef PROTOBUF_READER_H
#define PROTOBUF_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What is left of a message. */
struct protobuf_reader {
	const unsigned char *at, *end;
	bool is_wrong; /* the message is damaged; `at` is where */
};

struct protobuf_field {
	uint32_t number;
	bool has_bytes;		      /* it has bytes, and not a value */
	uint64_t value;		      /* of a number */
	struct protobuf_reader bytes; /* of a message, a text or packed numbers */
};

/* Take the next field. False: there is none, or is_wrong. */
bool protobuf_reader_next(struct protobuf_reader *r, struct protobuf_field *f);
/* Take a number of packed ones. False as above. */
bool protobuf_reader_number(struct protobuf_reader *r, uint64_t *value);

#endif
