/* SPDX-License-Identifier: MIT */
/* test_protobuf.c - bytes of messages, by the examples of protobuf.dev, Encoding. */
#include <criterion/criterion.h>
#include <string.h>

#include "export/protobuf.h"

static void is(struct protobuf *b, const char *bytes, size_t n)
{
	cr_assert(!b->is_out_of_memory);
	cr_assert_eq(b->n, n, "%zu bytes", b->n);
	cr_assert_arr_eq(b->bytes, bytes, n);
	protobuf_free(b);
}

Test(protobuf, numbers)
{
	struct protobuf b = {0};

	protobuf_number(&b, 1, 150);
	is(&b, "\x08\x96\x01", 3);
	protobuf_number(&b, 1, 0);
	cr_assert_eq(b.n, 0);
	protobuf_number(&b, 16, UINT64_MAX);
	is(&b, "\x80\x01\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 12);
}

Test(protobuf, bytes)
{
	struct protobuf b = {0};

	protobuf_bytes(&b, 2, "testing", 7);
	is(&b, "\x12\x07testing", 9);
	protobuf_bytes(&b, 6, "", 0);
	is(&b, "\x32\x00", 2);
}

Test(protobuf, messages)
{
	struct protobuf b = {0}, inner = {0};

	protobuf_number(&inner, 1, 150);
	protobuf_message(&b, 3, &inner);
	cr_assert_eq(inner.n, 0);
	protobuf_packed(&inner, 3);
	protobuf_packed(&inner, 270);
	protobuf_packed(&inner, 86942);
	protobuf_message(&b, 4, &inner);
	is(&b, "\x1a\x03\x08\x96\x01\x22\x06\x03\x8e\x02\x9e\xa7\x05", 13);
	protobuf_free(&inner);
}
