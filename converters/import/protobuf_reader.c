/* SPDX-License-Identifier: MIT */
/*
 * protobuf_reader.c - reads the wire format of Protocol Buffers (protobuf.dev, "Encoding").
 *
 * In: bytes. Out: fields.
 */
#include "import/protobuf_reader.h"

enum wire { WIRE_NUMBER, WIRE_8_BYTES, WIRE_BYTES, WIRE_4_BYTES = 5 };

bool protobuf_reader_number(struct protobuf_reader *r, uint64_t *value)
{
	*value = 0;
	if (r->at == r->end)
		return false;
	for (unsigned shift = 0; r->at < r->end; shift += 7) {
		unsigned char byte = *r->at++;

		if (shift > 63 || (shift == 63 && byte > 1))
			break;
		*value |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return true;
	}
	r->is_wrong = true;
	return false;
}

static bool skip(struct protobuf_reader *r, uint64_t n)
{
	r->is_wrong = n > (uint64_t)(r->end - r->at);
	r->at += r->is_wrong ? 0 : n;
	return !r->is_wrong;
}

bool protobuf_reader_next(struct protobuf_reader *r, struct protobuf_field *f)
{
	uint64_t tag, length;

	if (r->at == r->end || r->is_wrong)
		return false;
	*f = (struct protobuf_field){0};
	r->is_wrong = !protobuf_reader_number(r, &tag) || tag >> 3 == 0 || tag >> 3 > UINT32_MAX;
	if (r->is_wrong)
		return false;
	f->number = (uint32_t)(tag >> 3);
	switch (tag & 7) {
	case WIRE_NUMBER:
		r->is_wrong = !protobuf_reader_number(r, &f->value);
		return !r->is_wrong;
	case WIRE_8_BYTES:
	case WIRE_4_BYTES:
		return skip(r, (tag & 7) == WIRE_8_BYTES ? 8 : 4);
	case WIRE_BYTES:
		f->has_bytes = true;
		r->is_wrong = !protobuf_reader_number(r, &length);
		if (r->is_wrong)
			return false;
		f->bytes = (struct protobuf_reader){.at = r->at, .end = r->at};
		if (!skip(r, length))
			return false;
		f->bytes.end = r->at;
		return true;
	default:
		r->is_wrong = true;
		return false;
	}
}
